import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { KeyEvidence } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { divide } from '../../domain/decimal.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { EngineContext } from '../base/context.js';
import { countIn, lastingReason, UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory, releaseVolume } from '../books/budget.js';
import { releaseValue } from '../books/deposit-life.js';
import { undoInclusion } from '../books/inclusion.js';
import { moveRequest } from '../books/requests.js';
import { completeFill } from '../books/settled-leg.js';
import { refundInstead } from '../deposits/settle-deposit.js';
import { holdLeg } from '../payouts/give-up.js';
import { tooLate } from '../payouts/triage.js';
import { bookPaid } from '../recovery/paid-elsewhere.js';
import type { LostProof } from '../recovery/prove-lost.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

const MOST_REVERTS = 3;
/** A payment that no block takes, however often it is signed anew, as to a party that refuses it. */
const MOST_CLOSINGS = 10;
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 60_000;

/**
 * The final end of a key that one of ours spent: legs that moved are done, the others are closed without effect. Where
 * several shared what failed, mostly one of them is to blame: the fills among them are signed anew, each by itself.
 *
 * Invariant (G1, G3): a leg whose transaction landed and succeeded is never owed again by software. What it did not do, as
 * far as can be read, it may have done to somebody whom its evidence does not name; so it is held, whatever the family and
 * whatever a provider left out. Only value that is proven to have come back is owed as before.
 */
export function finishKey(
  context: EngineContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  open: OpenKey,
  spent: Spent,
): void {
  const moved = new Set(spent.effects.filter((effect) => effect.done).map((effect) => effect.legId));
  for (const attempt of open.attempts) {
    const ours = attempt.hash === spent.hash;
    unit.update('attempts', attempt.id, { state: !ours ? 'replaced' : spent.ok ? 'final' : 'reverted' });
  }
  const returned = new Set(
    spent.effects.flatMap(({ legId, returned }) => (returned && !moved.has(legId) ? [legId] : [])),
  );
  chargeFailure(unit, open, spent, returned);
  const shared = !spent.ok && open.legs.length > 1;
  const unread = spent.ok ? unreadOf(open, spent) : NONE;
  for (const leg of open.legs) {
    if (moved.has(leg.id)) finishLeg(context, unit, leg);
    else if (unread.has(leg.id)) holdUnread(context, unit, leg, spent.hash);
    else if (shared && isFillOut(leg) && maySignAnew(context, unit, chain, leg)) signAnew(context, unit, leg, spent);
    else closeLeg(context, unit, open, leg, spent.ok && !returned.has(leg.id) ? null : spent);
  }
  unit.update('keys', open.key.id, {
    state: open.legs.every((leg) => moved.has(leg.id)) && moved.size > 0 ? 'spent' : 'closed',
  });
}

const NONE: ReadonlySet<string> = new Set();

/**
 * What landed without effect, or came back, cost its fee all the same: each leg that it carried in vain bears its part, to be
 * taken off what is paid back. A recipient that makes payments fail does so at the cost of its own deposit.
 */
function chargeFailure(unit: UnitOfWork, open: OpenKey, { hash, fee, ok }: Spent, returned: ReadonlySet<string>): void {
  const carried = open.attempts.find((attempt) => attempt.hash === hash)?.legIds ?? [];
  for (const leg of open.legs) {
    if (leg.state !== 'bound' || !carried.includes(leg.id) || (ok && !returned.has(leg.id))) continue;
    unit.update('legs', leg.id, { spent: leg.spent + divide(fee, BigInt(carried.length), 'ceil') });
  }
}

/** Legs that a successful transaction carried, and of which it is neither proven that they moved nor that they came back. */
function unreadOf(open: OpenKey, { hash, effects }: Spent): ReadonlySet<string> {
  const carried = open.attempts.find((attempt) => attempt.hash === hash)?.legIds ?? [];
  const proven = new Set(effects.flatMap(({ legId, done, returned }) => (done || returned ? [legId] : [])));
  return new Set(carried.filter((legId) => !proven.has(legId)));
}

