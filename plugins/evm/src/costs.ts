import type { CostEstimate, LegKind } from '@causeway/core';
import { isNative } from './addresses.js';
import type { GasConfig } from './chain-config.js';
import type { FeeSource } from './fees.js';

/**
 * Typical gas of our transactions, measured on the contracts in contracts/ with fresh recipients (first credit of
 * a token balance), rounded up. Quotes charge these where nobody but us decides; the real limit is estimated before sending.
 */
const LEG_GAS: Readonly<Partial<Record<LegKind, { readonly native: bigint; readonly token: bigint }>>> = {
  fill: { native: 90_000n, token: 115_000n },
  refund: { native: 100_000n, token: 110_000n },
  excess: { native: 100_000n, token: 110_000n },
  collect: { native: 95_000n, token: 95_000n },
};

/** Deposit, and for tokens the approval before it. */
const DEPOSIT_GAS = { native: 30_000n, token: 70_000n + 50_000n };

/** Gas with a buffer (parts per thousand) on it, rounded up. */
export function withBuffer(gas: bigint, perMille: bigint): bigint {
  return (gas * perMille + 999n) / 1000n;
}

/** Gas that a leg of this kind is charged for where nothing is known of its recipient. */
export function typicalWork(gas: GasConfig, kind: LegKind, currency: string): bigint | undefined {
  const typical = typicalGas(kind, currency);
  return typical && withBuffer(typical, gas.costBuffer);
}

function typicalGas(kind: LegKind, currency: string): bigint | undefined {
  return LEG_GAS[kind]?.[isNative(currency) ? 'native' : 'token'];
}

/**
 * Native coin that one leg will cost us, buffered. Undefined for kinds this family does not serve or without a fee sample.
 *
 * @param needed gas that movements like this one were found to need.
 */
export function legCost(
  fees: FeeSource,
  gas: GasConfig,
  kind: LegKind,
  currency: string,
  needed = 0n,
): CostEstimate | undefined {
  const typical = typicalWork(gas, kind, currency);
  if (typical === undefined) return undefined;
  const cost = costOfWork(fees, gas, max(needed, typical));
  return kind === 'collect' ? cost && withoutBound(fees, gas, currency, cost) : cost;
}

/** The lane pays itself: nothing but the limit, which has a buffer of its own, bounds what that takes. */
function withoutBound(fees: FeeSource, gas: GasConfig, currency: string, cost: CostEstimate): CostEstimate {
  const limit = withBuffer(typicalGas('collect', currency) ?? 0n, gas.limitBuffer);
  const most = max(cost.most ?? 0n, costOfWork(fees, gas, limit)?.most ?? 0n);
  return { native: cost.native, most, at: cost.at };
}

/** What a transaction that may use so much gas is charged for, and the most that it can cost. */
export function costOfWork(fees: FeeSource, gas: GasConfig, work: bigint): CostEstimate | undefined {
  const sample = fees.sample();
  const terms = fees.terms();
  if (sample === undefined || terms === undefined) return undefined;
  const offered = terms === 'feeCap' ? gas.maxFeePerGas : terms.maxFeePerGas;
  return { native: work * (sample.baseFee + sample.priorityFee), work, most: work * offered, at: sample.at };
}

/**
 * Native coin that the payer will spend on the deposit steps.
 *
 * @param overhead gas that a smart wallet adds to each of its transactions.
 */
export function depositCost(fees: FeeSource, currency: string, overhead = 0n): CostEstimate | undefined {
  const gas = isNative(currency) ? DEPOSIT_GAS.native + overhead : DEPOSIT_GAS.token + 2n * overhead;
  const sample = fees.sample();
  return sample && { native: gas * (sample.baseFee + sample.priorityFee), at: sample.at };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
