import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { KeyEvidence, LegEffect } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { divide } from '../../domain/decimal.js';
import { factsOf } from '../../domain/leg-facts.js';
import { isPaidWithFill, topUpsFirst, withoutInnerTopUps } from '../../domain/top-up-legs.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseValue } from '../books/deposit-life.js';
import { undoInclusion } from '../books/inclusion.js';
import { moveRequest } from '../books/requests.js';
import { completeFill, completeRefund } from '../books/settled-leg.js';
import { tooLate } from '../payouts/judge-fill.js';
import { bookPaid, type LostProof } from '../recovery/index.js';
import { holdFilled, neverLanded } from './close-fill.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/**
 * Ends a key that one of its own attempts spent. Fills that failed together are signed again, one by one.
 *
 * Invariant (G1, G3): software never owes a leg of a successful transaction again. If its effect is unreadable, the
 * leg is held; only value proven to have come back is owed as before.
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
  const returned = new Map(
    spent.effects.flatMap((effect) => (effect.returned && !moved.has(effect.legId) ? [[effect.legId, effect]] : [])),
  );
  // guard: failures-are-charged
  chargeFailure(unit, open, spent, returned);
  const shared = !spent.ok && withoutInnerTopUps(open.legs).length > 1;
  const unread = spent.ok ? unreadOf(open, spent) : NONE;
  for (const leg of topUpsFirst(open.legs)) {
    if (moved.has(leg.id)) finishLeg(context, unit, leg, spent);
    else if (unread.has(leg.id)) holdUnread(context, unit, leg, spent.hash);
    else if (shared && isFillOut(leg) && mayResign(context, unit, chain, leg)) resign(context, unit, leg, spent);
    else closeLeg(context, unit, open, leg, spent.ok && !returned.has(leg.id) ? null : spent);
  }
  unit.update('keys', open.key.id, {
    state: open.legs.every((leg) => moved.has(leg.id)) && moved.size > 0 ? 'spent' : 'closed',
  });
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Each leg carried without effect bears its share of the fee: measured, else an equal part. A recipient that makes
 * payments fail, or blocks their inclusion, pays with its own deposit.
 */
function chargeFailure(
  unit: UnitOfWork,
  open: OpenKey,
  { hash, fee, ok }: Spent,
  returned: ReadonlyMap<string, LegEffect>,
): void {
  const legsOf = (is: (attempt: OpenKey['attempts'][number]) => boolean) => open.attempts.find(is)?.legIds ?? [];
  const moving = withoutInnerTopUps(open.legs);
  const own = legsOf((attempt) => attempt.hash === hash);
  const carrying = own.length > 0 ? own : legsOf(({ state }) => state === 'barred');
  const innerTopUps = open.legs.filter((leg) => !moving.includes(leg));
  // A top-up inside a fill bears none of it: it is refunded with the fill.
  const carried = carrying.filter((id) => !innerTopUps.some((leg) => leg.id === id));
  for (const leg of moving) {
    const moved = own.length > 0;
    if (leg.state !== 'bound' || !carried.includes(leg.id) || (moved && ok && !returned.has(leg.id))) continue;
    const part = returned.get(leg.id)?.fee ?? divide(fee, BigInt(carried.length), 'ceil');
    unit.update('legs', leg.id, { spent: leg.spent + part });
  }
}

/** Neither proven to have moved nor to have come back. */
function unreadOf(open: OpenKey, { hash, effects }: Spent): ReadonlySet<string> {
  const carried = open.attempts.find((attempt) => attempt.hash === hash)?.legIds ?? [];
  const proven = new Set(effects.flatMap(({ legId, done, returned }) => (done || returned ? [legId] : [])));
  return new Set(carried.filter((legId) => !proven.has(legId)));
}

function holdUnread(context: EngineContext, unit: UnitOfWork, leg: LegRow, hash: string): void {
  if (leg.state !== 'bound') return;
  context.alerts.raise(`unread:${leg.id}`, 'A transaction succeeded, but its effect on the value cannot be read', {
    leg: leg.id,
    requestId: leg.requestId,
    hash,
  });
  context.log.error({ leg: leg.id, hash }, 'a movement landed with an unreadable effect: it is held');
  context.kinds.of(leg).onUnread(context, unit, leg);
}

