import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { counter } from '../../domain/accounts.js';
import { feeAccountsChain } from '../../domain/fee-accounts.js';
import { type FeeClaim, feeClaimId } from '../../domain/fee-claim.js';
import { formatUnits } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';
import { isPaused } from '../base/pauses.js';
import { inCurrency } from '../books/gas-price.js';
import { recipientOn } from '../operator/claimable.js';
import { claimableFees } from './claimable.js';
import type { FeeClaimAsk, FeeClaimOffer, FeeClaimOfferOutcome, FeeClaimRefusal } from './outcomes.js';

/** An offer with what it takes to accept it. */
export interface Drafted {
  readonly ok: true;
  readonly chain: ChainAdapter;
  /** Whether the key of the wallet signed a text. */
  readonly isSigned: (text: string, signature: string) => boolean;
  readonly claim: FeeClaim;
  readonly offer: FeeClaimOffer;
  /** Most work that the fee pays for, in the chain's unit; null where nobody but the service decides about it. */
  readonly work: bigint | null;
}

/** What a wallet would sign, and get. Leaves nothing behind. */
export async function offerFees(context: EngineContext, ask: FeeClaimAsk): Promise<FeeClaimOfferOutcome> {
  const drafted = await draft(context, ask);
  return drafted.ok ? { ok: true, offer: drafted.offer } : drafted;
}

/** Everything about a claim but its signature, from what the ledger and the chain say now. */
export async function draft(context: EngineContext, ask: FeeClaimAsk): Promise<Drafted | FeeClaimRefusal> {
  const parties = partiesOf(context, ask);
  if (!parties.ok) return parties;
  const { chain, wallet, recipient, currency, isSigned } = parties;
  const { id: chainId } = chain.facts;
  if (isPaused(context, chainId, chainId) !== null) return refuse('paused', 'chainId', 'its chain is paused');
  const account = { service: context.service, chainId, wallet, currency: currency.address };
  // Before what is owed is read: a claim that comes between them makes this number one that is taken.
  const before = await context.store.pot(counter.claims(chainId, wallet, currency.address));
  const most = await claimableFees(context, chainId, wallet, currency.address);
  if (most === undefined) return refuse('unavailable', 'wallet', 'too much is not final to tell what can be claimed');
  const amount = ask.amount ?? most;
  const text = (units: bigint) => `${formatUnits(units, currency.decimals)} ${currency.symbol}`;
  if (amount > most) return refuse('tooMuch', 'amount', `no more than ${most} (${text(most)}) can be claimed now`);
  const cost = chain.legCost('fill', currency.address, recipient);
  const priced = cost && inCurrency(context, chain, currency, cost.native);
  if (!cost || !priced?.ok) return refuse('unavailable', 'currency', 'the network fee of the payout is not known now');
  const fee = priced.gas;
  const paid = amount - fee;
  if (paid <= 0n) {
    const owed = amount === 0n ? 'nothing can be claimed' : `${amount} (${text(amount)})`;
    return refuse('tooLow', 'amount', `${owed}, and its payout takes a network fee of ${fee} (${text(fee)})`);
  }
  const refusal = chain.refuseFill?.({ currency: currency.address, amount: paid, recipient });
  if (refusal) {
    const field = refusal.why === 'recipient' ? 'recipient' : refusal.why === 'amount' ? 'amount' : 'currency';
    return refuse(refusal.why === 'amount' ? 'tooLow' : 'invalid', field, refusal.message);
  }
  const claim = { ...account, before, recipient, amount };
  const offer = { claimId: feeClaimId(claim), chainId, wallet, currency: currency.address, recipient, amount, fee };
  return { ok: true, chain, isSigned, claim, offer, work: cost.work ?? null };
}

type Parties =
  | {
      readonly ok: true;
      readonly chain: ChainAdapter;
      readonly wallet: string;
      readonly isSigned: Drafted['isSigned'];
      readonly recipient: string;
      readonly currency: Currency;
    }
  | FeeClaimRefusal;

function partiesOf({ chains, policy }: EngineContext, ask: FeeClaimAsk): Parties {
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
  const recipient = recipientOn(chain, ask.recipient);
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
