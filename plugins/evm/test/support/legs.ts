import type {
  CollectLeg,
  FillLeg,
  Hex,
  KeyView,
  LegInstruction,
  Prepared,
  RefundLeg,
  SignedTransaction,
} from '@causeway/core';
import type { EvmAdapter } from '../../src/evm-adapter.js';
import { fillSigner, orderId } from './world.js';

export const NATIVE = '0x0000000000000000000000000000000000000000';
const HOUR = 3600;

export const soon = (): number => Math.floor(Date.now() / 1000) + HOUR;

export function fillLeg(n: number, recipient: string, amount: bigint, currency = NATIVE, deadline = soon()): FillLeg {
  return {
    kind: 'fill',
    legId: `fill-${n}`,
    orderId: orderId(n),
    deadline,
    currency: currency.toLowerCase(),
    amount,
    recipient: recipient.toLowerCase(),
  };
}

export function refundLeg(
  adapter: EvmAdapter,
  n: number,
  recipient: string,
  amount: bigint,
  currency = NATIVE,
): RefundLeg {
  const fundingKey = `31337:${orderId(n)}:0`;
  const useKey: Hex = adapter.useKey(fundingKey, 'refund');
  const base = { currency: currency.toLowerCase(), amount, recipient: recipient.toLowerCase() };
  return { kind: 'refund', legId: `refund-${n}`, fundingKey, useKey, expiration: soon(), ...base };
}

export function collectLeg(adapter: EvmAdapter, n: number, amount: bigint, currency = NATIVE): CollectLeg {
  const useKey = adapter.useKey(`collect-${n}`, 'collect');
  const base = { currency: currency.toLowerCase(), amount, recipient: fillSigner.address };
  return { kind: 'collect', legId: `collect-${n}`, useKey, expiration: soon(), ...base };
}

export interface Attempt {
  readonly leg: LegInstruction | undefined;
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

export async function attempt(
  adapter: EvmAdapter,
  leg: LegInstruction | undefined,
  position?: string,
): Promise<Attempt> {
  const signer = fillSigner.address;
  const lane = { signer, position: position ?? (await adapter.keys.lanePosition(signer)) };
  const legs = leg === undefined ? [] : [{ leg, plan: await planOf(adapter, leg) }];
  const outcome = await adapter.prepare({ lane, legs });
  if (!outcome.ok) throw new Error(`${outcome.why}: ${outcome.message}`);
  return { leg, prepared: outcome.prepared, transaction: await adapter.sign(outcome.prepared, signer) };
}

export async function planOf(adapter: EvmAdapter, leg: LegInstruction): Promise<string> {
  const check = await adapter.check(leg, fillSigner.address);
  if (!check.ok) throw new Error(`${check.kind} ${check.reason}: ${check.message}`);
  return check.plan;
}

export async function replacement(adapter: EvmAdapter, before: Attempt, leg?: LegInstruction): Promise<Attempt> {
  const legs = leg === undefined ? [] : [{ leg, plan: await planOf(adapter, leg) }];
  const { key, fees } = before.prepared;
  const outcome = await adapter.replace({ key, signer: fillSigner.address, previousFees: fees, legs });
  if (!outcome.ok) throw new Error(`${outcome.why}: ${outcome.message}`);
  return { leg, prepared: outcome.prepared, transaction: await adapter.sign(outcome.prepared, fillSigner.address) };
}

export function viewOf(...attempts: readonly Attempt[]): KeyView {
  return {
    key: attempts[0]?.prepared.key ?? '',
    signer: fillSigner.address,
    attempts: attempts.map(({ leg, transaction }) => ({
      hash: transaction.hash,
      legs: leg === undefined ? [] : [leg],
    })),
  };
}
