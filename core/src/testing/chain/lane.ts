import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRef } from '../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId, UnixSeconds } from '../../contract/ids.js';
import {
  type CollectLeg,
  type FillLeg,
  type KeyEvidence,
  type KeyView,
  type LegCheck,
  type LegInstruction,
  type LegKind,
  laneThatSends,
  type Prepared,
  type PrepareInput,
  type PrepareOutcome,
  type RefundLeg,
  type SignedTransaction,
  type SweepLeg,
} from '../../contract/legs.js';
import type { ChainHarness } from './chain-harness.js';
import { amountOf, deadlineIn, firstCurrency, freshOrder, freshRecipient, until, unused } from './chain-tools.js';

/** A signed, unsent transaction: all that a service makes durable before it sends. */
export interface Attempt {
  readonly signer: string;
  readonly legs: readonly LegInstruction[];
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

export type Spent = Extract<KeyEvidence, { state: 'spent' }>;

export interface FillWish {
  readonly currency?: string;
  readonly amount?: bigint;
  readonly recipient?: string;
  readonly orderId?: OrderId;
  readonly deadline?: UnixSeconds;
}

/** The lanes of an adapter with the ledger's positions. Methods without a kind concern the filling lane. */
export class Lane {
  readonly adapter: ChainAdapter;
  readonly signer: string;
  readonly #harness: ChainHarness;
  readonly #positions: Map<string, string>;

  private constructor(harness: ChainHarness, adapter: ChainAdapter, positions: Map<string, string>) {
    this.#harness = harness;
    this.adapter = adapter;
    this.signer = signerOf(adapter, 'fill');
    this.#positions = positions;
  }

  static async at(harness: ChainHarness, adapter: ChainAdapter): Promise<Lane> {
    const positions = new Map<string, string>();
    for (const { signer } of adapter.lanes) positions.set(signer, await adapter.keys.lanePosition(signer));
    return new Lane(harness, adapter, positions);
  }

