import { keepNewest } from '../chain/keep-newest.js';
import { locate, locateInPast, type TonProvider } from '../chain/read.js';
import { change, type TonMessage, type TonTransaction } from '../chain/transaction.js';
import { nameOf } from '../comments.js';
import type { Sweeping } from '../deposit-addresses/contract.js';
import type { JettonBook } from '../jetton-book.js';
import { type Jetton, readNotification, readTransfer, walletOf } from '../jettons.js';
import { type Payment, paymentOf } from './messages.js';
import { isSweepNamed } from './sweeps.js';
import type { Upkeep } from './upkeep.js';

export interface Outcome {
  readonly payment: Payment | undefined;
  /**
   * `pending`: a following message is not included yet. `returned`: the value is back. `lost`: all is included, and
   * it neither arrived nor returned, as where no coins were left to send it back. `unread`: a transaction on its way is
   * included and cannot be read, which never changes.
   */
  readonly end: 'arrived' | 'returned' | 'lost' | 'unread' | 'pending';
  readonly exitCode?: number | undefined;
  /**
   * Received amount where known: from the recipient's jetton wallet; for coins to a service wallet, the rest after
   * its own code's fees.
   */
  readonly took?: bigint | undefined;
  /** Nanotons sent with its message that did not return. */
  readonly cost: bigint;
}

export interface Trace {
  readonly transaction: TonTransaction;
  readonly outcomes: readonly Outcome[];
  /** No more will be learnt of it: none of its messages that can be followed is in flight. */
  readonly isWhole: boolean;
  /**
   * Nanotons that the wallet lost in addition to the delivered coins: network fees, also storage since the previous
   * order, and attached coins that did not return.
   */
  readonly fee: bigint;
}

interface Followed extends Omit<Outcome, 'payment' | 'cost'> {
  /** Nanotons that returned to the wallet. */
  readonly back: bigint;
}

/** What a message started; or how its payment stands, where that cannot be followed. */
type Started = TonTransaction | Followed;

export interface TraceParts {
  readonly jettons: JettonBook;
  readonly native: string;
  /** Raw addresses. */
  readonly own: ReadonlySet<string>;
  readonly upkeep: Upkeep;
  /** Unix seconds. */
  readonly now: () => number;
  readonly sweeping: Sweeping | undefined;
}

const MAX_REMEMBERED = 2_000;
/** After this many seconds the search no longer relies on the nodes' lookup. */
const LATE_S = 30;
const PENDING: Followed = { end: 'pending', back: 0n };
const UNREAD: Followed = { end: 'unread', back: 0n };

/**
 * A wallet's transaction proves nothing about the destination: a message is done when the transaction it started is
 * included, and the returned message as well.
 */
export class Traces {
  readonly #jettons: JettonBook;
  readonly #native: string;
  readonly #upkeep: Upkeep;
  /** Raw addresses. */
  readonly #own: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #sweeping: Sweeping | undefined;
  /** By message and provider; never change. */
  readonly #started = new Map<string, Started>();

  constructor({ jettons, native, own, upkeep, now, sweeping }: TraceParts) {
    this.#jettons = jettons;
    this.#native = native;
    this.#own = own;
    this.#upkeep = upkeep;
    this.#now = now;
    this.#sweeping = sweeping;
  }

  forget(): void {
    this.#started.clear();
  }

  /** Whether a wallet's message carries this name. Local work only. */
  names(message: Pick<TonMessage, 'body'>, name: string): boolean {
    const { body } = message;
    return (readTransfer(body)?.name ?? nameOf(body)) === name || isSweepNamed(message, name);
  }

