import type { Hex } from '@causeway/core';
import type { OurCall } from './calls.js';
import type { GasConfig } from './chain-config.js';
import { bytesOf, withBuffer } from './costs.js';
import type { FeeSource } from './fees.js';
import { fillMany, type Share } from './shares.js';

/** Gas of a transaction beside its fills: what every one takes, the look at who sends it, what came back sent on. */
const ALL_GAS = 65_000n;
/** Gas of one of several fills beside its call: being told, and being told of with the longest reason where it is left out. */
const EACH_GAS = 16_000n;
const BYTE_GAS = 16n;

interface Deps {
  readonly fees: FeeSource;
  readonly gas: GasConfig;
  readonly router: Hex;
}

/**
 * The transaction that makes several fills; undefined while it is not known what its bytes take.
 *
 * Invariant: its gas limit leaves each fill the gas that it names, whatever the fills before it take: the router stops as a
 * whole where it does not.
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
  // A call is given at most 63 of 64 parts of what is left.
  const bytes = BYTE_GAS * BigInt(bytesOf(call.data)) + withBuffer(data.gas, gas.limitBuffer);
  return { ...call, gas: ALL_GAS + own + most / 63n + bytes };
}
