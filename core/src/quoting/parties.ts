import type { ChainAdapter } from '../contract/chain-adapter.js';
import { refuseCustodian } from '../domain/custodians.js';
import { feeAccountsChain } from '../domain/fee-accounts.js';
import { type ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import { refuseAccount, refuseAddress } from '../screening/payees.js';
import type { QuoteAsk } from './ask.js';
import type { QuotingDeps } from './quoting-deps.js';
import { refused, type Stage } from './stage.js';
import type { ValidAsk } from './validate.js';

type Parties = Pick<ValidAsk, 'user' | 'recipient' | 'recipientField' | 'refundTo' | 'preview'>;
type Named = Readonly<Record<'origin' | 'destination', ChainAdapter>>;

/** Validates payer, recipient and refund address: none may be a known burn address. */
export function partiesOf(
  ask: QuoteAsk,
  { origin, destination }: Named,
  { policy }: Pick<QuotingDeps, 'policy'>,
): Stage<Parties> {
  const preview = isPreview(origin, ask.user);
  const recipient = recipientOf(ask, destination, preview, policy);
  if (refused(recipient)) return recipient;
  const user = address(origin, 'user', ask.user);
  if (refused(user)) return user;
  // The native sentinel means "back to the depositor"; as an address it would burn the refund.
  const refundTo = ask.refundTo === undefined ? null : address(origin, 'refundTo', ask.refundTo);
  if (refused(refundTo)) return refundTo;
  const back = refundTo === null || refundTo === origin.facts.currency.address ? null : refundTo;
  const wrong =
    back === null
      ? preview
        ? undefined
        : refuseBack(origin, 'user', user, policy)
      : refuseBack(origin, 'refundTo', back, policy);
  const lost = wrong ?? recoveryOf(ask, origin, policy);
  return lost ?? { user, ...recipient, refundTo: back, preview };
}

function isPreview(origin: ChainAdapter, user: string): boolean {
  const parsed = origin.parseAddress(user);
  return parsed.ok && origin.facts.burnAddresses.includes(parsed.value);
}

/** Defaults to the user, whose field errors then name. Such a recipient is not checked for being a token contract. */
function recipientOf(
  ask: QuoteAsk,
  destination: ChainAdapter,
  preview: boolean,
  { custodians }: QuotingDeps['policy'],
): Stage<Pick<ValidAsk, 'recipient' | 'recipientField'>> {
  const recipientField = ask.recipient === undefined ? 'user' : 'recipient';
  const recipient = address(destination, recipientField, ask.recipient ?? ask.user);
  if (refused(recipient)) return recipient;
  const found = { recipient, recipientField } as const;
  // Pages use it as a placeholder in previews; a real payment to it is refused and refunded.
  const { burnAddresses, currency } = destination.facts;
  if (burnAddresses.includes(recipient) && (preview || recipient !== currency.address)) return found;
  const why =
    refuseAddress(destination, recipient, ask.recipient !== undefined) ??
    refuseCustodian(custodians, destination.facts.id, recipient);
  return why === undefined ? found : badRecipient(recipientField, why);
}

function badRecipient(field: string, why: string): ApiError {
  return apiError('INVALID_RECIPIENT', `The recipient ${why}`, { field, reason: why });
}

function refuseBack(
  origin: ChainAdapter,
  field: 'user' | 'refundTo' | 'recoveryAddress',
  back: string,
  { custodians }: QuotingDeps['policy'],
): ApiError | undefined {
  const lost = refuseAddress(origin, back, field !== 'user');
  if (lost !== undefined) return badAddress(field, lost);
  const unclear = refuseCustodian(custodians, origin.facts.id, back);
  if (unclear === undefined) return undefined;
  return invalidRequest(field, field === 'user' ? `${unclear}: name a \`refundTo\` for refunds` : unclear);
}

function recoveryOf(ask: QuoteAsk, origin: ChainAdapter, policy: QuotingDeps['policy']): ApiError | undefined {
  if (ask.recoveryAddress === undefined) return undefined;
  const recovery: Stage<string> = address(origin, 'recoveryAddress', ask.recoveryAddress);
  return refused(recovery) ? recovery : refuseBack(origin, 'recoveryAddress', recovery, policy);
}

function badAddress(field: string, why: string): ApiError {
  return apiError('INVALID_ADDRESS', `${field} ${why}`, { field, reason: why });
}

/** Canonical recipient of an app fee, who claims it by signature. */
export function feeRecipient(accounts: ChainAdapter, field: string, text: string): Stage<string> {
  const recipient = address(accounts, field, text);
  if (refused(recipient)) return recipient;
  const lost = refuseAddress(accounts, recipient);
  return lost === undefined ? recipient : badAddress(field, lost);
}

export function address(chain: ChainAdapter, field: string, text: string): Stage<string> {
  const parsed = chain.parseAddress(text);
  return parsed.ok
    ? parsed.value
    : apiError('INVALID_ADDRESS', `${field} is not an address of ${chain.facts.displayName}: ${parsed.reason}`, {
        field,
        reason: parsed.reason,
      });
}

/** Refuses accounts that swallow payments. Synchronous if nothing has to be asked, as for recently checked accounts. */
export function refuseSwallowed(
  ask: ValidAsk,
  deps: Pick<QuotingDeps, 'chains' | 'policy' | 'clock'>,
): ApiError | undefined | Promise<ApiError | undefined> {
  const paid = paidAccounts(ask, deps);
  const reported = paid.map(({ chain, account }) => refuseAccount(chain, account, deps.clock));
  const refusal = (words: readonly (string | undefined)[]) => {
    const n = words.findIndex((one) => one !== undefined);
    return n < 0 ? undefined : paid[n]?.refused(words[n] ?? '');
  };
  if (reported.some((one) => one instanceof Promise)) return Promise.all(reported).then(refusal);
  return refusal(reported as readonly (string | undefined)[]);
}

interface PaidAccount {
  readonly chain: ChainAdapter;
  readonly account: string;
  refused(why: string): ApiError;
}

/** Accounts that may be paid, in the order in which errors name them. A payer that signs can spend what comes back. */
function paidAccounts(
  { origin, destination, user, recipient, recipientField, refundTo, appFees, address: deposit }: ValidAsk,
  { chains, policy }: Pick<QuotingDeps, 'chains' | 'policy'>,
): readonly PaidAccount[] {
  const paid: PaidAccount[] = [];
  if (!destination.facts.burnAddresses.includes(recipient))
    paid.push({ chain: destination, account: recipient, refused: (why) => badRecipient(recipientField, why) });
  const back = (field: string, account: string | null) => {
    if (account !== null) paid.push({ chain: origin, account, refused: (why) => badAddress(field, why) });
  };
  back('refundTo', refundTo);
  if (deposit !== null) {
    if (refundTo === null) back('user', user);
    back('recoveryAddress', deposit.recoveryAddress);
  }
  const accounts = appFees.length === 0 ? undefined : feeAccountsChain(chains, policy, origin);
  if (accounts)
    for (const [n, { recipient: account }] of appFees.entries())
      paid.push({ chain: accounts, account, refused: (why) => badAddress(`appFees[${n}].recipient`, why) });
  return paid;
}
