import type { Hex } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { decodeErrorResult } from 'viem/utils';
import { errorsAbi } from './abi.js';
import { brief } from './brief.js';
import { reasonOfCall } from './call-reverts.js';
import type { FailReason } from './fail-reason.js';

export interface DecodedRevert {
  readonly name: string;
  readonly reason: FailReason;
  readonly message: string;
  /** No reason was given, which is also how an inner out-of-gas looks. */
  readonly silent: boolean;
}

const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/** Errors of recipients or unknown tokens stay plain reverts. */
const REASONS: Readonly<Record<string, FailReason>> = {
  AlreadyFilled: 'ORDER_ALREADY_FILLED',
  DeadlinePassed: 'PROTOCOL_DEADLINE_EXPIRED',
  Expired: 'SIGNATURE_EXPIRED',
  KeyUsed: 'INVALID_NONCE',
  NothingToSweep: 'INVALID_NONCE',
  BadSignature: 'INVALID_SIGNATURE',
  NotFiller: 'INVALID_SENDER',
  TokenTransferFailed: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
  DeliveredShort: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
  BroughtShort: 'TOO_LITTLE_RECEIVED',
  TokenBalanceUnreadable: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
};

/**
 * @param fallback Reason of an unlisted revert: EXECUTION_REVERTED for a simulated call, TRANSACTION_REVERTED for a
 * mined transaction.
 */
export function decodeRevert(data: Hex, fallback: FailReason): DecodedRevert {
  if (data === '0x') return { name: '', reason: fallback, message: 'reverted without data', silent: true };
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsAbi, data });
    if (errorName === 'CallFailed') return failedCall(args, fallback);
    const shown = (args ?? []).map((arg) => (HEX.test(String(arg)) ? nested(arg as Hex) : String(arg))).join(', ');
    const message = errorName === 'Error' ? shown : `${errorName}(${shown})`;
    const silent = args?.at(-1) === '0x';
    return { name: errorName, reason: REASONS[errorName] ?? fallback, message: brief(message), silent };
  } catch {
    return { name: '', reason: fallback, message: `reverted with ${data.slice(0, 138)}`, silent: false };
  }
}

function failedCall([index, to, thrown]: readonly [bigint, string, Hex], fallback: FailReason): DecodedRevert {
  return {
    name: 'CallFailed',
    reason: reasonInside(thrown) ?? fallback,
    message: brief(`call ${index + 1n} to ${to.toLowerCase()} ${said(thrown)}`),
    silent: thrown === '0x',
  };
}

export function reasonInside(thrown: Hex): FailReason | undefined {
  return reasonOfCall(thrown, textOf(thrown));
}

export function said(thrown: Hex): string {
  return thrown === '0x' ? 'reverted without a reason' : `reverted with ${nested(thrown)}`;
}

/** Of a plain `Error(string)`; undefined for anything else. */
function textOf(data: Hex): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsAbi, data });
    return errorName === 'Error' ? args[0] : undefined;
  } catch {
    return undefined;
  }
}

function nested(data: Hex): string {
  if (data.length < 10 || (data.length - 10) % 64 !== 0) return data;
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsAbi, data });
    return errorName === 'Error' ? JSON.stringify(String(args?.[0] ?? '')) : `${errorName}(${(args ?? []).join(', ')})`;
  } catch {
    return data;
  }
}

/** Its location differs between nodes; undefined when the error is not a revert. */
export function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const found = findData(error.data);
  if (found !== undefined) return found;
  const message = error.message.toLowerCase();
  if (error.code === 3 || /revert|invalid opcode|out of gas|vm execution error|bad instruction/.test(message))
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
