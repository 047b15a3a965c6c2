import { paysRecovery } from '../../capabilities/deposit-addresses/recovery.js';
import type { ChainId } from '../../contract/ids.js';
import type { Party } from '../../contract/screening.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { feeAccountsChain } from '../../domain/fee-accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';

/**
 * The recipient and, for payments from a deposit, the payer and the accounts that the order names, calls or pays app
 * fees to: no refund bypasses a block. Empty for the solver's own movements.
 */
export function partiesOf(
  context: EngineContext,
  leg: LegRow,
  request: RequestRow | undefined,
  deposits: readonly Pick<DepositRow, 'chainId' | 'depositor'>[],
): readonly Party[] {
  const { movesSolverMoney, refundsPayer } = factsOf(leg);
  if (movesSolverMoney) return [];
  const parties: Party[] = [
    { chainId: leg.chainId, address: leg.recipient, role: refundsPayer ? 'refundTo' : 'recipient' },
  ];
  for (const { chainId, depositor: address } of deposits)
    if (isAnAccount(context, chainId, address)) parties.push({ chainId, address, role: 'depositor' });
  if (request && !(refundsPayer && paysRecovery(leg, request))) {
    parties.push({ chainId: request.originChainId, address: request.user, role: 'user' });
    if (refundsPayer)
      parties.push({ chainId: request.destinationChainId, address: request.recipient, role: 'recipient' });
    parties.push(...named(context, request, refundsPayer));
  }
  parties.push(...(context.kinds.of(leg).otherParties?.(context, leg) ?? []));
  // Some chains cannot name the payer.
  return parties.filter(({ address }) => address !== '');
}

/** Screeners get addresses only: one that throws on another text would make its payment wait permanently. */
function isAnAccount({ chains }: EngineContext, chainId: ChainId, depositor: string): boolean {
  const chain = chains.get(chainId);
  return chain === undefined || chain.parseAddress(depositor).ok;
}

/** Refunds pay no app fees. */
function named(
  { chains, policy }: EngineContext,
  { body, originChainId, destinationChainId }: RequestRow,
  refundsPayer: boolean,
): readonly Party[] {
  const { callees = [], call, terms } = JSON.parse(body) as Partial<QuoteBody>;
  const calleesOn = (chainId: ChainId, addresses: readonly string[]) =>
    addresses.map((address): Party => ({ chainId, address, role: 'callee' }));
  const parties = [...calleesOn(destinationChainId, callees), ...calleesOn(originChainId, call?.callees ?? [])];
  const { appFees = [] } = terms ?? {};
  const origin = chains.get(originChainId);
  if (refundsPayer || appFees.length === 0 || origin === undefined) return parties;
  const { id: chainId } = feeAccountsChain(chains, policy, origin).facts;
  return [...parties, ...appFees.map(({ recipient: address }) => ({ chainId, address, role: 'appFee' as const }))];
}
