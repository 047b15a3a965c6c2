import type { ChainId } from '../../../contract/ids.js';
import type { FakeDeposit, FakeFill, FakeSweep, FakeWithdrawal } from '../../fake-chain/fake-chain-types.js';
import type { AtRisk } from './at-risk.js';
import type { ChainWatch } from './chain-watch.js';
import type { Drift } from './drift.js';
import type { JoinedTransfers } from './joined.js';
import { givenBy, mostIn, type Promised } from './promised.js';
import { isPartBack } from './top-up-judge.js';
import type { Findings } from './violation.js';

/**
 * Checked at every new block, by canonical chains and clients' answers.
 *
 * Invariants: an order is filled at most once, within its promise, for an existing deposit; other fills are only
 * app-fee claims and top-ups; a depository pays each debt once, to its creditor, and never more than it received; a
 * deposit that paid a fill is not refunded. Not judged: fills of deposits that a reorg removed later, and of those
 * accepted on one provider's word within the configured risk.
 */
export class Safety {
  readonly #watches: ReadonlyMap<ChainId, ChainWatch>;
  readonly #promises: ReadonlyMap<string, Promised>;
  readonly #findings: Findings;
  readonly #drift: (promise: Promised) => Drift;
  readonly #atRisk: AtRisk;
  /** Quotes that a restored database lost. */
  readonly #forgotten: ReadonlySet<string>;
  readonly #isOther: (watch: ChainWatch, fill: FakeFill) => boolean;
  readonly #joined: Pick<JoinedTransfers, 'amountWith' | 'isPaid'>;

  constructor(
    watches: ReadonlyMap<ChainId, ChainWatch>,
    promises: ReadonlyMap<string, Promised>,
    forgotten: ReadonlySet<string>,
    findings: Findings,
    drift: (promise: Promised) => Drift,
    atRisk: AtRisk,
    isOther: (watch: ChainWatch, fill: FakeFill) => boolean,
    joined: Pick<JoinedTransfers, 'amountWith' | 'isPaid'>,
  ) {
    this.#watches = watches;
    this.#promises = promises;
    this.#forgotten = forgotten;
    this.#findings = findings;
    this.#drift = drift;
    this.#atRisk = atRisk;
    this.#isOther = isOther;
    this.#joined = joined;
  }

  step(): boolean {
    this.#atRisk.look();
    let any = false;
    for (const watch of this.#watches.values()) {
      const news = watch.look();
      if (!news) continue;
      any = true;
      for (const fill of news.fills) this.#fill(watch, fill);
      for (const withdrawal of news.withdrawals) this.#withdrawal(watch, withdrawal);
      for (const sweep of news.sweeps) this.#sweep(watch, sweep);
    }
    return any;
  }

