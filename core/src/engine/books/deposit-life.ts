import { keptBySweeps } from '../../capabilities/deposit-addresses/kept-by-sweeps.js';
import { lacksReservation, sponsoredBody } from '../../capabilities/sponsorship/sponsor-fill.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { joinedOf } from '../../domain/joined.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { RequestStatus } from '../../domain/transitions.js';
import type { EngineContext } from '../base/context.js';
import { FALLBACK } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { expose, isClaimed, reclaimInventory, reclaimVolume, releaseInventory, releaseVolume } from './budget.js';
import { giveOwnRequest } from './child-requests.js';
import { actualIn, bookDeposit, NO_RIVAL, noteDeposit, type placeOf } from './reported-deposits.js';
import { moveRequest } from './requests.js';
import { isAllIn } from './top-up-leg.js';
import { lostItsDeposit } from './unconfirmed.js';

type Place = ReturnType<typeof placeOf>;

/**
 * Invariants (G8): nothing signed is undone or repeated; unsigned work waits; the books follow the chain. Not
 * guaranteed: a deposit that vanishes in a reorg deeper than finality.
 */
export function vanishDeposit(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  takeBack(context, unit, fundingKey);
  failWithout(context, unit, fundingKey);
}

export function takeBack(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const before = known(unit, fundingKey);
  if (before.state === 'vanished') return;
  if (before.state === 'final') {
    alertFinalGone(context, fundingKey);
    return;
  }
  for (const leg of legsOf(unit, before)) {
    const { delivers, paidWithFill } = factsOf(leg);
    if (delivers && isClaimed(leg)) expose(unit, before, -1n);
    if ((delivers || paidWithFill) && leg.state === 'owed') releaseInventory(unit, leg);
    if (delivers && leg.state === 'owed') releaseVolume(unit, leg, before);
    if (unsigned(leg)) unit.update('legs', leg.id, { state: 'suspended' });
  }
  if (before.state === 'included') bookDeposit(context, unit, before, -1n);
  const gone = { state: 'vanished', height: null, blockId: null, blockTime: null, ...NO_RIVAL } as const;
  const row = unit.update('deposits', fundingKey, gone);
  noteDeposit(context, unit, { ...row, height: before.height, blockTime: before.blockTime }, 'failure');
}

/** The books keep final deposits, whatever the chain says. */
export function alertFinalGone({ alerts }: Pick<EngineContext, 'alerts'>, fundingKey: string): void {
  alerts.raise(finalGone(fundingKey), 'A final deposit vanished: finality depth is too small', { fundingKey });
}

export function endFinalGone({ alerts }: Pick<EngineContext, 'alerts'>, fundingKey: string): void {
  alerts.clear(finalGone(fundingKey));
}

const finalGone = (fundingKey: string): string => `final-vanished:${fundingKey}`;

/** Fails until a deposit returns, unless another one took over. */
function failWithout(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const deposit = known(unit, fundingKey);
  const request = unit.get('requests', deposit.requestId);
  if (deposit.state !== 'vanished' || !request || request.status === 'failure' || request.status === 'refund') return;
  moveRequest(
    context,
    unit,
    request.id,
    'depositReorged',
    { failReason: 'DEPOSIT_REORGED' },
    { evidence: { kind: 'depositVanished', fundingKey } },
  );
}

/**
 * Back on the chain, or included for the first time.
 *
 * @param again with another amount, already in the row.
 */
export function returnDeposit(
  context: EngineContext,
  unit: UnitOfWork,
  before: DepositRow,
  place: Place,
  again = false,
): void {
  const row = unit.update('deposits', before.fundingKey, place);
  bookDeposit(context, unit, row, 1n, again);
  const request = unit.get('requests', row.requestId);
  if (!request) throw new Error(`request of deposit ${row.fundingKey} was not loaded`);
  if (!staysOwner(context, unit, row, request)) {
    giveOwnRequest(context, unit, row, request);
    return;
  }
  noteDeposit(context, unit, row, 'success');
  for (const leg of legsOf(unit, row)) {
    if (leg.state === 'suspended') revive(context, unit, leg, row);
    const now = unit.get('legs', leg.id) ?? leg;
    if (factsOf(now).delivers && isClaimed(now)) expose(unit, row, 1n);
  }
  const legs = legsOf(unit, row);
  const refund = legs.find((leg) => factsOf(leg).replacesFill && leg.state !== 'void');
  const failReason = (refund?.reason as RequestRow['failReason'] | undefined) ?? null;
  if (lostItsDeposit(request, row)) {
    moveRequest(context, unit, request.id, 'depositReturned', { failReason }, { guard: impliedStatus(legs) });
  } else if (request.fundingKey !== row.fundingKey) {
    unit.update('requests', request.id, { failReason });
  }
}

/**
 * Whether a returning deposit still owns its order, which another deposit may have taken over.
 *
 * Invariant (G3): it does if the fill was sent for it or is held on it, so that a deposit that was paid for is never
 * refunded; and while the other deposit, then the duplicate, is undecided. Otherwise it is the duplicate.
 */
