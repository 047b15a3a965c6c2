import type { Hex } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { decodeErrorResult } from 'viem/utils';
import { errorsAbi } from './abi.js';
import { brief } from './brief.js';
import { reasonOfLeg } from './explain-call/call-reasons.js';
import { decodeError } from './explain-call/decode-error.js';
import { type ErrorRegistry, WELL_KNOWN } from './explain-call/error-registry.js';
import { OWN_REASONS } from './explain-call/own-errors.js';
import type { FailReason } from './fail-reason.js';

export interface DecodedRevert {
  readonly name: string;
  readonly reason: FailReason;
  readonly message: string;
  /** No reason was given, which is also how an inner out-of-gas looks. */
  readonly silent: boolean;
}

const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/**
 * @param fallback Reason of an unlisted revert: EXECUTION_REVERTED for a simulated call, TRANSACTION_REVERTED for a
 * mined transaction.
 * @param errors of the contracts that were called.
 */
export function decodeRevert(data: Hex, fallback: FailReason, errors: ErrorRegistry = WELL_KNOWN): DecodedRevert {
  if (data === '0x') return { name: '', reason: fallback, message: 'reverted without data', silent: true };
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsAbi, data });
    if (errorName === 'CallFailed') return failedCall(args, fallback, errors);
    const shown = (args ?? []).map((arg) => (HEX.test(String(arg)) ? nested(arg as Hex, errors) : String(arg)));
    const message = errorName === 'Error' ? shown.join(', ') : `${errorName}(${shown.join(', ')})`;
    const silent = args?.at(-1) === '0x';
    return { name: errorName, reason: OWN_REASONS[errorName] ?? fallback, message: brief(message), silent };
  } catch {
    const reason = reasonInside(data, errors);
    const message = reason === undefined ? `reverted with ${data.slice(0, 138)}` : brief(said(data, errors));
    return { name: '', reason: reason ?? fallback, message, silent: false };
  }
}

function failedCall(
  [index, to, thrown]: readonly [bigint, string, Hex],
  fallback: FailReason,
  errors: ErrorRegistry,
): DecodedRevert {
  return {
    name: 'CallFailed',
    reason: reasonInside(thrown, errors) ?? fallback,
    message: brief(`call ${index + 1n} to ${to.toLowerCase()} ${said(thrown, errors)}`),
    silent: thrown === '0x',
  };
}

export function reasonInside(thrown: Hex, errors: ErrorRegistry): FailReason | undefined {
  return reasonOfLeg(decodeError(thrown, errors).callReason);
}

export function said(thrown: Hex, errors: ErrorRegistry): string {
  return thrown === '0x' ? 'reverted without a reason' : `reverted with ${nested(thrown, errors)}`;
}

function nested(data: Hex, errors: ErrorRegistry): string {
  if (data.length < 10 || (data.length - 10) % 64 !== 0) return data;
  const { type, message, args } = decodeError(data, errors).error;
  if (args === undefined) return data;
  return type === 'errorString' ? JSON.stringify(message) : message;
}

/** Its location differs between nodes; undefined when the error is not a revert. */
export function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const found = findData(error.data);
  if (found !== undefined) return found;
  const message = error.message.toLowerCase();
  if (
    error.code === 3 ||
    /revert|invalid opcode|out of gas|vm execution error|bad instruction|^evm error \w+$/.test(message)
  )
    return '0x';
  return undefined;
}

function findData(data: unknown): Hex | undefined {
  if (typeof data === 'string') {
    const match = /0x(?:[0-9a-f]{2})*$/i.exec(data);
    return match === null ? undefined : (match[0].toLowerCase() as Hex);
  }
  if (typeof data !== 'object' || data === null) return undefined;
  if ('data' in data) return findData(data.data);
  if ('result' in data) return findData(data.result);
  return undefined;
}