  in(adapter: ChainAdapter): Lane {
    return new Lane(this.#harness, adapter, new Map(this.#positions));
  }

  get position(): string {
    return this.positionOf(this.signer);
  }

  positionOf(signer: string): string {
    return this.#positions.get(signer) ?? assert.fail(`no position of ${signer}`);
  }

  set position(position: string) {
    this.#positions.set(this.signer, position);
  }

  signerFor({ kind }: Pick<LegInstruction, 'kind'>): string {
    return signerOf(this.adapter, kind);
  }

  check(leg: LegInstruction): Promise<LegCheck> {
    return this.adapter.check(leg, this.signerFor(leg));
  }

  async fillLeg(wish: FillWish = {}): Promise<FillLeg> {
    const currency = wish.currency ?? firstCurrency(this.#harness);
    return {
      kind: 'fill',
      legId: `fill-${unused()}`,
      currency,
      amount: wish.amount ?? amountOf(this.#harness, currency, 10),
      recipient: wish.recipient ?? freshRecipient(this.#harness),
      orderId: wish.orderId ?? freshOrder(),
      deadline: wish.deadline ?? (await deadlineIn(this.#harness, 3600)),
    };
  }

  async refundLeg(
    fundingKey: FundingKey,
    wish: { currency: string; amount: bigint; recipient?: string; kind?: 'refund' | 'excess' },
  ): Promise<RefundLeg> {
    const kind = wish.kind ?? 'refund';
    return {
      kind,
      legId: `${kind}-${unused()}`,
      currency: wish.currency,
      amount: wish.amount,
      recipient: wish.recipient ?? freshRecipient(this.#harness),
      fundingKey,
      useKey: this.adapter.useKey(fundingKey, kind),
      expiration: await deadlineIn(this.#harness, 3600),
    };
  }

  async collectLeg(fundingKey: FundingKey, wish: { currency: string; amount: bigint }): Promise<CollectLeg> {
    return {
      kind: 'collect',
      legId: `collect-${unused()}`,
      ...wish,
      recipient: this.signer,
      useKey: this.adapter.useKey(fundingKey, 'collect'),
      expiration: await deadlineIn(this.#harness, 3600),
      fundingKeys: [fundingKey],
    };
  }

  async sweepLeg(
    { fundingKey, currency, amount }: Pick<DepositObservation, 'fundingKey' | 'currency' | 'amount'>,
    { address, salt }: AddressRef,
  ): Promise<SweepLeg> {
    return {
      kind: 'sweep',
      legId: `sweep-${unused()}`,
      ...{ fundingKey, currency, amount },
      recipient: this.adapter.facts.depository,
      useKey: this.adapter.useKey(fundingKey, 'sweep'),
      expiration: await deadlineIn(this.#harness, 3600),
      from: { address, salt },
    };
  }

  async plan(leg: LegInstruction): Promise<{ leg: LegInstruction; plan: string }> {
    const check = await this.check(leg);
    assert.ok(check.ok, check.ok ? '' : `the ${leg.kind} was ${check.kind}: ${check.reason}, ${check.message}`);
    assert.equal(typeof check.plan, 'string', 'a plan is text');
    return { leg, plan: check.plan };
  }

  /** Check, prepare, sign; the position advances as when the bytes become durable. */
  async sign(...legs: readonly LegInstruction[]): Promise<Attempt> {
    const planned: { leg: LegInstruction; plan: string }[] = [];
    for (const leg of legs) planned.push(await this.plan(leg));
    return await this.signPlanned(planned);
  }

  async signPlanned(planned: PrepareInput['legs']): Promise<Attempt> {
    const [first] = planned;
    const signer = first === undefined ? this.signer : this.signerFor(first.leg);
    const lane = { signer, position: this.positionOf(signer) };
    const prepared = await this.#prepared(() => this.adapter.prepare({ lane, legs: planned }));
    const transaction = await this.adapter.sign(prepared, signer);
    this.#positions.set(signer, prepared.nextPosition);
    return { signer, legs: planned.map(({ leg }) => leg), prepared, transaction };
  }

  /** Another transaction under an attempt's key: the same legs, or none to close it. */
  async replace(before: Attempt, legs: readonly LegInstruction[] = before.legs): Promise<Attempt> {
    const planned: { leg: LegInstruction; plan: string }[] = [];
    for (const leg of legs) planned.push(await this.plan(leg));
    const prepared = await this.#prepared(() => this.tryReplace(before, planned));
    const { signer } = before;
    return { signer, legs, prepared, transaction: await this.adapter.sign(prepared, signer) };
  }

  async tryReplace(before: Attempt, planned: PrepareInput['legs']): Promise<PrepareOutcome> {
    assert.ok(this.adapter.replace !== undefined, 'the adapter has no replace');
    const { key, fees } = before.prepared;
    return await this.adapter.replace({ key, signer: before.signer, previousFees: fees, legs: planned });
  }

  /** Values that the adapter caches may need a refresh after an idle time. */
  async #prepared(attempt: () => Promise<PrepareOutcome>): Promise<Prepared> {
    let outcome = await attempt();
    await until(this.#harness, 'fees to be known', async () => {
      if (outcome.ok || outcome.why !== 'unavailable') return true;
      outcome = await attempt();
      return false;
    });
    assert.ok(outcome.ok, outcome.ok ? '' : `not prepared: ${outcome.why}, ${outcome.message}`);
    assert.ok(outcome.prepared.maxFee >= 0n, 'the most it can cost');
    return outcome.prepared;
  }

  async send(attempt: Attempt): Promise<void> {
    const outcome = await this.adapter.send(attempt.transaction);
    assert.ok(
      outcome.outcome === 'accepted' || outcome.outcome === 'known',
      `sent without hindrance: ${JSON.stringify(outcome)}`,
    );
  }

  async lookOnce(...attempts: readonly Attempt[]): Promise<KeyEvidence> {
    const [evidence] = await this.adapter.look([viewOf(...attempts)]);
    assert.ok(evidence !== undefined, 'one answer per key');
    return evidence;
  }

  async lookUntil(
    what: string,
    attempts: readonly Attempt[],
    good: (evidence: KeyEvidence) => boolean,
  ): Promise<KeyEvidence> {
    let evidence: KeyEvidence = { state: 'unknown', why: 'not asked' };
    await until(this.#harness, what, async () => {
      evidence = await this.lookOnce(...attempts);
      return good(evidence);
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; last seen: ${jsonOf(evidence)}`);
    });
    return evidence;
  }

  async spent(...attempts: readonly Attempt[]): Promise<Spent> {
    const evidence = await this.lookUntil(
      'the key to be spent by an own transaction',
      attempts,
      ({ state }) => state === 'spent',
    );
    assert.equal(evidence.state, 'spent');
    return evidence as Spent;
  }

  async land(attempt: Attempt): Promise<Spent> {
    await this.send(attempt);
    await this.#harness.include();
    const evidence = await this.spent(attempt);
    assertDone(evidence, attempt.legs);
    return evidence;
  }

  async fill(wish: FillWish = {}): Promise<Attempt> {
    const attempt = await this.sign(await this.fillLeg(wish));
    await this.land(attempt);
    return attempt;
  }
}

export function assertDone(evidence: Spent, legs: readonly LegInstruction[]): void {
  assert.equal(evidence.ok, true, `the transaction failed: ${jsonOf(evidence.failure)}`);
  const expected = legs.map(({ legId, amount }) => ({ legId, done: true, moved: amount }));
  const byId = (a: { legId: string }, b: { legId: string }): number => (a.legId < b.legId ? -1 : 1);
  assert.deepEqual([...evidence.effects].sort(byId), expected.sort(byId), 'the effects of the legs');
}

export function signerOf({ lanes }: Pick<ChainAdapter, 'lanes'>, kind: LegKind): string {
  const lane = laneThatSends(lanes, kind);
  return lane?.signer ?? assert.fail(`an adapter under test has a lane that sends a ${kind}`);
}

export function viewOf(...attempts: readonly Attempt[]): KeyView {
  const [first] = attempts;
  assert.ok(first !== undefined);
  for (const { prepared } of attempts) assert.equal(prepared.key, first.prepared.key, 'attempts of one key');
  return {
    key: first.prepared.key,
    signer: first.signer,
    attempts: attempts.map(({ transaction, legs }) => ({ hash: transaction.hash, legs })),
  };
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)) ?? 'none';
}