/** Its transaction succeeded, and what that did with the leg's value cannot be read: nothing more is paid by itself. */
function holdUnread(context: EngineContext, unit: UnitOfWork, leg: LegRow, hash: string): void {
  if (leg.state !== 'bound') return;
  context.alerts.raise(`unread:${leg.id}`, 'A transaction succeeded, and what it did with the value cannot be read', {
    leg: leg.id,
    requestId: leg.requestId,
    hash,
  });
  context.log.error({ leg: leg.id, hash }, 'a movement landed without being read: it is held');
  if (leg.kind === 'collect') unit.update('legs', leg.id, { state: 'held', reason: UNREAD });
  else if (leg.kind === 'fill') holdFilled(context, unit, leg, UNREAD);
  else holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', UNREAD);
}

/**
 * The final end of a key that something else spent, or that ran out: nothing of ours can land under it any more. Left open
 * for fills that may neither be paid back yet nor be signed anew; those beside them do not wait for that.
 */
export function loseKey(
  context: EngineContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  open: OpenKey,
  { filled, unfilled }: Pick<Extract<LostProof, { ok: true }>, 'filled' | 'unfilled'>,
): void {
  undoInclusion(context, unit, open);
  const waits = (leg: LegRow): boolean =>
    isFillOut(leg) && unfilled.has(leg.id) && !maySignAnew(context, unit, chain, leg);
  const waiting = new Set(open.legs.filter(waits));
  for (const leg of open.legs) {
    if (waiting.has(leg)) continue;
    const own = filled.get(leg.id);
    if (own && leg.state === 'bound') bookPaid(context, unit, leg, own.paid, own.counted);
    else if (filled.has(leg.id) && leg.state === 'bound') holdFilled(context, unit, leg);
    else if (unfilled.has(leg.id) && leg.state === 'bound') signAnew(context, unit, leg, null);
    else closeLeg(context, unit, open, leg, null);
  }
  if (waiting.size > 0) return;
  for (const attempt of open.attempts) unit.update('attempts', attempt.id, { state: 'replaced' });
  unit.update('keys', open.key.id, { state: 'closed' });
}

function isFillOut(leg: LegRow): boolean {
  return leg.kind === 'fill' && leg.state === 'bound';
}

function finishLeg(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  unit.update('legs', leg.id, { state: 'done' });
  // Final outranks any number of confirmations, and nobody looks at this key again.
  completeFill(context, unit, leg);
  // An order that was filled and whose deposit an operator released all the same stays a success.
  if (leg.kind === 'refund' && leg.requestId !== null && unit.get('requests', leg.requestId)?.status !== 'success')
    moveRequest(context, unit, leg.requestId, 'refundFinal');
  if (leg.fundingKey !== null) releaseValue(context, unit, leg.fundingKey);
}

function closeLeg(context: EngineContext, unit: UnitOfWork, open: OpenKey, leg: LegRow, reverted: Spent | null): void {
  if (leg.state !== 'bound') return;
  if (leg.kind === 'fill') closeFill(context, unit, open, leg, reverted);
  else retryLeg(context, unit, leg, reverted);
}

/**
 * A fill whose key is spent, finally, without it: its deposit is owed back.
 *
 * Invariant: this runs only on final evidence about the key, so the fill can never land and the refund can never be
 * the second payment.
 */
function closeFill(context: EngineContext, unit: UnitOfWork, open: OpenKey, leg: LegRow, reverted: Spent | null): void {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) throw new Error(`the request of ${leg.id} was not loaded`);
  // What failed for one of several says nothing about the others.
  const failure = open.legs.length > 1 ? undefined : reverted?.failure;
  const reason = reverted ? (failure?.reason ?? 'TRANSACTION_REVERTED') : closedReason(open);
  if (reason === 'ORDER_ALREADY_FILLED') {
    holdFilled(context, unit, leg);
    return;
  }
  // Whoever lets another transfer take the request over goes by the state of this fill.
  unit.touch('requests', request.id);
  if (request.fillTimeMs !== null) unit.update('requests', request.id, { fillTimeMs: null });
  releaseInventory(unit, leg);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (deposit) releaseVolume(unit, leg, deposit);
  unit.update('legs', leg.id, { state: 'closed', reason });
  if (!reverted) neverLanded(unit, leg);
  const evidence = { kind: 'keyClosed', key: open.key.key } as const;
  if (request.status === 'success') {
    moveRequest(context, unit, request.id, 'fillDroppedForGood', { failReason: reason }, { evidence });
  } else if (reverted) {
    if (request.status === 'submitted')
      moveRequest(context, unit, request.id, 'fillKeyClosedWithoutEffect', { failReason: reason });
    else unit.update('requests', request.id, { failReason: request.failReason ?? reason });
  } else if (request.status === 'pending' || request.status === 'submitted') {
    const trigger = reason === 'TRANSACTION_SUBMISSION_FAILED' ? 'submissionFailed' : 'notIncluded';
    moveRequest(context, unit, request.id, trigger, { failReason: reason }, { evidence });
  }
  refundInstead(context, unit, unit.get('requests', request.id) ?? request, leg, reason);
}

