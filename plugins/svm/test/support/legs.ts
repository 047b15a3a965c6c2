import { randomBytes } from 'node:crypto';
import {
  type ChainAdapter,
  type CollectLeg,
  type FillLeg,
  type Hex,
  type LegInstruction,
  laneThatSends,
  type Prepared,
  type RefundLeg,
  type SignedTransaction,
} from '@causeway/core';
import { Keypair } from '@solana/web3.js';
import type { LegPlan } from '../../src/transactions/build.js';

export function anyId(): Hex {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function anyAddress(): string {
  return Keypair.generate().publicKey.toBase58();
}

export function fillLeg(
  currency: string,
  amount: bigint,
  recipient = anyAddress(),
  more: Partial<FillLeg> = {},
): FillLeg {
  const deadline = Math.floor(Date.now() / 1_000) + 600;
  return { kind: 'fill', legId: 'fill', orderId: anyId(), currency, amount, recipient, deadline, ...more };
}

export function refundLeg(currency: string, amount: bigint, recipient = anyAddress()): RefundLeg {
  const expiration = Math.floor(Date.now() / 1_000) + 600;
  const base = { legId: 'refund', fundingKey: 'funding', useKey: anyId(), expiration };
  return { kind: 'refund', ...base, currency, amount, recipient };
}

export function collectLeg(currency: string, amount: bigint, recipient: string): CollectLeg {
  const expiration = Math.floor(Date.now() / 1_000) + 600;
  return { kind: 'collect', legId: 'collect', useKey: anyId(), expiration, currency, amount, recipient };
}

export interface Attempt {
  readonly leg: LegInstruction;
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

export async function signed(
  adapter: ChainAdapter,
  leg: LegInstruction,
  more: Partial<LegPlan> = {},
): Promise<Attempt> {
  const signer = signerFor(adapter, leg);
  const check = await adapter.check(leg, signer);
  if (!check.ok) throw new Error(`${check.reason}: ${check.message}`);
  const position = await adapter.keys.lanePosition(signer);
  const plan = JSON.stringify({ ...JSON.parse(check.plan), ...more });
  const outcome = await adapter.prepare({ lane: { signer, position }, legs: [{ leg, plan }] });
  if (!outcome.ok) throw new Error(outcome.message);
  return { leg, prepared: outcome.prepared, transaction: await adapter.sign(outcome.prepared, signer) };
}

function signerFor({ lanes }: ChainAdapter, { kind }: LegInstruction): string {
  return laneThatSends(lanes, kind)?.signer ?? '';
}

export async function lookAt(adapter: ChainAdapter, { leg, prepared, transaction }: Attempt) {
  const signer = signerFor(adapter, leg);
  const [evidence] = await adapter.look([
    { key: prepared.key, signer, attempts: [{ hash: transaction.hash, legs: [leg] }] },
  ]);
  if (evidence === undefined) throw new Error('no answer');
  return evidence;
}

export async function eventually<T>(what: () => Promise<T>, good: (value: T) => boolean, within = 45_000): Promise<T> {
  const until = Date.now() + within;
  for (;;) {
    const value = await what();
    if (good(value)) return value;
    if (Date.now() > until) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface SharedAttempt {
  readonly legs: readonly LegInstruction[];
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

export async function signedTogether(adapter: ChainAdapter, legs: readonly LegInstruction[]): Promise<SharedAttempt> {
  const signer = adapter.lanes[0]?.signer ?? '';
  const checks = await adapter.checkTogether?.(legs, signer);
  if (checks === undefined) throw new Error('they do not go together');
  const plans = legs.map((leg, n) => ({ leg, plan: checks[n]?.plan ?? '' }));
  const position = await adapter.keys.lanePosition(signer);
  const outcome = await adapter.prepare({ lane: { signer, position }, legs: plans });
  if (!outcome.ok) throw new Error(outcome.message);
  const { prepared } = outcome;
  return { legs: legs.slice(0, prepared.carries), prepared, transaction: await adapter.sign(prepared, signer) };
}

export async function lookAtShared(adapter: ChainAdapter, { legs, prepared, transaction }: SharedAttempt) {
  const signer = adapter.lanes[0]?.signer ?? '';
  const [evidence] = await adapter.look([{ key: prepared.key, signer, attempts: [{ hash: transaction.hash, legs }] }]);
  if (evidence === undefined) throw new Error('no answer');
  return evidence;
}
