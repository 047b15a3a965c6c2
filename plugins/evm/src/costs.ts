import type { CostEstimate, LegKind } from '@causeway/core';
import { isNative } from './addresses.js';
import type { GasConfig } from './chain-config.js';
import type { FeeSource } from './fees.js';

/**
 * Typical gas of our transactions, measured on the contracts in contracts/ with fresh recipients (first credit of
 * a token balance), rounded up. Quotes charge these; the real limit is estimated before sending.
 */
const LEG_GAS: Readonly<Partial<Record<LegKind, { readonly native: bigint; readonly token: bigint }>>> = {
  fill: { native: 90_000n, token: 115_000n },
  refund: { native: 100_000n, token: 110_000n },
  excess: { native: 100_000n, token: 110_000n },
  collect: { native: 95_000n, token: 95_000n },
};

/** Deposit, and for tokens the approval before it. */
const DEPOSIT_GAS = { native: 30_000n, token: 70_000n + 50_000n };

/** Native coin that one leg will cost us, buffered. Undefined for kinds this family does not serve or without a fee sample. */
export function legCost(fees: FeeSource, gas: GasConfig, kind: LegKind, currency: string): CostEstimate | undefined {
  const typical = LEG_GAS[kind];
  if (typical === undefined) return undefined;
  return priced(fees, isNative(currency) ? typical.native : typical.token, gas.costBuffer);
}

/**
 * Native coin that the payer will spend on the deposit steps.
 *
 * @param overhead gas that a smart wallet adds to each of its transactions.
 */
export function depositCost(fees: FeeSource, currency: string, overhead = 0n): CostEstimate | undefined {
  const gas = isNative(currency) ? DEPOSIT_GAS.native + overhead : DEPOSIT_GAS.token + 2n * overhead;
  return priced(fees, gas, 1000n);
}

function priced(fees: FeeSource, gas: bigint, perMille: bigint): CostEstimate | undefined {
  const sample = fees.sample();
  if (sample === undefined) return undefined;
  const wei = gas * (sample.baseFee + sample.priorityFee);
  return { native: (wei * perMille + 999n) / 1000n, at: sample.at };
}
