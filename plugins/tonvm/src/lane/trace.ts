import { keepNewest } from '../chain/keep-newest.js';
import { locate, locateInPast, type TonProvider } from '../chain/read.js';
import { change, type TonMessage, type TonTransaction } from '../chain/transaction.js';
import { nameOf } from '../comments.js';
import type { JettonBook } from '../jetton-book.js';
import { readNotification, readTransfer, walletOf } from '../jettons.js';
import { type Payment, paymentOf } from './messages.js';
import type { Upkeep } from './upkeep.js';

/** What became of one message of an order. */
export interface Outcome {
  readonly payment: Payment | undefined;
  /**
   * `pending`: some message that follows from it is in no block yet. `returned`: what it moved is where it came from. `lost`: all of it is
   * in blocks, and it neither arrived nor came back, as where nothing was left to send it back with.
   */
  readonly end: 'arrived' | 'returned' | 'lost' | 'pending';
  /** Exit code of what refused it. */
  readonly exitCode?: number | undefined;
  /**
   * What of it is there, where that is told: by the recipient's jetton wallet; of coins to a wallet of ours, what it kept after the work
   * of its own code.
   */
  readonly took?: bigint | undefined;
  /** Nanotons that left with its message and did not come back. */
  readonly cost: bigint;
}

/** An order of a wallet, followed to its ends. */
export interface Trace {
  readonly transaction: TonTransaction;
  readonly outcomes: readonly Outcome[];
  /** Nothing of it is on its way any more that is ours. */
  readonly isWhole: boolean;
  /**
   * Nanotons that the wallet lost beside the coins that arrived: what the network took, also for keeping it since the order before, and
   * what was attached and did not come back.
   */
  readonly fee: bigint;
}

interface Followed extends Omit<Outcome, 'payment' | 'cost'> {
  /** Nanotons that came back to the wallet. */
  readonly back: bigint;
}

const KEPT = 2_000;
/** After so long what a message started is looked for where no node has to find it. Seconds. */
const LATE_S = 30;
const PENDING: Followed = { end: 'pending', back: 0n };

/**
 * Follows what the wallets of the service send. A wallet's transaction says nothing about the destination: a message is done when what
 * it started is in a block, and what came back from it is, too.
 */
export class Traces {
  readonly #jettons: JettonBook;
  readonly #native: string;
  readonly #upkeep: Upkeep;
  /** Raw addresses of our wallets. */
  readonly #own: ReadonlySet<string>;
  /** The chain's time, Unix seconds. */
  readonly #now: () => number;
  /** Transactions by the message that started them and the provider that said so: they never change. */
  readonly #started = new Map<string, TonTransaction>();

  constructor(jettons: JettonBook, native: string, own: ReadonlySet<string>, upkeep: Upkeep, now: () => number) {
    this.#jettons = jettons;
    this.#native = native;
    this.#own = own;
    this.#upkeep = upkeep;
    this.#now = now;
  }

  forget(): void {
    this.#started.clear();
  }

  /** Whether a message of a wallet says that it is for this. Local work only. */
  names({ body }: TonMessage, name: string): boolean {
    return (readTransfer(body)?.name ?? nameOf(body)) === name;
  }

  /** @throws NotYetError for payments in a jetton that is not known yet. TransportError */
  async of(provider: TonProvider, transaction: TonTransaction): Promise<Trace> {
    const { account } = transaction;
    const outcomes: Outcome[] = [];
    let gained = change(transaction) - (await this.#upkeep.before(provider, transaction));
    for (const message of transaction.sent) {
      const payment = paymentOf(message, account, this.#jettons, this.#native);
      const { back, ...outcome } = await this.#follow(provider, message, payment, transaction);
      outcomes.push({ payment, ...outcome, cost: message.value + message.forwardFee - back });
      gained += back;
      if (payment?.jetton === undefined && outcome.end === 'arrived') gained += message.value;
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
    if (first === undefined) return PENDING;
    if (payment?.jetton === undefined) {
      const took = this.#own.has(first.account) ? change(first) : undefined;
      if (message.bounce && first.bounces) return await this.#returned(provider, first, owner);
      // Code that ran well, and sent more than it has: it keeps the coins, and nothing of what it was to do for them is done.
      if (message.bounce && first.aborted) return { end: 'lost', exitCode: first.exitCode, back: 0n };
      return { end: 'arrived', took, back: 0n };
    }
    if (first.aborted) return await this.#returned(provider, first, owner);
    const wallet = walletOf(payment.jetton, payment.recipient);
    const step = first.sent.find(({ destination }) => destination === wallet);
    // No jetton wallet takes an order and tells nobody.
    if (step === undefined) return await this.#back(provider, first, owner, { end: 'lost', back: 0n });
    const last = await this.#startedBy(provider, step, first.utime);
    if (last === undefined) return PENDING;
    // Each transfer of ours asks for a notice. Whoever got none has nothing that is proven.
    const [took = 0n] = last.sent.flatMap((one) =>
      one.destination === payment.recipient ? (readNotification(one.body) ?? []) : [],
    );
    if (!last.aborted) return await this.#back(provider, last, owner, { end: 'arrived', took, back: 0n });
    // It is returned when the wallet that it left has it in its books again.
    for (const returning of last.sent) {
      const taken = await this.#startedBy(provider, returning, last.utime);
      if (taken === undefined) return PENDING;
      if (taken.account === first.account && !taken.aborted)
        return await this.#back(provider, taken, owner, { end: 'returned', exitCode: last.exitCode, back: 0n });
    }
    return await this.#back(provider, last, owner, { end: 'lost', exitCode: last.exitCode, back: 0n });
  }

  /** What the first of its hops sent back to the wallet. */
  async #returned(provider: TonProvider, refused: TonTransaction, owner: string): Promise<Followed> {
    return await this.#back(provider, refused, owner, { end: 'returned', exitCode: refused.exitCode, back: 0n });
  }

  /** With the coins that a transaction sends to the wallet, once they are there. */
  async #back(provider: TonProvider, { sent, utime }: TonTransaction, owner: string, so: Followed): Promise<Followed> {
    let { back } = so;
    for (const message of sent) {
      if (message.destination !== owner) continue;
      const taken = await this.#startedBy(provider, message, utime);
      if (taken === undefined) return PENDING;
      back += change(taken);
    }
    return { ...so, back };
  }

  /** @param since when it was sent, Unix seconds. */
  async #startedBy(provider: TonProvider, message: TonMessage, since: number): Promise<TonTransaction | undefined> {
    const key = `${provider.index} ${message.source} ${message.createdLt}`;
    const known = this.#started.get(key);
    if (known) return known;
    const isLate = this.#now() > since + LATE_S;
    const found =
      (await locate(provider, 'result', message)) ??
      (isLate ? await locateInPast(provider, 'result', message) : undefined);
    if (found === undefined) return undefined;
    this.#started.set(key, found);
    keepNewest(this.#started, KEPT);
    return found;
  }
}
