import type { DepositRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { actualIn, noteDeposit, requestOfQuote } from './reported-deposits.js';
import { moveRequest } from './requests.js';

/**
 * Gives a duplicate deposit a child request. Its movements move there; the fill stays with the order.
 *
 * Precondition: nothing was signed to pay this deposit back.
 */
export function giveOwnRequest(
  context: EngineContext,
  unit: UnitOfWork,
  deposit: DepositRow,
  parent: RequestRow,
): DepositRow {
  const body = JSON.parse(parent.body) as QuoteBody;
  const child = unit.insert('requests', requestOfQuote(context, body, parent, parent.id, deposit.depositor));
  unit.update('requests', child.id, { fundingKey: deposit.fundingKey, actual: actualIn(child, deposit) });
  for (const leg of unit.all('legs')) {
    if (leg.fundingKey !== deposit.fundingKey) continue;
    const { delivers, paidWithFill } = factsOf(leg);
    if (!delivers && !paidWithFill) unit.update('legs', leg.id, { state: 'void', requestId: child.id });
    else if (leg.state === 'suspended') unit.update('legs', leg.id, { state: 'void' });
  }
  const row = unit.update('deposits', deposit.fundingKey, { requestId: child.id, decision: 'waiting' });
  noteDeposit(context, unit, row, 'success');
  moveRequest(context, unit, child.id, 'depositSeen');
  return row;
}
