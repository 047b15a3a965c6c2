import type { CostEstimate, Hex, LegKind } from '@causeway/core';
import { isNative } from './addresses.js';
import { AUTHORIZATION_BYTES } from './authorizations.js';
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

/** Bytes of a signed transaction of ours beside its calldata, rounded up. */
const ENVELOPE_BYTES = 180;
/** Bytes of our transactions; calls of an order come on top. */
const LEG_BYTES: Readonly<Partial<Record<LegKind, number>>> = { fill: 350, refund: 510, excess: 510, collect: 510 };
const DEPOSIT_BYTES = { native: 250, token: 560 };

/** Bytes of a transaction with this calldata, and so many authorizations. */
export function bytesOf(data: Hex, authorizations = 0): number {
  return ENVELOPE_BYTES + data.length / 2 - 1 + authorizations * AUTHORIZATION_BYTES;
}

/** Gas that a leg of this kind is charged for on this chain at the moment, its bytes included. */
export function typicalWorkNow(fees: FeeSource, gas: GasConfig, kind: LegKind, currency: string): bigint | undefined {
  const [typical, data] = [typicalWork(gas, kind, currency), fees.dataFee(LEG_BYTES[kind] ?? 0)];
  return typical === undefined || data === undefined ? undefined : typical + withBuffer(data.gas, gas.costBuffer);
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
  const typical = typicalWorkNow(fees, gas, kind, currency);
  if (typical === undefined) return undefined;
  const cost = costOfWork(fees, gas, max(needed, typical), LEG_BYTES[kind] ?? 0);
  return kind === 'collect' ? cost && withoutBound(fees, gas, currency, cost) : cost;
}

/** The lane pays itself: nothing but the limit, which has a buffer of its own, bounds what that takes. */
function withoutBound(fees: FeeSource, gas: GasConfig, currency: string, cost: CostEstimate): CostEstimate {
  const bytes = LEG_BYTES.collect ?? 0;
  const used = (typicalGas('collect', currency) ?? 0n) + (fees.dataFee(bytes)?.gas ?? 0n);
  const most = max(cost.most ?? 0n, costOfWork(fees, gas, withBuffer(used, gas.limitBuffer), bytes)?.most ?? 0n);
  return { native: cost.native, most, at: cost.at };
}

/**
 * What a transaction that may use so much gas is charged for, and the most that it can cost.
 *
 * @param work gas, with whatever its bytes take as gas.
 * @param bytes of the transaction, for what they cost beside gas.
 */
export function costOfWork(fees: FeeSource, gas: GasConfig, work: bigint, bytes: number): CostEstimate | undefined {
  const [sample, terms, data] = [fees.sample(), fees.terms(), fees.dataFee(bytes)];
  if (sample === undefined || terms === undefined || data === undefined) return undefined;
  const offered = terms === 'feeCap' ? gas.maxFeePerGas : terms.maxFeePerGas;
  const beside = withBuffer(data.native, gas.costBuffer);
  const native = work * (sample.baseFee + sample.priorityFee) + beside;
  return { native, work, most: work * offered + mostDataFee(fees, bytes), at: sample.at };
}

/** Twice what it is now: the other chain's fees may rise until it lands. 0 where it is not known. */
export function mostDataFee(fees: FeeSource, bytes: number): bigint {
  return 2n * (fees.dataFee(bytes)?.native ?? 0n);
}

/**
 * Native coin that the payer will spend on the deposit steps.
 *
 * @param overhead gas that a smart wallet adds to each of its transactions.
 */
export function depositCost(fees: FeeSource, currency: string, overhead = 0n): CostEstimate | undefined {
  const gas = isNative(currency) ? DEPOSIT_GAS.native + overhead : DEPOSIT_GAS.token + 2n * overhead;
  const [sample, data] = [fees.sample(), fees.dataFee(isNative(currency) ? DEPOSIT_BYTES.native : DEPOSIT_BYTES.token)];
  if (sample === undefined || data === undefined) return undefined;
  return { native: (gas + data.gas) * (sample.baseFee + sample.priorityFee) + data.native, at: sample.at };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