  #fill(watch: ChainWatch, fill: FakeFill): void {
    const promise = this.#promises.get(fill.orderId);
    const say = (what: string) => this.#findings.say('fill-off-promise', `fill of ${fill.orderId}: ${what}`);
    if (!promise) return this.#isOther(watch, fill) ? undefined : say('which no one was promised');
    if (watch.chain.id !== promise.destinationChainId) say(`on chain ${watch.chain.id}`);
    if (promise.payerSwap !== undefined) say('which its payer was to execute');
    const { currency, most } = givenBy(promise);
    if (fill.currency !== currency) say(`in ${fill.currency}`);
    if (fill.recipient !== promise.recipient) say(`to ${fill.recipient}`);
    const got = promise.swap === undefined ? { currency, amount: fill.amount } : fill.brought;
    // The solver's currency counts only as a permitted fallback.
    if (got === undefined && promise.swap?.fallback !== true) say('and exchanged for nothing');
    if (got && got.currency !== promise.currencyOut) say(`and exchanged for ${got.currency}`);
    if (got && got.amount < promise.minimumOut) say(`${got.amount} is less than the least, ${promise.minimumOut}`);
    const { numerator, denominator, above } = this.#drift(promise);
    // Surplus of a swap buys at the price without fixed fees.
    const surplus =
      promise.swapIn === undefined ? 0n : (2n * most * (mostIn(promise) - promise.amountIn)) / promise.amountIn;
    // No price makes an exact output more.
    const isMore = promise.tradeType === 'EXACT_OUTPUT' && fill.amount > most;
    if (isMore || fill.amount * denominator >= (most + surplus + above) * numerator)
      say(`${fill.amount} is more than the promised ${most}`);
    this.#paidFor(promise, fill);
  }

  /** A filled order has a deposit that covers the fill and stays. */
  #paidFor(promise: Promised, fill: FakeFill): void {
    const origin = this.#watches.get(promise.originChainId);
    if (!origin || origin.lost(promise.orderId)) return;
    if (origin.depositsOf(promise.orderId).some((deposit) => this.#covers(origin, promise, deposit, fill))) return;
    if (this.#isRiskTaken(origin, promise, fill)) return;
    this.#findings.say('fill-unpaid', `order ${promise.orderId} was filled, and no deposit on the chain pays for it`);
  }

  /** One provider had a covering deposit, and all such fills stay within the configured risk. */
  #isRiskTaken(origin: ChainWatch, promise: Promised, fill: FakeFill): boolean {
    const taken = this.#atRisk.riskTakenWith(promise.orderId);
    if (!taken || !this.#covers(origin, promise, taken, fill)) return false;
    const unpaid = [...this.#atRisk.taken].filter(
      ([orderId, { fundingKey, currency }]) =>
        this.#promises.get(orderId)?.originChainId === promise.originChainId &&
        currency === taken.currency &&
        !origin.deposits.has(fundingKey) &&
        this.#isFilled(orderId),
    );
    return this.#atRisk.affords(
      promise.originChainId,
      unpaid.map(([, deposit]) => deposit),
    );
  }

  #isFilled(orderId: string): boolean {
    const promise = this.#promises.get(orderId);
    return promise !== undefined && this.#watches.get(promise.destinationChainId)?.fills.has(orderId) === true;
  }

  #covers(origin: ChainWatch, promise: Promised, deposit: FakeDeposit, fill: FakeFill): boolean {
    if (deposit.currency !== promise.currencyIn) return false;
    const { fundingKey } = deposit;
    if (origin.refundOf(fundingKey, 'refund') || this.#joined.isPaid(origin, fundingKey)) return false;
    // The returned top-up part buys no output.
    const part = promise.topUp !== undefined && isPartBack(origin, promise, deposit) ? this.#part(promise) : 0n;
    const left = deposit.amount - (origin.refundOf(deposit.fundingKey, 'excess')?.amount ?? 0n) + part;
    const { numerator, denominator, above } = this.#drift(promise);
    // A part of the input buys at most its share of the output; fixed fees reduce it.
    const { most } = givenBy(promise);
    const surplus = promise.swapIn !== undefined && left > promise.amountIn ? most * (left - promise.amountIn) : 0n;
    return fill.amount * promise.amountIn * denominator <= (left * (most + above) + surplus) * numerator;
  }

  /** Largest top-up part, also of a late, repriced deposit. */
  #part({ swap: _, ...promise }: Promised): bigint {
    const { topUp } = promise;
    if (topUp === undefined) return 0n;
    const { numerator, denominator } = this.#drift({ ...promise, currencyOut: topUp.currency });
    return (topUp.part * numerator) / denominator + 1n;
  }

  #withdrawal(watch: ChainWatch, withdrawal: FakeWithdrawal): void {
    const purpose = watch.purpose(withdrawal.useKey);
    const say = (rule: string, what: string) =>
      this.#findings.say(
        rule,
        `${withdrawal.amount} ${withdrawal.currency} to ${withdrawal.recipient} on chain ${watch.chain.id}: ${what}`,
      );
    if (!purpose || purpose.leg === 'sweep') {
      if (withdrawal.recipient !== watch.chain.signer) say('withdrawal-unowed', 'no one is owed that');
      return;
    }
    const deposit = watch.deposits.get(purpose.fundingKey);
    if (!deposit) return say('refund-unfunded', `deposit ${purpose.fundingKey} is not on the chain`);
    if (!watch.isFinal(deposit)) say('refund-early', `deposit ${purpose.fundingKey} is not final`);
    if (withdrawal.currency !== deposit.currency)
      say('refund-currency', `deposit ${purpose.fundingKey} is in ${deposit.currency}`);
    const { brought } = withdrawal;
    if (brought !== undefined && (purpose.leg !== 'refund' || brought.currency !== deposit.paid?.currency))
      say('exchanged-for-other', `${purpose.leg} of ${purpose.fundingKey} was exchanged for ${brought.currency}`);
    const promise = this.#promiseOf(watch, deposit);
    if (!this.#owedTo(watch, deposit, promise).has(withdrawal.recipient))
      say('refund-recipient', `${purpose.leg} of ${purpose.fundingKey} is owed to another account`);
    const paid = (leg: 'refund' | 'excess') => watch.refundOf(purpose.fundingKey, leg)?.amount ?? 0n;
    if (paid('refund') + paid('excess') > deposit.amount + this.#joined.amountWith(watch, purpose.fundingKey))
      say('refund-too-much', `deposit ${purpose.fundingKey} was ${deposit.amount}`);
    const fill = promise && this.#watches.get(promise.destinationChainId)?.fills.get(promise.orderId);
    if (promise && fill) this.#paidFor(promise, fill);
  }

  /** Bound to its own transfer (G4); a forwarder pays the depository at the call of anyone. */
  #sweep(watch: ChainWatch, { useKey, address, currency, amount }: FakeSweep): void {
    if (useKey === null) return;
    const { chain } = watch;
    const purpose = watch.purpose(useKey);
    const say = (rule: string, what: string) =>
      this.#findings.say(rule, `${amount} ${currency} from ${address} on chain ${chain.id}: ${what}`);
    const transfer = purpose?.leg === 'sweep' ? watch.deposits.get(purpose.fundingKey) : undefined;
    if (transfer === undefined) return say('sweep-unowed', `use key ${useKey} is of no transfer on the chain`);
    const { fundingKey } = transfer;
    if (!watch.isFinal(transfer)) say('sweep-early', `transfer ${fundingKey} is not final`);
    if (watch.places.get(fundingKey) !== address || transfer.currency !== currency)
      say('sweep-of-other', `transfer ${fundingKey} is elsewhere`);
    if (chain.profile === 'nonce') return;
    if (amount !== transfer.amount) say('sweep-amount', `transfer ${fundingKey} is ${transfer.amount}`);
    if (chain.history().sweeps.filter((one) => one.useKey === useKey).length > 1)
      say('swept-twice', `transfer ${fundingKey}`);
  }

  /** Orders of transfers to open addresses are not for deposits that name them. */
  #promiseOf(watch: ChainWatch, { orderId, fundingKey }: FakeDeposit): Promised | undefined {
    const promise = orderId === null ? undefined : this.#promises.get(orderId);
    return promise?.address?.isTransfer && !watch.places.has(fundingKey) ? undefined : promise;
  }

  #owedTo(watch: ChainWatch, deposit: FakeDeposit, promise: Promised | undefined): ReadonlySet<string> {
    // A transfer may name its depositor; otherwise the money's owner counts.
    const payer = watch.chain.profile === 'nonce' && !promise ? deposit.depositor : deposit.from;
    if (!promise) return new Set([payer]);
    if (watch.places.has(deposit.fundingKey)) {
      const { refunds = false, recovery } = promise.address ?? {};
      const all = [refunds ? promise.refundTo : undefined, recovery, watch.named.get(deposit.fundingKey)];
      return new Set(all.filter((one) => one !== undefined));
    }
    // On another chain the refund recipient may be no one's address.
    const isOrigin = watch.chain.id === promise.originChainId;
    const owed = new Set([isOrigin ? promise.refundTo : payer]);
    if (isOrigin && promise.address?.recovery !== undefined) owed.add(promise.address.recovery);
    if (this.#forgotten.has(promise.orderId)) owed.add(payer);
    return owed;
  }
}
