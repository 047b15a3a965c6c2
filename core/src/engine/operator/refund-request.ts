import { unshownAlert } from '../../capabilities/deposit-addresses/unshown.js';
import type { RequestId } from '../../contract/ids.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { isOut, releaseValue } from '../books/deposit-life.js';
import { orderOf } from '../books/reported-deposits.js';
import { refundDeposit } from '../deposits/settle-deposit.js';
import { isWitnessed } from '../deposits/witness.js';
import { voidFill } from '../payouts/give-up.js';
import { refused } from './operator.js';
import type { OperatorOutcome } from './outcomes.js';

const REASON = 'MANUAL_ADMIN_REFUND';
const UNPAID = refused('notApplicable', 'no deposit of this request was seen: nothing is owed');

/**
 * Invariant (G3): only where the deposit is final and no fill was ever signed; a signed fill ends by itself. A halted
 * lane proves no absence of signatures.
 */
export async function refundRequest(context: WorkContext, id: RequestId): Promise<OperatorOutcome> {
  return decideAndCommit(context, 'engine.operator.refund', async () => {
    const unit = new UnitOfWork();
    await loadViews(context, unit, [id]);
    const halted = (await context.store.lanes()).filter((lane) => lane.halted !== null);
    const isQuoted = unit.get('requests', id) === undefined && (await context.store.quote(id)) !== undefined;
    const result = isQuoted ? UNPAID : decide(context, unit, id, new Set(halted.map(({ chainId }) => chainId)));
    return { work: result.ok && result.state === 'owed' ? unit : new UnitOfWork(), result };
  });
}

function decide(context: WorkContext, unit: UnitOfWork, id: RequestId, halted: ReadonlySet<number>): OperatorOutcome {
  const request = unit.get('requests', id);
  if (!request) return refused('notFound', `there is no request ${id}`);
  const deposit = request.fundingKey === null ? undefined : unit.get('deposits', request.fundingKey);
  if (!deposit) return UNPAID;
  const refund = unit.get('legs', legId.refund(deposit.fundingKey));
  if (refund && refund.state !== 'void') return known(refund);
  const fill = fillOf(unit, request.id, deposit);
  const obstacle = obstacleOf(context, deposit, fill, request.destinationChainId, halted);
  if (obstacle) return obstacle;
  unit.touch('requests', id);
  if (fill) voidFill(context, unit, fill, REASON);
  else refundDeposit(context, unit, deposit, orderOf(request) ?? null, REASON);
  context.alerts.clear(unshownAlert(deposit));
  releaseValue(context, unit, deposit.fundingKey);
  const leg = legId.refund(deposit.fundingKey);
  context.log.warn({ requestId: id, leg }, 'an operator abandoned a request');
  return { ok: true, state: 'owed', message: 'the deposit is owed back', legId: leg };
}

/** The deposit's own fill, or the order's while it may still land. */
function fillOf(unit: UnitOfWork, requestId: RequestId, { fundingKey }: DepositRow): LegRow | undefined {
  const fills = unit.all('legs').filter((leg) => factsOf(leg).delivers && leg.state !== 'void');
  const mayHaveLanded = (leg: LegRow) => isOut(leg) || leg.state === 'held';
  return (
    fills.find((leg) => leg.fundingKey === fundingKey) ??
    fills.find((leg) => leg.requestId === requestId && mayHaveLanded(leg))
  );
}

function known(refund: LegRow): OperatorOutcome {
  const { id, state } = refund;
  if (state === 'done') return { ok: true, state: 'alreadyDone', message: 'the deposit was refunded', legId: id };
  if (state === 'held')
    return refused('notApplicable', `its refund is held (${refund.reason ?? 'no reason'}): release the hold instead`);
  if (state === 'joined') return refused('notApplicable', `${refund.reason} refunds it together with a later transfer`);
  return { ok: true, state: 'inProgress', message: `its refund is ${state} already`, legId: id };
}

function obstacleOf(
  context: WorkContext,
  deposit: DepositRow,
  fill: LegRow | undefined,
  destination: number,
  halted: ReadonlySet<number>,
): OperatorOutcome | undefined {
  if (fill?.state === 'done') return refused('notApplicable', 'the request was filled');
  if (fill?.state === 'held')
    return refused('notSafe', 'its order was filled by a transaction unknown to this ledger: see its hold');
  // guard: no-refund-of-signed-fill
  if (fill && isOut(fill))
    return refused('notSafe', 'its fill was signed and may land: it ends by itself, in a success or in a refund');
  if (deposit.state !== 'final')
    return refused(
      'notSafe',
      `its deposit is ${deposit.state}, not final: a deposit that may vanish cannot be refunded yet`,
    );
  if (!isWitnessed(context, deposit))
    return refused('notSafe', 'too few providers report its deposit: find out first which of them are right');
  if (halted.has(destination))
    return refused('notSafe', `a lane of chain ${destination} is halted and may have filled it: resume the lane first`);
  if (deposit.decision !== 'waiting' && !fill)
    return refused('notApplicable', 'its deposit is settled: nothing is left to refund');
  if (fill && fill.state !== 'owed' && fill.state !== 'short')
    return refused('notApplicable', `its fill is ${fill.state}: the refund follows by itself`);
  return undefined;
}
