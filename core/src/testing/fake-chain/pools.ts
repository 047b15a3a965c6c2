import { fakeAddress } from './cheap-hash.js';
import type { Execution } from './execution.js';

/** A swap in the pool of two currencies. */
export interface FakeSwap {
  readonly input: string;
  readonly output: string;
  /** All of it goes in, smallest unit. */
  readonly amount: bigint;
  /** Less may not come out. */
  readonly least: bigint;
}

/** What both sides of a pool hold, input first. */
export interface Reserves {
  readonly input: bigint;
  readonly output: bigint;
}

/** Kept by the pool of what goes in, thousandths. */
const FEE = 3n;
const WHOLE = 1_000n;

/** The account that holds the liquidity of two currencies, in whatever order. There is one for each two that somebody funds. */
export function poolAddress(chainId: number, one: string, other: string): string {
  return fakeAddress(`pool:${chainId}:${[one, other].sort().join()}`);
}

export function reservesOf(state: Execution, { input, output }: Pick<FakeSwap, 'input' | 'output'>): Reserves {
  const pool = poolAddress(state.contracts.chainId, input, output);
  return { input: state.balance(pool, input), output: state.balance(pool, output) };
}

/** What comes out for so much, by a constant product; never all that there is. */
export function outputFor(reserves: Reserves, amount: bigint): bigint {
  const taken = amount * (WHOLE - FEE);
  const whole = reserves.input * WHOLE + taken;
  return whole === 0n ? 0n : (taken * reserves.output) / whole;
}

/** The least that brings so much; undefined where there is not so much. */
export function inputFor(reserves: Reserves, amount: bigint): bigint | undefined {
  if (amount >= reserves.output) return undefined;
  return (reserves.input * amount * WHOLE) / ((reserves.output - amount) * (WHOLE - FEE)) + 1n;
}