/**
 * Ends a key that a foreign transaction spent, or that expired: its attempts cannot land. Stays open for fills that
 * may be neither refunded nor signed again yet.
 */
export function loseKey(
  context: EngineContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  open: OpenKey,
  { filled, unfilled, doubtedUntil }: Omit<Extract<LostProof, { ok: true }>, 'ok'>,
): void {
  undoInclusion(context, unit, open);
  const waits = (leg: LegRow): boolean =>
    isFillOut(leg) && unfilled.has(leg.id) && !mayResign(context, unit, chain, leg);
  const late = open.legs.filter(waits);
  const waiting = new Set([...late, ...open.legs.filter((leg) => isPaidWithFill(leg, late))]);
  for (const leg of topUpsFirst(open.legs)) {
    if (waiting.has(leg)) continue;
    const own = filled.get(leg.id);
    if (own && leg.state === 'bound') bookPaid(context, unit, leg, own.paid, own.counted);
    else if (filled.has(leg.id) && leg.state === 'bound') holdFilled(context, unit, leg);
    else if (unfilled.has(leg.id) && leg.state === 'bound') resign(context, unit, leg, null);
    else closeLeg(context, unit, open, leg, null, leg.createdAt <= doubtedUntil);
  }
  if (waiting.size > 0) return;
  for (const attempt of open.attempts) unit.update('attempts', attempt.id, { state: 'replaced' });
  unit.update('keys', open.key.id, { state: 'closed' });
}

function isFillOut(leg: LegRow): boolean {
  return factsOf(leg).delivers && leg.state === 'bound';
}

function finishLeg(context: EngineContext, unit: UnitOfWork, leg: LegRow, spent: Spent): void {
  unit.update('legs', leg.id, { state: 'done' });
  // A final fill completes the request whatever number of confirmations is configured.
  completeFill(context, unit, leg);
  completeRefund(context, unit, leg);
  context.kinds.of(leg).onFinal?.(context, unit, leg, spent);
  if (leg.fundingKey !== null) releaseValue(context, unit, leg.fundingKey);
}

function closeLeg(
  context: EngineContext,
  unit: UnitOfWork,
  open: OpenKey,
  leg: LegRow,
  reverted: Spent | null,
  inDoubt = false,
): void {
  if (leg.state !== 'bound') return;
  context.kinds.of(leg).onClosed(context, unit, open, leg, reverted, inDoubt);
}

function mayResign(context: EngineContext, unit: UnitOfWork, chain: ChainAdapter, leg: LegRow): boolean {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (!request || !deposit || request.fundingKey !== deposit.fundingKey) return false;
  const waiting = request.status === 'pending' || request.status === 'submitted';
  return waiting && deposit.decision === 'fill' && tooLate(context, chain, leg, request) === null;
}

/**
 * Owes a fill as if never signed; its claims stay.
 *
 * Invariant (G1): the old message finally cannot land. A restored ledger still asks the chain first.
 */
function resign(context: EngineContext, unit: UnitOfWork, leg: LegRow, failed: Spent | null): void {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request || leg.fundingKey === null) throw new Error(`the request of ${leg.id} was not loaded`);
  // Race closed here: a deposit that vanishes now suspends only its unsigned legs.
  unit.touch('deposits', leg.fundingKey);
  unit.touch('requests', request.id);
  if (failed === null) neverLanded(unit, leg);
  if (request.fillTimeMs !== null) unit.update('requests', request.id, { fillTimeMs: null });
  if (request.status === 'submitted') moveRequest(context, unit, request.id, 'fillKeyClosedWithoutEffect');
  unit.update('legs', leg.id, { state: 'owed', key: null, includedAt: null, dueAt: context.clock.now() });
  context.metrics.count(
    'fills_signed_anew',
    'Fills signed again, because their message expired before it landed or another leg of their transaction failed',
    {
      chain: leg.chainId,
    },
  );
  const why = failed === null ? 'expired' : 'failed with its batch';
  context.log.warn({ requestId: leg.requestId, leg: leg.id }, `the message of a fill ${why}: the fill is signed again`);
}
