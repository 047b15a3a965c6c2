import type { AddressType } from '../addresses.js';
import { feeOf, vsizeOf, weightWith } from '../transactions/sizes.js';
import type { PayerCoin } from './payer-coins.js';

/** Supported payer types. */
export type PayerType = Exclude<AddressType, 'p2wsh'>;

export interface CoinWish {
  readonly type: PayerType;
  readonly amount: bigint;
  readonly outputs: readonly Uint8Array[];
  readonly change: Uint8Array;
  readonly dust: bigint;
  /** Satoshis per 1,000 vbytes. */
  readonly rate: bigint;
  readonly most: number;
}

export type Selected =
  | { readonly ok: true; readonly coins: readonly PayerCoin[]; readonly change: bigint }
  /** `many`: sufficient, but in too many outputs for one transaction. */
  | { readonly ok: false; readonly why: 'short' | 'many' };

/** Largest signature with hash type, and public key, each with its length. */
const SIGNED = 1 + 72 + 1 + 33;

/** Weight units: outpoint, script and sequence count four times, witnesses once. */
const INPUT: Readonly<Record<PayerType, { readonly weight: number; readonly witness: boolean }>> = {
  p2pkh: { weight: 4 * (36 + 1 + SIGNED + 4), witness: false },
  p2sh: { weight: 4 * (36 + 1 + 23 + 4) + 1 + SIGNED, witness: true },
  p2wpkh: { weight: 4 * (36 + 1 + 4) + 1 + SIGNED, witness: true },
  p2tr: { weight: 4 * (36 + 1 + 4) + 1 + 1 + 64, witness: true },
};

/**
 * The fewest outputs that cover amount and fee, largest first; the last one is replaced by the smallest that
 * suffices. Change below the dust limit goes to the fee.
 *
 * O(n log n): anyone may name a payer with tens of thousands of outputs.
 */
export function selectCoins(wish: CoinWish, coins: readonly PayerCoin[]): Selected {
  const { amount, most } = wish;
  const sorted = [...coins].sort((a, b) => (a.value === b.value ? 0 : a.value > b.value ? -1 : 1));
  let held = 0n;
  for (const [n, { value }] of sorted.entries()) {
    if (n === most) return { ok: false, why: 'many' };
    const needed = amount + feeFor(wish, n + 1, wish.outputs);
    held += value;
    if (held < needed) continue;
    const before = held - value;
    const last = sorted.findLast((one) => before + one.value >= needed) as PayerCoin;
    const rest = before + last.value - amount - feeFor(wish, n + 1, [...wish.outputs, wish.change]);
    return { ok: true, coins: [...sorted.slice(0, n), last], change: rest >= wish.dust ? rest : 0n };
  }
  return { ok: false, why: 'short' };
}

function feeFor({ type, rate }: CoinWish, inputs: number, outputs: readonly Uint8Array[]): bigint {
  const { weight, witness } = INPUT[type];
  return feeOf(vsizeOf(weightWith({ count: inputs, weight: inputs * weight, witness }, outputs)), rate);
}
