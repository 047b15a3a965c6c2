import type { Party, PartyRole } from '../contract/screening.js';
import { feeAccountsChain } from '../domain/fee-accounts.js';
import { type ApiError, apiError, laterError } from '../errors/api-error.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { ValidAsk } from './validate.js';

/** Retry-After. */
const RETRY_AFTER_S = 5;

/**
 * SANCTIONED_WALLET_ADDRESS for a blocked party, naming its field but not the screener's response;
 * SERVICE_UNAVAILABLE while a screener does not answer.
 *
 * Invariant: nothing is promised to, or on behalf of, a party that was not just cleared by every screener.
 */
export async function refuseScreened(
  ask: ValidAsk,
  { screening, ...accounts }: Pick<QuotingDeps, 'screening' | 'chains' | 'policy'>,
): Promise<ApiError | undefined> {
  const named = partiesOf(ask, accounts);
  const [screened] = await screening.screen('quotes', [named.map(({ party }) => party)]);
  // guard: quote-screening-silence
  if (screened?.state === 'clear') return undefined;
  if (screened?.state !== 'blocked')
    return laterError('SERVICE_UNAVAILABLE', 'Addresses cannot be screened now', RETRY_AFTER_S);
  const field = named.find(({ party }) => party === screened.party)?.field ?? screened.party.role;
  return apiError('SANCTIONED_WALLET_ADDRESS', undefined, { field, reason: 'is not served' });
}

interface Named {
  readonly party: Party;
  readonly field: string;
}

/** All named parties with their fields. In previews payer and recipient may be placeholders. */
function partiesOf(ask: ValidAsk, { chains, policy }: Pick<QuotingDeps, 'chains' | 'policy'>): readonly Named[] {
  const { user, recipient, refundTo, feePayer, preview, recipientField, callees, appFees } = ask;
  const from = ask.origin.facts.id;
  const to = ask.destination.facts;
  const hasNoPayee = preview && to.burnAddresses.includes(recipient);
  const earnsOn = appFees.length === 0 ? from : feeAccountsChain(chains, policy, ask.origin).facts.id;
  const named: readonly (readonly [PartyRole, number, string | null, string])[] = [
    ['user', from, preview ? null : user, 'user'],
    ['recipient', to.id, hasNoPayee ? null : recipient, recipientField],
    ['refundTo', from, refundTo, 'refundTo'],
    ['refundTo', from, ask.address?.recoveryAddress ?? null, 'recoveryAddress'],
    ['feePayer', from, feePayer, 'depositFeePayer'],
    ...callees.map(({ address, field }) => ['callee', to.id, address, field] as const),
    ...appFees.map((fee, n) => ['appFee', earnsOn, fee.recipient, `appFees[${n}].recipient`] as const),
  ];
  return named.flatMap(([role, chainId, address, field]) =>
    address === null ? [] : [{ party: { chainId, address, role }, field }],
  );
}
