import { SeededRandom } from '@causeway/core/testing';

/** The shape of a busy ledger: users, integrators and chains follow power laws, and some existed only for a time. */
export interface BenchToken {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly group: string;
}

export interface BenchChain {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const MAJORS: readonly BenchToken[] = [
  { symbol: 'USDC', name: 'USD Coin', decimals: 6, group: 'usd-coin' },
  { symbol: 'USDT', name: 'Tether USD', decimals: 6, group: 'tether' },
  { symbol: 'DAI', name: 'Dai Stablecoin', decimals: 18, group: 'dai' },
];

export const TOKENS: readonly BenchToken[] = [
  ...MAJORS,
  ...Array.from({ length: 40 }, (_, n) => ({
    symbol: `TOK${n}`,
    name: `Token ${n}`,
    decimals: n % 2 === 0 ? 18 : 8,
    group: `token-${n}`,
  })),
];

export const NATIVE = `0x${'0'.repeat(40)}`;

/** Most used first. The last launched recently; the one before it is no longer served. */
export const CHAINS: readonly BenchChain[] = Array.from({ length: 12 }, (_, n) => ({
  id: 9_000 + n,
  name: `bench-${n}`,
  from: n === 11 ? 0.97 : 0,
  to: n === 10 ? 0.3 : 1,
}));

/** `-1` is the native coin. Digits only, so that no checksum applies. */
export function currencyOf(chain: number, token: number): string {
  return token < 0 ? NATIVE : `0x${String((token + 1) * 100_000 + chain).padStart(40, '0')}`;
}

/** A power-law index into a list of `length`, the first by far the most common; `skew` 1 is uniform. */
export function ranked(random: SeededRandom, length: number, skew: number): number {
  return Math.floor(length * random.fraction() ** skew);
}

const WALLETS = 200_000;
const hex = (kind: string, n: number, bytes: number) =>
  `0x${kind}${n.toString(16).padStart(bytes * 2 - kind.length, '0')}`;

/** The first is a bot with about 1.7 % of everything; half of all wallets have one or two requests. */
export function wallet(rank: number): string {
  return hex('ab', rank, 20);
}

export function anyWallet(random: SeededRandom): string {
  return wallet(ranked(random, WALLETS, 3));
}

export interface Integrator {
  readonly keyId: string;
  readonly referrers: readonly string[];
  readonly from: number;
  readonly to: number;
}

export const INTEGRATORS: readonly Integrator[] = Array.from({ length: 200 }, (_, n) => ({
  keyId: `key-${n}`,
  referrers: Array.from({ length: 1 + (n % 4) }, (_, at) => `shop-${n}-${at}`),
  from: n % 5 === 3 ? 0.9 : 0,
  to: n % 5 === 4 ? 0.2 : 1,
}));

export function present<T extends { readonly from: number; readonly to: number }>(
  random: SeededRandom,
  list: readonly T[],
  at: number,
  skew: number,
): T {
  for (;;) {
    const found = list[ranked(random, list.length, skew)] as T;
    if (at >= found.from && at <= found.to) return found;
  }
}

export function digest(kind: string, n: number): `0x${string}` {
  return new SeededRandom(`${kind} ${n}`).hex(32);
}