function staysOwner(context: EngineContext, unit: UnitOfWork, deposit: DepositRow, request: RequestRow): boolean {
  if (request.fundingKey === deposit.fundingKey) return true;
  const rival = request.fundingKey === null ? undefined : unit.get('deposits', request.fundingKey);
  const paidFor = legsOf(unit, deposit).some((leg) => isOut(leg) || (factsOf(leg).delivers && leg.state === 'held'));
  if (!paidFor && rival?.decision !== 'waiting') return false;
  unit.update('requests', request.id, {
    fundingKey: deposit.fundingKey,
    sender: deposit.depositor,
    actual: actualIn(request, deposit),
  });
  if (rival?.decision === 'waiting' && rival.state !== 'vanished') giveOwnRequest(context, unit, rival, request);
  return true;
}

/** A fill whose signed bytes exist: it has landed or still may. */
export function isOut(leg: LegRow): boolean {
  return factsOf(leg).delivers && (leg.state === 'bound' || leg.state === 'done');
}

/** For a deposit that moved to another block without being observed as vanished. */
export function moveDepositBlock(context: EngineContext, unit: UnitOfWork, before: DepositRow, place: Place): void {
  noteDeposit(context, unit, unit.update('deposits', before.fundingKey, place), 'success');
}

/** Refunds may go out and its value may be collected. */
export function finaliseDeposit(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const row = known(unit, fundingKey);
  for (const leg of legsOf(unit, row)) {
    if (factsOf(leg).delivers && isClaimed(leg)) expose(unit, row, -1n);
    if (leg.state === 'blocked') unit.update('legs', leg.id, { state: 'owed', dueAt: context.clock.now() });
  }
  context.latelyFinal.note(unit.update('deposits', fundingKey, { state: 'final' }));
  releaseValue(context, unit, fundingKey);
}

/**
 * Marks the collectable part, once the deposit is final and all its legs ended permanently. Until then it is a
 * liability, never inventory.
 */
export function releaseValue(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const deposit = known(unit, fundingKey);
  // Race closed here: the last legs and the finality of a deposit may end concurrently.
  unit.touch('deposits', fundingKey);
  if (deposit.state !== 'final' || deposit.collectable !== null || deposit.decision === 'waiting') return;
  const legs = legsOf(unit, deposit);
  const paying = legs.filter(({ state }) => state === 'done' || state === 'held' || state === 'joined');
  const open = legs.some((leg) => !['done', 'held', 'joined', 'void', 'closed'].includes(leg.state));
  const covered = paying.reduce((sum, leg) => sum + leg.covers - joinedOf(leg).amount, 0n);
  if (open || covered !== deposit.amount) return;
  let collectable = 0n;
  for (const leg of paying) {
    const { delivers, paidWithFill, movesSolverMoney } = factsOf(leg);
    // Joined parts are collected with the leg that pays them.
    if (leg.state !== 'done' || movesSolverMoney) continue;
    collectable += delivers || paidWithFill ? leg.covers : leg.covers - leg.amount - withheld(context, leg, leg.amount);
    const chain = context.chains.get(deposit.chainId);
    // guard: kept-is-not-collected
    if (chain) collectable -= keptBySweeps(chain, deposit, leg);
  }
  unit.update('deposits', fundingKey, { collectable: collectable > 0n ? collectable : 0n });
}

/** Gas that a refund takes from the depository, on chains where deposits pay it. */
export function withheld(context: EngineContext, leg: LegRow, paid: bigint): bigint {
  const spends = context.chains.get(leg.chainId)?.facts.refundsSpendDeposits === true;
  return spends && factsOf(leg).refundsPayer && leg.covers > paid ? leg.covers - paid : 0n;
}

/** Without the order's fill for a duplicate with its own request. */
export function legsOf(unit: UnitOfWork, deposit: Pick<DepositRow, 'fundingKey' | 'requestId'>): LegRow[] {
  const { fundingKey, requestId } = deposit;
  return unit.all('legs').filter((leg) => leg.fundingKey === fundingKey && leg.requestId === requestId);
}

export function revive(context: EngineContext, unit: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  const { delivers, paidWithFill } = factsOf(leg);
  if (!delivers && !paidWithFill) {
    unit.update('legs', leg.id, { state: 'blocked' });
    return;
  }
  // Its sponsor is asked again before it is claimed.
  const sponsored = delivers && leg.requestId !== null ? sponsoredBody(unit.get('requests', leg.requestId)) : undefined;
  if (leg.reason === null && sponsored && lacksReservation(sponsored)) {
    unit.update('legs', leg.id, { state: 'short', reason: 'SPONSOR_BALANCE_TOO_LOW' });
    return;
  }
  if (leg.reason === null) {
    reclaimInventory(unit, leg);
    if (delivers) reclaimVolume(context, unit, leg, deposit);
  }
  unit.update('legs', leg.id, { state: leg.reason === null ? 'owed' : 'short' });
}

function unsigned(leg: LegRow): boolean {
  return leg.state === 'owed' || leg.state === 'short' || leg.state === 'blocked';
}

/** Success if a fill landed, submitted if one is out, else pending. */
export function impliedStatus(
  legs: readonly LegRow[],
): Extract<RequestStatus, 'success' | 'fallback' | 'submitted' | 'pending'> {
  const fill = legs.find((leg) => factsOf(leg).delivers);
  if (!fill) return 'pending';
  if (isAllIn(legs)) return fill.reason === FALLBACK ? 'fallback' : 'success';
  return isOut(fill) ? 'submitted' : 'pending';
}

function known(unit: UnitOfWork, fundingKey: string): DepositRow {
  const row = unit.get('deposits', fundingKey);
  if (!row) throw new Error(`deposit ${fundingKey} was not loaded`);
  return row;
}
