import type { CostEstimate, PayerSwapCosts } from '@causeway/core';
import { isNative } from '../addresses.js';
import type { FeeSource } from '../fees.js';

/** Typical gas measured on the contracts (`contracts/gas.md`), rounded up. */
const GAS = {
  approve: 50_000n,
  send: { native: 45_000n, token: 60_000n },
  /** In addition to the calls. */
  swap: { native: 90_000n, token: 115_000n },
  deposit: { native: 120_000n, token: 145_000n },
} as const;

const BYTES = { approve: 250, send: 750, swap: 1_700, deposit: 1_700 } as const;

export function payerSwapCost(
  fees: FeeSource,
  { input, work, deposits, overhead = 0n }: PayerSwapCosts,
): CostEstimate | undefined {
  const native = isNative(input);
  const kind = deposits ? 'deposit' : work === 0n ? 'send' : 'swap';
  const own = GAS[kind][native ? 'native' : 'token'] + work + overhead;
  const gas = native ? own : own + GAS.approve + overhead;
  const [sample, data] = [fees.sample(), fees.dataFee(BYTES[kind] + (native ? 0 : BYTES.approve))];
  if (sample === undefined || data === undefined) return undefined;
  return { native: (gas + data.gas) * (sample.baseFee + sample.priorityFee) + data.native, at: sample.at };
}
