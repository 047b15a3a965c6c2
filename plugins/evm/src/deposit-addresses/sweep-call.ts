import type { Hex, SweepLeg } from '@causeway/core';
import { toFunctionSelector } from 'viem/utils';
import { depositAddressesAbi } from '../abi.js';
import type { OurCall } from '../calls.js';
import { addressWord, idWord, uintWord } from '../words.js';

const SWEEP_ONE = toFunctionSelector(depositAddressesAbi[0]);
const SWEEP = toFunctionSelector(depositAddressesAbi[1]);

/** One sweep; `gas` is the maximum that it may use in a transaction of several. */
export interface SweepShare {
  readonly leg: SweepLeg;
  readonly gas: bigint;
}

/** Reverts with the reason of a sweep that fails. */
export function sweepCall({ from, currency }: SweepLeg, factory: Hex): OurCall {
  return { to: factory, data: `${SWEEP_ONE}${idWord(from.salt)}${addressWord(currency)}`, value: 0n };
}

/** Leaves out sweeps that fail. */
export function sweepMany(factory: Hex, shares: readonly SweepShare[]): OurCall {
  const pairs = distinct(shares);
  const size = uintWord(pairs.length);
  const words = [
    uintWord(3 * 32),
    uintWord((4 + pairs.length) * 32),
    uintWord(mostGas(pairs)),
    size,
    ...pairs.map(({ leg }) => idWord(leg.from.salt)),
    size,
    ...pairs.map(({ leg }) => addressWord(leg.currency)),
  ];
  return { to: factory, data: `${SWEEP}${words.join('')}`, value: 0n };
}

/** Transfers to one address in one currency are swept together. */
export function distinct(shares: readonly SweepShare[]): readonly SweepShare[] {
  const pairs = new Map<string, SweepShare>();
  for (const share of shares) {
    const known = pairs.get(pairOf(share.leg));
    if (known === undefined || known.gas < share.gas) pairs.set(pairOf(share.leg), share);
  }
  return [...pairs.values()];
}

export function pairOf({ from, currency }: SweepLeg): string {
  return `${from.salt}:${currency}`;
}

export function mostGas(shares: readonly SweepShare[]): bigint {
  return shares.reduce((most, { gas }) => (gas > most ? gas : most), 0n);
}
