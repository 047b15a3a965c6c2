import type { CostEstimate, Hex, LegKind } from '@causeway/core';
import { isNative } from './addresses.js';
import { AUTHORIZATION_BYTES } from './authorizations.js';
import type { GasConfig } from './chain-config.js';
import type { FeeSource } from './fees.js';

/**
 * Measured on contracts/ with fresh recipients (first credit of a token balance), rounded up. Quotes charge it where
 * no third party's code affects gas.
 */
const LEG_GAS: Readonly<Partial<Record<LegKind, { readonly native: bigint; readonly token: bigint }>>> = {
  fill: { native: 90_000n, token: 115_000n },
  refund: { native: 100_000n, token: 110_000n },
  excess: { native: 100_000n, token: 110_000n },
  collect: { native: 95_000n, token: 95_000n },
  sweep: { native: 110_000n, token: 120_000n },
};

const DEPOSIT_GAS = { native: 30_000n, token: 70_000n + 50_000n };

/** Buffer in parts per thousand, rounded up. */
export function withBuffer(gas: bigint, perMille: bigint): bigint {
  return (gas * perMille + 999n) / 1000n;
}

export function typicalWork(gas: GasConfig, kind: LegKind, currency: string): bigint | undefined {
  const typical = typicalGas(kind, currency);
  return typical && withBuffer(typical, gas.costBuffer);
}

function typicalGas(kind: LegKind, currency: string): bigint | undefined {
  return LEG_GAS[kind]?.[isNative(currency) ? 'native' : 'token'];
}

const ENVELOPE_BYTES = 180;
const LEG_BYTES: Readonly<Partial<Record<LegKind, number>>> = {
  fill: 350,
  refund: 510,
  excess: 510,
  collect: 510,
  sweep: 250,
};
const DEPOSIT_BYTES = { native: 250, token: 560 };

export function bytesOf(data: Hex, authorizations = 0): number {
  return ENVELOPE_BYTES + data.length / 2 - 1 + authorizations * AUTHORIZATION_BYTES;
}

export function typicalWorkNow(fees: FeeSource, gas: GasConfig, kind: LegKind, currency: string): bigint | undefined {
  const [typical, data] = [typicalWork(gas, kind, currency), fees.dataFee(LEG_BYTES[kind] ?? 0)];
  return typical === undefined || data === undefined ? undefined : typical + withBuffer(data.gas, gas.costBuffer);
}

/**
 * Native coin, buffered. Undefined for unsupported kinds or without a fee sample.
 *
 * @param needed gas that earlier movements of this kind needed.
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
  return kind === 'collect' || kind === 'sweep' ? cost && withoutBound(fees, gas, kind, currency, cost) : cost;
}

/** The lane pays this itself: only the gas limit, with its own buffer, bounds it. */
function withoutBound(
  fees: FeeSource,
  gas: GasConfig,
  kind: LegKind,
  currency: string,
  cost: CostEstimate,
): CostEstimate {
  const bytes = LEG_BYTES[kind] ?? 0;
  const used = (typicalGas(kind, currency) ?? 0n) + (fees.dataFee(bytes)?.gas ?? 0n);
  const most = max(cost.most ?? 0n, costOfWork(fees, gas, withBuffer(used, gas.limitBuffer), bytes)?.most ?? 0n);
  return { native: cost.native, most, at: cost.at };
}

/**
 * @param work gas, including gas charged for bytes.
 * @param bytes of the transaction, for data fees outside of gas.
 */
export function costOfWork(fees: FeeSource, gas: GasConfig, work: bigint, bytes: number): CostEstimate | undefined {
  const [sample, terms, data] = [fees.sample(), fees.terms(), fees.dataFee(bytes)];
  if (sample === undefined || terms === undefined || data === undefined) return undefined;
  const offered = terms === 'feeCap' ? gas.maxFeePerGas : terms.maxFeePerGas;
  const extra = withBuffer(data.native, gas.costBuffer);
  const native = /* guard: data-fees */ work * (sample.baseFee + sample.priorityFee) + extra;
  return { native, work, most: work * offered + mostDataFee(fees, bytes), at: sample.at };
}

/** Twice the current fee, which may rise until inclusion. 0 if unknown. */
export function mostDataFee(fees: FeeSource, bytes: number): bigint {
  return 2n * (fees.dataFee(bytes)?.native ?? 0n);
}

/**
 * Native coin.
 *
 * @param overhead gas that a smart wallet adds to each transaction.
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
