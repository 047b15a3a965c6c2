import { fakeAddress } from './cheap-hash.js';
import type { Execution } from './execution.js';

export interface FakeSwap {
  readonly input: string;
  readonly output: string;
  readonly amount: bigint;
  readonly least: bigint;
}

export interface Reserves {
  readonly input: bigint;
  readonly output: bigint;
}

/** Pool fee in thousandths of the input. */
const FEE = 3n;
const FEE_DENOMINATOR = 1_000n;

export function poolAddress(chainId: number, one: string, other: string): string {
  return fakeAddress(`pool:${chainId}:${[one, other].sort().join()}`);
}

export function reservesOf(state: Execution, { input, output }: Pick<FakeSwap, 'input' | 'output'>): Reserves {
  const pool = poolAddress(state.contracts.chainId, input, output);
  return { input: state.balance(pool, input), output: state.balance(pool, output) };
}

/** Constant-product output, never the whole reserve. */
export function outputFor(reserves: Reserves, amount: bigint): bigint {
  const taken = amount * (FEE_DENOMINATOR - FEE);
  const whole = reserves.input * FEE_DENOMINATOR + taken;
  return whole === 0n ? 0n : (taken * reserves.output) / whole;
}

/** Minimum input for an output; undefined above the reserve. */
export function inputFor(reserves: Reserves, amount: bigint): bigint | undefined {
  if (amount >= reserves.output) return undefined;
  return (reserves.input * amount * FEE_DENOMINATOR) / ((reserves.output - amount) * (FEE_DENOMINATOR - FEE)) + 1n;
}
