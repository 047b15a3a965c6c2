import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { counter } from '../../domain/accounts.js';
import { feeAccountsChain } from '../../domain/fee-accounts.js';
import { type FeeAccount, type FeeClaim, feeClaimId } from '../../domain/fee-claim.js';
import { formatUnits } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';
import { isPaused } from '../base/pauses.js';
import { inCurrency } from '../books/gas-price.js';
import { recipientOn } from '../operator/claimable.js';
import { claimBefore } from './claim-before.js';
import type { ClaimableView, FeeBalance } from './claimable.js';
import type { FeeClaimAsk, FeeClaimOffer, FeeClaimOfferOutcome, FeeClaimRefusal } from './outcomes.js';

interface Named {
  readonly ok: true;
  readonly chain: ChainAdapter;
  readonly currency: Currency;
  readonly recipient: string;
  readonly isSigned: (text: string, signature: string) => boolean;
  readonly account: FeeAccount;
  /** Number of earlier claims of the account. */
  readonly before: bigint;
}

export interface Drafted {
  readonly ok: true;
  readonly claim: FeeClaim;
  readonly offer: FeeClaimOffer;
  /** Maximum work that the fee pays for, in the chain's unit; null: unbounded. */
  readonly work: bigint | null;
}

export async function offerFees(
  context: EngineContext,
  view: ClaimableView,
  ask: FeeClaimAsk,
): Promise<FeeClaimOfferOutcome> {
  const named = await nameClaim(context, ask);
  if (!named.ok) return named;
  const waits = await refuseWhileClaiming(context, named);
  if (waits) return waits;
  const drafted = draft(context, named, ask.amount, await view.of(context, named.account));
  return drafted.ok ? { ok: true, offer: drafted.offer } : drafted;
}

export async function nameClaim(context: EngineContext, ask: FeeClaimAsk): Promise<Named | FeeClaimRefusal> {
  const parties = await partiesOf(context, ask);
  if (!parties.ok) return parties;
  const { chain, wallet, currency } = parties;
  const { id: chainId } = chain.facts;
  if (isPaused(context, chainId, chainId) !== null) return refuse('paused', 'chainId', 'its chain is paused');
  const account = { service: context.service, chainId, wallet, currency: currency.address };
  // Read before the balance: a claim in between makes this number stale.
  const before = await context.store.pot(counter.claims(chainId, wallet, currency.address));
  return { ...parties, account, before };
}

export async function refuseWhileClaiming(
  context: EngineContext,
  { account, before }: Pick<Named, 'account' | 'before'>,
): Promise<FeeClaimRefusal | undefined> {
  const last = await claimBefore(context, account, before);
  if (last === 'underWay')
    return refuse('underWay', 'wallet', 'its claim before this one is being paid: ask again once that is final');
  if (last === 'held')
    return refuse('unavailable', 'wallet', 'its claim before this one is held: the operator has to check its result');
  return undefined;
}

/**
 * @param amount null: all that can be claimed.
 * @param balance undefined where unknown.
 */
export function draft(
  context: EngineContext,
  { chain, currency, recipient, account, before }: Named,
  amount: bigint | null,
  balance: FeeBalance | undefined,
): Drafted | FeeClaimRefusal {
  if (balance === undefined)
    return refuse('unavailable', 'wallet', 'what can be claimed is unknown while too much is not final');
  const { claimable: most, pending, until } = balance;
  const whole = amount ?? most;
  const text = (units: bigint) => `${formatUnits(units, currency.decimals)} ${currency.symbol}`;
  const by = until === null ? '' : `, by ${new Date(until).toISOString()} as it seems`;
  const waits = `${pending} (${text(pending)}) more once the fills that earned it are final${by}`;
  const tooLittle = (code: 'tooMuch' | 'tooLow', words: string): FeeClaimRefusal =>
    pending === 0n
      ? refuse(code, 'amount', words)
      : { ...refuse(code, 'amount', `${words}; ${waits}`), pending: { amount: pending, until } };
  if (whole > most) return tooLittle('tooMuch', `no more than ${most} (${text(most)}) can be claimed now`);
  const cost = chain.legCost('fill', currency.address, recipient);
  const priced = cost && inCurrency(context, chain, currency, cost.native);
  if (!cost || !priced?.ok) return refuse('unavailable', 'currency', 'the network fee of the payout is not known now');
  const paid = arriving(chain, currency, whole - priced.gas);
  if (paid <= 0n) {
    const owed = whole === 0n ? 'nothing can be claimed now' : `${whole} (${text(whole)})`;
    return tooLittle('tooLow', `${owed}, and its payout takes a network fee of ${priced.gas} (${text(priced.gas)})`);
  }
  const fee = whole - paid;
  const refusal = chain.refuseFill?.({ currency: currency.address, amount: paid, recipient });
  if (refusal?.why === 'amount') return tooLittle('tooLow', refusal.message);
  if (refusal) return refuse('invalid', refusal.why, refusal.message);
  const claim = { ...account, before, recipient, amount: whole };
  const { chainId, wallet } = account;
  const sums = { recipient, amount: whole, fee };
  const offer = { claimId: feeClaimId(claim), chainId, wallet, currency: currency.address, ...sums };
  return { ok: true, claim, offer, work: cost.work ?? null };
}

/** What comes of an amount that is sent. The payout arrives in full, so its claim bears the token's own fee. */
function arriving(chain: ChainAdapter, { address }: Currency, sent: bigint): bigint {
  const fee = chain.transferFee?.(address);
  // guard: claims-bear-transfer-fees
  if (fee !== undefined && sent > 0n) return fee.arriving(sent);
  return sent;
}

type Parties =
  | {
      readonly ok: true;
      readonly chain: ChainAdapter;
      readonly wallet: string;
      readonly isSigned: Named['isSigned'];
      readonly recipient: string;
      readonly currency: Currency;
    }
  | FeeClaimRefusal;

async function partiesOf(context: EngineContext, ask: FeeClaimAsk): Promise<Parties> {
  const { chains, policy } = context;
  const chain = chains.get(ask.chainId);
  if (!chain) return refuse('invalid', 'chainId', 'is no chain that is served');
  const name = chain.facts.displayName;
  const accounts = feeAccountsChain(chains, policy, chain);
  const wallet = accounts.parseAddress(ask.wallet);
  const of = accounts.facts.displayName;
  if (!wallet.ok) return refuse('invalid', 'wallet', `is no address of ${of}: ${wallet.reason}`);
  const { verifyMessage } = accounts.capabilities;
  if (!verifyMessage)
    return refuse('unavailable', 'wallet', `signatures of accounts of ${of} cannot be read: ask the operator`);
  const currency = chain.currency(ask.currency);
  if (!currency) return refuse('currency', 'currency', `is not served on ${name}`);
  const recipient = await recipientOn(context, chain, ask.recipient);
  if (!recipient.ok) return refuse('invalid', 'recipient', recipient.reason);
  const isSigned = (text: string, signature: string) => verifyMessage(wallet.value, text, signature);
  return { ok: true, chain, wallet: wallet.value, isSigned, recipient: recipient.value, currency };
}

export function refuse(
  code: FeeClaimRefusal['code'],
  field: FeeClaimRefusal['field'],
  message: string,
): FeeClaimRefusal {
  return { ok: false, code, field, message };
}
