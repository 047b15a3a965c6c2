import type { Hex } from '@causeway/core';
import type { OurCall } from './calls.js';
import type { GasConfig } from './chain-config.js';
import { bytesOf, withBuffer } from './costs.js';
import { distinct, mostGas, type SweepShare, sweepMany } from './deposit-addresses/sweep-call.js';
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
}

type Limited = OurCall & { readonly gas: bigint };

/**
 * Undefined while the data fee is unknown.
 *
 * Invariant: the gas limit leaves each share the gas that it names, whatever earlier ones use; otherwise the contract
 * reverts.
 */
export function sharedCall(
  { router, ...deps }: Deps & { readonly router: Hex },
  shares: readonly Share[],
): Limited | undefined {
  return limited(
    deps,
    fillMany(router, shares),
    shares.map(({ gas }) => gas),
  );
}

/** The same for sweeps, each of which may take what the most expensive one needs. */
export function sharedSweep(
  { depositAddresses, ...deps }: Deps & { readonly depositAddresses: Hex },
  shares: readonly SweepShare[],
): Limited | undefined {
  const pairs = distinct(shares);
  const each = mostGas(pairs);
  return limited(
    deps,
    sweepMany(depositAddresses, pairs),
    pairs.map(() => each),
  );
}

function limited({ fees, gas }: Deps, call: OurCall, shares: readonly bigint[]): Limited | undefined {
  const data = fees.dataFee(bytesOf(call.data));
  if (data === undefined) return undefined;
  const own = shares.reduce((sum, share) => sum + share + EACH_GAS, 0n);
  const most = shares.reduce((greatest, share) => (share > greatest ? share : greatest), 0n);
  // A call receives at most 63/64 of the remaining gas (EIP-150).
  const bytes = BYTE_GAS * BigInt(bytesOf(call.data)) + withBuffer(data.gas, gas.limitBuffer);
  return { ...call, gas: ALL_GAS + own + most / 63n + bytes };
}
