import type { AddressType } from '../addresses.js';
import { feeOf, vsizeOf, weightWith } from '../transactions/sizes.js';
import type { PayerCoin } from './payer-coins.js';

/** Types of outputs whose payers we make transactions for. */
export type PayerType = Exclude<AddressType, 'p2wsh'>;

export interface CoinWish {
  readonly type: PayerType;
  /** Satoshis that the first output gets. */
  readonly amount: bigint;
  /** Scripts of the outputs that are there in any case. */
  readonly outputs: readonly Uint8Array[];
  /** Script that change goes to. */
  readonly change: Uint8Array;
  /** Least change that nodes relay. */
  readonly dust: bigint;
  /** Satoshis per 1,000 vbytes. */
  readonly rate: bigint;
  readonly most: number;
}

export type Selected =
  | { readonly ok: true; readonly coins: readonly PayerCoin[]; readonly change: bigint }
  /** `many`: there is enough, in more outputs than one transaction should spend. */
  | { readonly ok: false; readonly why: 'short' | 'many' };

/** A signature with its type of hash, at most; a public key; each with its length. */
const SIGNED = 1 + 72 + 1 + 33;

/** Weight units of an input: outpoint, script and sequence count four times, witnesses once. */
const INPUT: Readonly<Record<PayerType, { readonly weight: number; readonly witness: boolean }>> = {
  p2pkh: { weight: 4 * (36 + 1 + SIGNED + 4), witness: false },
  p2sh: { weight: 4 * (36 + 1 + 23 + 4) + 1 + SIGNED, witness: true },
  p2wpkh: { weight: 4 * (36 + 1 + 4) + 1 + SIGNED, witness: true },
  p2tr: { weight: 4 * (36 + 1 + 4) + 1 + 1 + 64, witness: true },
};

/**
 * As few outputs as pay for the amount and the fee, the largest first; in place of the last one, the smallest that still
 * does. Change that nodes would not relay goes to the fee.
 *
 * Takes the time of sorting what there is: anybody may ask for a payer with tens of thousands of outputs.
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
    // At least the one that was just counted does.
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
