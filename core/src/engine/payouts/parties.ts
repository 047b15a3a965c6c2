import type { Party } from '../../contract/screening.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';

/**
 * Everybody who has a part in a payment: whom it goes to, and for one out of a deposit also who paid in and whom its order names. So what a
 * blocked party sent is not paid back past the hold, and what is for a blocked party is not paid back as if nothing was.
 * Empty for what is the solver's own.
 */
export function partiesOf(
  context: EngineContext,
  leg: LegRow,
  request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): readonly Party[] {
  const { isOwn, paysBack } = factsOf(leg);
  if (isOwn) return [];
  const parties: Party[] = [
    { chainId: leg.chainId, address: leg.recipient, role: paysBack ? 'refundTo' : 'recipient' },
  ];
  if (deposit) parties.push({ chainId: deposit.chainId, address: deposit.depositor, role: 'depositor' });
  if (request) {
    parties.push({ chainId: request.originChainId, address: request.user, role: 'user' });
    if (paysBack) parties.push({ chainId: request.destinationChainId, address: request.recipient, role: 'recipient' });
  }
  parties.push(...(context.kinds.of(leg).otherParties?.(context, leg) ?? []));
  // Some chains cannot tell who paid in.
  return parties.filter(({ address }) => address !== '');
}
