import type { DepositRow, LegRow } from '../contract/store-rows.js';
import type { QuoteBody } from '../domain/quote.js';
import type { RequestStatus } from '../domain/transitions.js';
import { expose, isClaimed, reclaimInventory, releaseInventory } from './budget.js';
import type { EngineContext } from './context.js';
import { bookDeposit, noteDeposit, type placeOf, requestOfQuote } from './reported-deposits.js';
import { moveRequest } from './requests.js';
import type { UnitOfWork } from './unit-of-work.js';

type Place = ReturnType<typeof placeOf>;

/**
 * What follows from a deposit leaving, re-entering or settling into the canonical chain.
 *
 * Invariants (G8): nothing that was signed is undone or repeated; what was not signed waits suspended; the books
 * follow the chain. Not guaranteed: a deposit that vanishes after it was final (a reorg deeper than finality).
 */
export function vanishDeposit(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const before = known(unit, fundingKey);
  if (before.state === 'vanished') return;
  if (before.state === 'final') {
    context.alerts.raise(`final-vanished:${fundingKey}`, 'A final deposit vanished: finality depth is too small', {
      fundingKey,
    });
    return;
  }
  for (const leg of legsOf(unit, before)) {
    if (leg.kind === 'fill' && isClaimed(leg)) expose(unit, before, -1n);
    if (leg.kind === 'fill' && leg.state === 'owed') releaseInventory(unit, leg);
    if (unsigned(leg)) unit.update('legs', leg.id, { state: 'suspended' });
  }
  if (before.state === 'included') bookDeposit(context, unit, before, -1n);
  const row = unit.update('deposits', fundingKey, { state: 'vanished', height: null, blockId: null, blockTime: null });
  noteDeposit(unit, { ...row, height: before.height, blockTime: before.blockTime }, 'failure');
  const request = unit.get('requests', before.requestId);
  if (request && request.status !== 'failure' && request.status !== 'refund') {
    moveRequest(
      context,
      unit,
      before.requestId,
      'depositReorged',
      { failReason: 'DEPOSIT_REORGED' },
      { evidence: { kind: 'depositVanished', fundingKey } },
    );
  }
}

/** The same transfer is on the chain again (or, from a mempool, for the first time). */
export function returnDeposit(context: EngineContext, unit: UnitOfWork, before: DepositRow, place: Place): void {
  const row = unit.update('deposits', before.fundingKey, { ...place, ...disowned(context, unit, before) });
  bookDeposit(context, unit, row, 1n);
  noteDeposit(unit, row, 'success');
  for (const leg of legsOf(unit, row)) {
    if (leg.state === 'suspended') revive(unit, leg);
    const now = unit.get('legs', leg.id) ?? leg;
    if (now.kind === 'fill' && isClaimed(now)) expose(unit, row, 1n);
  }
  const request = unit.get('requests', row.requestId);
  if (request?.status === 'failure' && request.failReason === 'DEPOSIT_REORGED') {
    const to = impliedStatus(legsOf(unit, row));
    const refund = legsOf(unit, row).find((leg) => leg.kind === 'refund');
    moveRequest(
      context,
      unit,
      request.id,
      'depositReturned',
      { failReason: (refund?.reason as typeof request.failReason) ?? null },
      { guard: to },
    );
  }
}

/** While it was gone another transfer took its request over: it is a duplicate now, with a request of its own. */
function disowned(context: EngineContext, unit: UnitOfWork, deposit: DepositRow): Partial<DepositRow> {
  const request = unit.get('requests', deposit.requestId);
  if (!request || request.fundingKey === deposit.fundingKey) return {};
  for (const leg of legsOf(unit, deposit))
    if (leg.state === 'suspended') unit.update('legs', leg.id, { state: 'void' });
  const body = JSON.parse(request.body) as QuoteBody;
  const child = unit.insert('requests', requestOfQuote(context, body, request, request.id, deposit.depositor));
  unit.update('requests', child.id, { fundingKey: deposit.fundingKey });
  moveRequest(context, unit, child.id, 'depositSeen');
  return { requestId: child.id, decision: 'waiting' };
}

/** Included again at another place without having been seen to vanish. */
export function moveDepositBlock(unit: UnitOfWork, before: DepositRow, place: Place): void {
  noteDeposit(unit, unit.update('deposits', before.fundingKey, place), 'success');
}

/** The deposit can no longer vanish: refunds may go out and its value may be collected. */
export function finaliseDeposit(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const row = known(unit, fundingKey);
  for (const leg of legsOf(unit, row)) {
    if (leg.kind === 'fill' && isClaimed(leg)) expose(unit, row, -1n);
    if (leg.state === 'blocked') unit.update('legs', leg.id, { state: 'owed', dueAt: context.clock.now() });
  }
  unit.update('deposits', fundingKey, { state: 'final' });
  releaseValue(unit, fundingKey);
}

/**
 * Marks what of a deposit may be collected, once it is final and each of its legs has ended for good.
 * Only then: an unsettled deposit is a liability, never inventory.
 */
export function releaseValue(unit: UnitOfWork, fundingKey: string): void {
  const deposit = known(unit, fundingKey);
  if (deposit.state !== 'final' || deposit.collectable !== null || deposit.decision === 'waiting') return;
  const legs = legsOf(unit, deposit);
  const paying = legs.filter((leg) => leg.state === 'done' || leg.state === 'held');
  const open = legs.some((leg) => !['done', 'held', 'void', 'closed'].includes(leg.state));
  const covered = paying.reduce((sum, leg) => sum + leg.covers, 0n);
  if (open || covered !== deposit.amount) return;
  let collectable = 0n;
  for (const leg of paying) {
    if (leg.state === 'held') continue;
    collectable += leg.kind === 'fill' ? leg.covers : leg.covers - leg.amount;
  }
  unit.update('deposits', fundingKey, { collectable });
}

export function legsOf(unit: UnitOfWork, deposit: Pick<DepositRow, 'fundingKey'>): LegRow[] {
  return unit.all('legs').filter((leg) => leg.fundingKey === deposit.fundingKey);
}

function revive(unit: UnitOfWork, leg: LegRow): void {
  if (leg.kind !== 'fill') {
    unit.update('legs', leg.id, { state: 'blocked' });
    return;
  }
  if (leg.reason === null) reclaimInventory(unit, leg);
  unit.update('legs', leg.id, { state: leg.reason === null ? 'owed' : 'short' });
}

function unsigned(leg: LegRow): boolean {
  return leg.state === 'owed' || leg.state === 'short' || leg.state === 'blocked';
}

/** Status that the legs of a returned deposit imply (design: success if a fill landed, submitted if one is out, else pending). */
export function impliedStatus(legs: readonly LegRow[]): Extract<RequestStatus, 'success' | 'submitted' | 'pending'> {
  const fill = legs.find((leg) => leg.kind === 'fill');
  if (!fill) return 'pending';
  if (fill.state === 'done' || fill.includedAt !== null) return 'success';
  return fill.state === 'bound' ? 'submitted' : 'pending';
}

function known(unit: UnitOfWork, fundingKey: string): DepositRow {
  const row = unit.get('deposits', fundingKey);
  if (!row) throw new Error(`deposit ${fundingKey} was not loaded`);
  return row;
}