  /** @throws NotYetError for payments in a jetton that is not known yet. TransportError */
  async of(provider: TonProvider, transaction: TonTransaction): Promise<Trace> {
    const { account } = transaction;
    const outcomes: Outcome[] = [];
    let gained = change(transaction) - (await this.#upkeep.before(provider, transaction));
    for (const message of transaction.sent) {
      const terms = { owner: account, jettons: this.#jettons, native: this.#native, sweeping: this.#sweeping };
      const payment = paymentOf(message, terms);
      const { back, ...outcome } = await this.#follow(provider, message, payment, transaction);
      outcomes.push({ payment, ...outcome, cost: message.value + message.forwardFee - back });
      gained += back;
      const isGiven = payment?.jetton === undefined && payment?.swept === undefined;
      if (isGiven && outcome.end === 'arrived') gained += message.value;
    }
    return { transaction, outcomes, isWhole: outcomes.every(({ end }) => end !== 'pending'), fee: -gained };
  }

  async #follow(
    provider: TonProvider,
    message: TonMessage,
    payment: Payment | undefined,
    { account: owner, utime: since }: TonTransaction,
  ): Promise<Followed> {
    const first = await this.#startedBy(provider, message, since);
    if ('end' in first) return first;
    if (payment?.swept !== undefined) return await this.#followSweep(provider, first, payment, owner);
    if (payment?.jetton === undefined) {
      const took = this.#own.has(first.account) ? change(first) : undefined;
      if (message.bounce && first.bounces) return await this.#returned(provider, first, owner);
      // The code succeeded but sent more than it has: it keeps the coins, and its actions are undone.
      if (message.bounce && first.aborted) return { end: 'lost', exitCode: first.exitCode, back: 0n };
      return { end: 'arrived', took, back: 0n };
    }
    if (first.aborted) return await this.#returned(provider, first, owner);
    return await this.#followJettons(provider, first, { ...payment, jetton: payment.jetton }, owner);
  }

  /** @param first transaction of the deposit address. */
  async #followSweep(
    provider: TonProvider,
    first: TonTransaction,
    { jetton, ...payment }: Payment,
    owner: string,
  ): Promise<Followed> {
    if (first.aborted) return await this.#returned(provider, first, owner);
    const to = jetton === undefined ? payment.recipient : walletOf(jetton, first.account);
    const step = first.sent.find(({ destination }) => destination === to);
    if (step === undefined) return await this.#back(provider, first, owner, { end: 'lost', back: 0n });
    const next = await this.#startedBy(provider, step, first.utime);
    if ('end' in next) return next;
    // The depository keeps what it is sent, whether its code takes it or not.
    if (jetton === undefined)
      return await this.#back(provider, first, owner, { end: 'arrived', took: change(next), back: 0n });
    if (!next.aborted) return await this.#followJettons(provider, next, { ...payment, jetton }, owner);
    // The deposit address sends on the coins that its jetton wallet returns.
    const bounce = next.sent.find(({ destination }) => destination === first.account);
    const handed = bounce && (await this.#startedBy(provider, bounce, next.utime));
    if (handed !== undefined && 'end' in handed) return handed;
    const so = { end: 'returned', exitCode: next.exitCode, back: 0n } as const;
    return handed === undefined ? so : await this.#back(provider, handed, owner, so);
  }

  /**
   * @param first transaction of the paying jetton wallet.
   * @param owner raw wallet to which the remaining coins return.
   */
  async #followJettons(
    provider: TonProvider,
    first: TonTransaction,
    payment: Pick<Payment, 'recipient'> & { readonly jetton: Jetton },
    owner: string,
  ): Promise<Followed> {
    const wallet = walletOf(payment.jetton, payment.recipient);
    const step = first.sent.find(({ destination }) => destination === wallet);
    // No jetton wallet accepts an order without sending a message.
    if (step === undefined) return await this.#back(provider, first, owner, { end: 'lost', back: 0n });
    const last = await this.#startedBy(provider, step, first.utime);
    if ('end' in last) return last;
    // Transfers request a notice. Without one nothing is proven.
    const [took = 0n] = last.sent.flatMap((one) =>
      one.destination === payment.recipient ? (readNotification(one.body) ?? []) : [],
    );
    if (!last.aborted) return await this.#back(provider, last, owner, { end: 'arrived', took, back: 0n });
    // Returned once the sending wallet has it in its balance again.
    for (const returning of last.sent) {
      const taken = await this.#startedBy(provider, returning, last.utime);
      if ('end' in taken) return taken;
      if (taken.account === first.account && !taken.aborted)
        return await this.#back(provider, taken, owner, { end: 'returned', exitCode: last.exitCode, back: 0n });
    }
    return await this.#back(provider, last, owner, { end: 'lost', exitCode: last.exitCode, back: 0n });
  }

  async #returned(provider: TonProvider, refused: TonTransaction, owner: string): Promise<Followed> {
    return await this.#back(provider, refused, owner, { end: 'returned', exitCode: refused.exitCode, back: 0n });
  }

  /** Adds the coins that a transaction returns to the wallet, once included. */
  async #back(provider: TonProvider, { sent, utime }: TonTransaction, owner: string, so: Followed): Promise<Followed> {
    let { back } = so;
    for (const message of sent) {
      if (message.destination !== owner) continue;
      const taken = await this.#startedBy(provider, message, utime);
      if ('end' in taken) return taken;
      back += change(taken);
    }
    return { ...so, back };
  }

  async #startedBy(provider: TonProvider, message: TonMessage, since: number): Promise<Started> {
    const key = `${provider.index} ${message.source} ${message.createdLt}`;
    const known = this.#started.get(key);
    if (known) return known;
    const isLate = this.#now() > since + LATE_S;
    const found =
      (await locate(provider, 'result', message)) ??
      (isLate ? await locateInPast(provider, 'result', message) : undefined);
    if (found === undefined) return PENDING;
    const started = /* guard: ton-unread-results */ 'unread' in found ? UNREAD : found;
    this.#started.set(key, started);
    keepNewest(this.#started, MAX_REMEMBERED);
    return started;
  }
}
