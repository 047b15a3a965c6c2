import type { Party, PartyRole } from '../contract/screening.js';
import { type ApiError, apiError, laterError } from '../errors/api-error.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { ValidAsk } from './validate.js';

/** After so long it may be known. */
const AGAIN_SECONDS = 5;

/**
 * SANCTIONED_WALLET_ADDRESS for a party that a screener blocks, with the field that names it and nothing of what the screener said;
 * SERVICE_UNAVAILABLE while one does not answer.
 *
 * Invariant: nothing is promised to, or on behalf of, somebody whom a screener did not just clear.
 */
export async function refuseScreened(
  ask: ValidAsk,
  { screening }: Pick<QuotingDeps, 'screening'>,
): Promise<ApiError | undefined> {
  const [screened] = await screening.screen('quotes', [partiesOf(ask)]);
  if (screened?.state === 'clear') return undefined;
  if (screened?.state !== 'blocked')
    return laterError('SERVICE_UNAVAILABLE', 'Addresses cannot be screened now', AGAIN_SECONDS);
  const field = fieldOf(ask, screened.party.role);
  return apiError('SANCTIONED_WALLET_ADDRESS', undefined, { field, reason: 'is not served' });
}

/** Whoever a quote names. The payer of a preview is nobody, and so may its recipient be. */
function partiesOf(ask: ValidAsk): readonly Party[] {
  const { user, recipient, refundTo, feePayer, preview } = ask;
  const from = ask.origin.facts.id;
  const to = ask.destination.facts;
  const paysNobody = preview && to.burnAddresses.includes(recipient);
  const named: readonly (readonly [PartyRole, number, string | null])[] = [
    ['user', from, preview ? null : user],
    ['recipient', to.id, paysNobody ? null : recipient],
    ['refundTo', from, refundTo],
    ['feePayer', from, feePayer],
  ];
  return named.flatMap(([role, chainId, address]) => (address === null ? [] : [{ chainId, address, role }]));
}

function fieldOf(ask: ValidAsk, role: PartyRole): string {
  if (role === 'recipient') return ask.recipientField;
  return role === 'feePayer' ? 'depositFeePayer' : role;
}