/** The order was filled, or may have been: neither a fill nor a refund is owed as far as this ledger can know. */
function holdFilled(context: EngineContext, unit: UnitOfWork, leg: LegRow, why?: typeof UNREAD): void {
  if (leg.requestId !== null && unit.get('requests', leg.requestId)?.status === 'submitted')
    moveRequest(context, unit, leg.requestId, 'fillKeyClosedWithoutEffect');
  holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', why);
}

/** While its request waits for it, which it does not once its deposit left the chain, and there is time. */
function maySignAnew(context: EngineContext, unit: UnitOfWork, chain: ChainAdapter, leg: LegRow): boolean {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (!request || !deposit || request.fundingKey !== deposit.fundingKey) return false;
  const waiting = request.status === 'pending' || request.status === 'submitted';
  return waiting && deposit.decision === 'fill' && tooLate(context, chain, leg, request) === null;
}

/**
 * A fill whose message ran out, or failed beside others: it is owed as if nothing had ever been signed for it, what it
 * claimed stays claimed.
 *
 * Invariant (G1): the old message can land no more, which is final, so the next one is alone. What a ledger that was put
 * back does not know is asked for again before that is signed, as of every fill.
 */
function signAnew(context: EngineContext, unit: UnitOfWork, leg: LegRow, failed: Spent | null): void {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request || leg.fundingKey === null) throw new Error(`the request of ${leg.id} was not loaded`);
  // Race closed here: what leaves the chain at this moment takes only those of its legs along that are not signed.
  unit.touch('deposits', leg.fundingKey);
  unit.touch('requests', request.id);
  if (failed === null) neverLanded(unit, leg);
  if (request.fillTimeMs !== null) unit.update('requests', request.id, { fillTimeMs: null });
  if (request.status === 'submitted') moveRequest(context, unit, request.id, 'fillKeyClosedWithoutEffect');
  unit.update('legs', leg.id, { state: 'owed', key: null, includedAt: null, dueAt: context.clock.now() });
  context.metrics.count('fills_signed_anew', 'Fills whose message ran out before it landed, or failed beside others', {
    chain: leg.chainId,
  });
  const why = failed === null ? 'ran out' : 'failed beside others';
  context.log.warn({ requestId: leg.requestId, leg: leg.id }, `the message of a fill ${why}: it is signed anew`);
}

/** The request showed the fill as soon as it was broadcast; no chain will ever show it. */
function neverLanded(unit: UnitOfWork, leg: LegRow): void {
  const id = `${leg.requestId}:fill:${leg.id}`;
  if (!unit.get('transactions', id)) return;
  unit.update('transactions', id, { role: 'failed', status: 'failure', block: null, timestamp: null, entry: '{}' });
}

/** Never taken by any provider: it could not be submitted. Taken but not included in time: it was not included. */
function closedReason(open: OpenKey): FailReason {
  const fills = open.attempts.filter((attempt) => attempt.legIds.length > 0);
  return fills.some((attempt) => attempt.sentAt !== null)
    ? 'TRANSACTION_NOT_INCLUDED'
    : 'TRANSACTION_SUBMISSION_FAILED';
}

/** A payment back is still owed: its old key is spent for good without it, so a new one may be taken. */
function retryLeg(context: EngineContext, unit: UnitOfWork, leg: LegRow, reverted: Spent | null): void {
  const reverts = countIn(leg, 'reverted') + (reverted ? 1 : 0);
  const closings = countIn(leg, 'closed') + (reverted ? 0 : 1);
  if (leg.kind !== 'collect' && (reverts >= MOST_REVERTS || closings >= MOST_CLOSINGS)) {
    holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED');
    return;
  }
  const told =
    reverts > 0 || closings > 0 ? `${lastingReason(leg)} reverted:${reverts} closed:${closings}`.trim() : leg.reason;
  unit.update('legs', leg.id, {
    state: 'owed',
    key: null,
    includedAt: null,
    reason: told,
    dueAt: context.clock.now() + Math.min(RETRY_MS * Math.max(1, closings), MOST_RETRY_MS),
  });
}
