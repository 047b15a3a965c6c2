import type { Hex } from '@causeway/core';
import type { OurCall } from './calls.js';
import type { GasConfig } from './chain-config.js';
import { bytesOf, withBuffer } from './costs.js';
import type { FeeSource } from './fees.js';
import { fillMany, type Share } from './shares.js';

/** Gas of a batch in addition to its fills: base cost, check of the sender, return of leftovers. */
const ALL_GAS = 65_000n;
/** Gas per fill in addition to its call: calldata, and the skip event with the longest reason. */
const EACH_GAS = 16_000n;
const BYTE_GAS = 16n;

interface Deps {
  readonly fees: FeeSource;
  readonly gas: GasConfig;
  readonly router: Hex;
}

/**
 * Undefined while the data fee is unknown.
 *
 * Invariant: the gas limit leaves each fill the gas that it names, whatever earlier fills use; otherwise the router
 * reverts.
 */
export function sharedCall(
  { fees, gas, router }: Deps,
  shares: readonly Share[],
): (OurCall & { readonly gas: bigint }) | undefined {
  const call = fillMany(router, shares);
  const data = fees.dataFee(bytesOf(call.data));
  if (data === undefined) return undefined;
  const own = shares.reduce((sum, share) => sum + share.gas + EACH_GAS, 0n);
  const most = shares.reduce((greatest, share) => (share.gas > greatest ? share.gas : greatest), 0n);
  // A call receives at most 63/64 of the remaining gas (EIP-150).
  const bytes = BYTE_GAS * BigInt(bytesOf(call.data)) + withBuffer(data.gas, gas.limitBuffer);
  return { ...call, gas: ALL_GAS + own + most / 63n + bytes };
}
