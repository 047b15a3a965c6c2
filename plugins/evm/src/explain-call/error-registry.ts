import type { Hex } from '@causeway/core';
import type { AbiParameter } from 'viem';
import { formatAbiItem, parseAbiItem, toFunctionSelector } from 'viem/utils';
import { errorsAbi } from '../abi.js';
import type { FailReason } from '../fail-reason.js';
import type { CallReason } from './call-reasons.js';
import { KNOWN_ERRORS, type KnownErrorRow } from './known-errors.js';
import { OWN_REASONS, OWN_WRAPPERS } from './own-errors.js';

export interface KnownError extends Omit<KnownErrorRow, 'error' | 'reason'> {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  /** Reason if one of the service's own contracts throws it. */
  readonly reason?: FailReason;
  /** Reason if any other contract throws it. */
  readonly callReason?: CallReason;
}

/** By selector, lower case. */
export type ErrorRegistry = ReadonlyMap<Hex, KnownError>;

interface AbiError {
  readonly type: 'error';
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}

export const ERROR_STRING: Hex = toFunctionSelector('Error(string)');
export const PANIC: Hex = toFunctionSelector('Panic(uint256)');
const SOLIDITYS_OWN: ReadonlySet<Hex> = new Set([ERROR_STRING, PANIC]);

/** @param added by the deployer; takes the place of a known error with the same selector. */
export function errorRegistry(added: readonly KnownErrorRow[] = []): ErrorRegistry {
  return new Map([...KNOWN_ERRORS.map(entryOf), ...ownErrors(), ...added.map(entryOf)]);
}

/** Of an error's declaration, as in Solidity. @throws for anything else. */
export function parseError(declaration: string): AbiError {
  const item = parseAbiItem(declaration as 'error Named()') as { readonly type: string };
  if (item.type !== 'error') throw new Error(`declares no error but a ${item.type}`);
  return item as AbiError;
}

export function selectorOf(error: AbiError): Hex {
  return toFunctionSelector(formatAbiItem(error));
}

function entryOf({ error, reason, ...row }: KnownErrorRow): [Hex, KnownError] {
  const item = parseError(error);
  const { name, inputs } = item;
  return [selectorOf(item), { ...row, name, inputs, ...(reason && { reason, callReason: reason }) }];
}

function ownErrors(): readonly [Hex, KnownError][] {
  return errorsAbi
    .map((item): [Hex, KnownError] => {
      const { name, inputs } = item;
      const wraps = OWN_WRAPPERS[name];
      const reason = OWN_REASONS[name];
      return [
        selectorOf(item),
        { name, inputs, ...(wraps && { passesOn: true, ...wraps }), ...(reason && { reason }) },
      ];
    })
    .filter(([selector]) => !SOLIDITYS_OWN.has(selector));
}

/** Without additions of a deployer. */
export const WELL_KNOWN: ErrorRegistry = errorRegistry();
