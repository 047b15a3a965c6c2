import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { RequestStatus } from '../../domain/transitions.js';
import type { EngineContext } from '../base/context.js';
import { FALLBACK } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isAllIn } from './beside.js';
import { expose, isClaimed, reclaimInventory, reclaimVolume, releaseInventory, releaseVolume } from './budget.js';
import { giveOwnRequest } from './child-requests.js';
import { actualIn, bookDeposit, NO_RIVAL, noteDeposit, type placeOf } from './reported-deposits.js';
import { moveRequest } from './requests.js';
import { lostItsDeposit } from './unconfirmed.js';

type Place = ReturnType<typeof placeOf>;

/**
 * What follows from a deposit leaving, re-entering or settling into the canonical chain.
 *
 * Invariants (G8): nothing that was signed is undone or repeated; what was not signed waits suspended; the books
 * follow the chain. Not guaranteed: a deposit that vanishes after it was final (a reorg deeper than finality).
 */
export function vanishDeposit(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  takeBack(context, unit, fundingKey);
  failWithout(context, unit, fundingKey);
}

/** A deposit is gone; what becomes of its request is decided apart. */
export function takeBack(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const before = known(unit, fundingKey);
  if (before.state === 'vanished') return;
  if (before.state === 'final') {
    alertFinalGone(context, fundingKey);
    return;
  }
  for (const leg of legsOf(unit, before)) {
    const { delivers, besideFill } = factsOf(leg);
    if (delivers && isClaimed(leg)) expose(unit, before, -1n);
    if ((delivers || besideFill) && leg.state === 'owed') releaseInventory(unit, leg);
    if (delivers && leg.state === 'owed') releaseVolume(unit, leg, before);
    if (unsigned(leg)) unit.update('legs', leg.id, { state: 'suspended' });
  }
  if (before.state === 'included') bookDeposit(context, unit, before, -1n);
  const gone = { state: 'vanished', height: null, blockId: null, blockTime: null, ...NO_RIVAL } as const;
  const row = unit.update('deposits', fundingKey, gone);
  noteDeposit(unit, { ...row, height: before.height, blockTime: before.blockTime }, 'failure');
}

/** What was final stays so in the books, whatever the chain says: it is for an operator to see. */
export function alertFinalGone({ alerts }: Pick<EngineContext, 'alerts'>, fundingKey: string): void {
  alerts.raise(finalGone(fundingKey), 'A final deposit vanished: finality depth is too small', { fundingKey });
}

/** It is in a block again. */
export function endFinalGone({ alerts }: Pick<EngineContext, 'alerts'>, fundingKey: string): void {
  alerts.clear(finalGone(fundingKey));
}

const finalGone = (fundingKey: string): string => `final-vanished:${fundingKey}`;

/** A request that its deposit left, and that no other deposit took over, fails until one comes back. */
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
 * The same transfer is on the chain again (or, from a mempool, for the first time).
 *
 * @param anew with another amount, which the row has by now.
 */
export function returnDeposit(
  context: EngineContext,
  unit: UnitOfWork,
  before: DepositRow,
  place: Place,
  anew = false,
): void {
  const row = unit.update('deposits', before.fundingKey, place);
  bookDeposit(context, unit, row, 1n, anew);
  const request = unit.get('requests', row.requestId);
  if (!request) throw new Error(`request of deposit ${row.fundingKey} was not loaded`);
  if (!staysOwner(context, unit, row, request)) {
    giveOwnRequest(context, unit, row, request);
    return;
  }
  noteDeposit(unit, row, 'success');
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
 * Whether a transfer that comes back still owns its order, although another transfer may have taken the order over meanwhile.
 *
 * Invariant (G3): it owns the order if the fill was sent for it or is held on it, so that a deposit that was paid for is never
 * refunded too. It also owns the order while the other transfer is undecided, which then becomes the duplicate. In all other
 * cases it is the duplicate itself.
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

/** A fill whose bytes exist: it has landed or still may. */
export function isOut(leg: LegRow): boolean {
  return factsOf(leg).delivers && (leg.state === 'bound' || leg.state === 'done');
}

/** Included again at another place without having been seen to vanish. */
export function moveDepositBlock(unit: UnitOfWork, before: DepositRow, place: Place): void {
  noteDeposit(unit, unit.update('deposits', before.fundingKey, place), 'success');
}

/** The deposit can no longer vanish: refunds may go out and its value may be collected. */
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
 * Marks what of a deposit may be collected, once it is final and each of its legs has ended for good.
 * Only then: an unsettled deposit is a liability, never inventory.
 */
export function releaseValue(context: EngineContext, unit: UnitOfWork, fundingKey: string): void {
  const deposit = known(unit, fundingKey);
  // The last two legs of a deposit may end at once on two chains, and its finality at the same time.
  unit.touch('deposits', fundingKey);
  if (deposit.state !== 'final' || deposit.collectable !== null || deposit.decision === 'waiting') return;
  const legs = legsOf(unit, deposit);
  const paying = legs.filter((leg) => leg.state === 'done' || leg.state === 'held');
  const open = legs.some((leg) => !['done', 'held', 'void', 'closed'].includes(leg.state));
  const covered = paying.reduce((sum, leg) => sum + leg.covers, 0n);
  if (open || covered !== deposit.amount) return;
  let collectable = 0n;
  for (const leg of paying) {
    if (leg.state === 'held') continue;
    const { delivers, besideFill } = factsOf(leg);
    collectable += delivers || besideFill ? leg.covers : leg.covers - leg.amount - withheld(context, leg, leg.amount);
  }
  unit.update('deposits', fundingKey, { collectable });
}

/** What a payment back takes out of the depository beside its amount: its gas, on chains where refunds spend deposits. */
export function withheld(context: EngineContext, leg: LegRow, paid: bigint): bigint {
  const spends = context.chains.get(leg.chainId)?.facts.refundsSpendDeposits === true;
  return spends && factsOf(leg).paysBack && leg.covers > paid ? leg.covers - paid : 0n;
}

/** What settles a deposit: not the fill of its order once it is a duplicate with a request of its own. */
export function legsOf(unit: UnitOfWork, deposit: Pick<DepositRow, 'fundingKey' | 'requestId'>): LegRow[] {
  const { fundingKey, requestId } = deposit;
  return unit.all('legs').filter((leg) => leg.fundingKey === fundingKey && leg.requestId === requestId);
}

export function revive(context: EngineContext, unit: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  const { delivers, besideFill } = factsOf(leg);
  if (!delivers && !besideFill) {
    unit.update('legs', leg.id, { state: 'blocked' });
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

/**
 * Status that the legs of a returned deposit imply (design: success if a fill landed, submitted if one is out, else pending).
 */
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
