import { type Clock, NotYetError } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { Backlog, type BacklogOptions } from './listing/backlog.js';
import type { Listed } from './listing/page.js';
import type { Look } from './listing/roll.js';
import { Blocks, touchIn } from './transactions/block-accounts.js';
import { fetchListed } from './transactions/fetch.js';
import type { ReadTransaction } from './transactions/read.js';

/** The history was not completely examined. The next call continues here. */
export class UnfinishedError extends NotYetError {
  override readonly name = 'UnfinishedError';
}

/** Paid by the signer. */
export interface Own {
  readonly signature: string;
  readonly slot: number;
  /** Undefined: no provider shows it; its block proves the payer, not the effects. */
  readonly read: ReadTransaction | undefined;
}

type Found = readonly Own[];

/** Transactions read per answer; a caller that needs more asks again. */
const MAX_SIGNATURES_READ = 4_000;
const ROUNDS = 8;
const MAX_CACHED_HISTORIES = 200;
/** Tries before a solver transaction counts as shown by no provider. */
const OWN_TRIES = 6;
const STRANGER: Found = Object.freeze([]);

interface History {
  readonly backlog: Backlog<Found>;
  readonly since: number;
  readonly busy: Promise<unknown>;
}

export interface Question {
  readonly providers: Providers;
  readonly provider: Provider;
  readonly look: Look;
  readonly floor: number;
  /** Start of the period, in the caller's measure: a history read from then or earlier serves it. */
  readonly since: number;
  /** Proves that the node has all of it. */
  prove(): Promise<void>;
}

/**
 * Anyone can touch the signer's address and copy its memos, so each transaction is read for its payer.
 *
 * Invariant: listed and read entries are cached for the next answer, so that any history is read to its end despite
 * spam; there is no answer before that end.
 */
export class SentBook {
  readonly #signer: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #blocks = new Blocks();
  readonly #histories = new Map<string, History>();

  constructor(signer: string, clock: Pick<Clock, 'monotonic'>) {
    this.#signer = signer;
    this.#clock = clock;
  }

  /** All that it sent since, oldest first. @throws UnfinishedError; RpcError, TransportError, PrunedError. */
  async all(question: Question): Promise<readonly Own[]> {
    const { floor } = question;
    return this.#inTurn(ALL, question, EVERYTHING, (backlog) => {
      forgetUpTo(backlog, floor);
      return this.#goThrough(backlog, question);
    });
  }

  /** A successful solver transaction with this memo; undefined: there is none. @throws as `all`. */
  async naming(memo: string, question: Question): Promise<Own | undefined> {
    const keeps = namingOnly(memo);
    const [found] = await this.#inTurn(memo, question, keeps, (backlog) => this.#goThrough(backlog, question, 1));
    return found;
  }

  /** The same from what a node shows: undefined proves nothing. @throws RpcError, TransportError. */
  async shown(memo: string, question: Pick<Question, 'providers' | 'provider' | 'look'>): Promise<Own | undefined> {
    const backlog = this.#backlogAbove(-1, namingOnly(memo));
    try {
      const [found] = await this.#goThrough(backlog, question, 1);
      return found;
    } catch (error) {
      if (error instanceof UnfinishedError) return undefined;
      throw error;
    }
  }

  /** Serialized: a second caller of the same history finds it examined. */
  #inTurn<R>(
    name: string,
    { floor, since }: Question,
    keeps: BacklogOptions<Found>['keeps'],
    task: (backlog: Backlog<Found>) => Promise<R>,
  ): Promise<R> {
    const known = this.#histories.get(name);
    const reaches = known !== undefined && known.since <= since;
    const backlog = reaches ? known.backlog : this.#backlogAbove(floor, keeps);
    const done = (known?.busy ?? Promise.resolve()).then(() => task(backlog));
    this.#histories.delete(name);
    // The history of all memos keeps nothing older than the last question.
    const begins = reaches && name !== ALL ? known.since : since;
    this.#histories.set(name, { backlog, since: begins, busy: done.catch(() => undefined) });
    const [oldest] = this.#histories.keys();
    if (this.#histories.size > MAX_CACHED_HISTORIES && oldest !== undefined) this.#histories.delete(oldest);
    return done;
  }

  #backlogAbove(floor: number, keeps: BacklogOptions<Found>['keeps']): Backlog<Found> {
    const own = (payer: string, one: Own): Found => (payer === this.#signer ? [one] : STRANGER);
    const options: BacklogOptions<Found> = {
      ...{ keeps, exact: true },
      read: async ({ rpc }, { signature, slot }) => {
        const read = await fetchListed(rpc, { signature, slot });
        return own(read.payer, { signature, slot, read });
      },
      apart: async ({ rpc }, entry) => {
        const { signature, slot, ok } = entry;
        const touch = await touchIn(this.#blocks, rpc, entry);
        if (touch === undefined) return undefined;
        const found = own(touch.payer, { signature, slot, read: undefined });
        // Failed transactions have no effects. Successful ones are retried a limited number of times: a node may show
        // their effects later.
        return found.length > 0 && ok && backlog.onHold.triesOf(entry) < OWN_TRIES ? undefined : found;
      },
    };
    const backlog = new Backlog([this.#signer], floor, options, this.#clock);
    return backlog;
  }

  async #goThrough(
    backlog: Backlog<Found>,
    { providers, provider, look, prove }: Pick<Question, 'providers' | 'provider' | 'look'> & Partial<Question>,
    enough: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly Own[]> {
    let left = MAX_SIGNATURES_READ;
    for (let round = 0; round < ROUNDS && left > 0; round += 1) {
      await backlog.list(provider, look, prove);
      await backlog.retry(providers.usable(), undefined);
      const unread = backlog.unread();
      // Service transactions have memos; others predate the service.
      const first = unread.filter(({ ids }) => ids.length > 0);
      const rest = backlog.readable(unread.filter(({ ids }) => ids.length === 0));
      const wanted = [...first, ...rest].slice(0, left);
      left -= wanted.length;
      const failure = await backlog.read(provider, wanted);
      backlog.forget();
      backlog.prune(({ value, sure }) => sure && value.length > 0);
      const found = [...backlog.there()].flatMap(([, { value }]) => value).sort((a, b) => a.slot - b.slot);
      if (found.length >= enough) return found;
      if (failure !== undefined) throw failure;
      if (backlog.isThrough && /* guard: svm-sent-examined */ backlog.onHold.size === 0) return found;
      // Everything but later retries is read.
      if (wanted.length === 0 && backlog.isThrough) break;
    }
    throw new UnfinishedError(this.#leftOf(backlog));
  }

  #leftOf(backlog: Backlog<Found>): string {
    const { onHold } = backlog;
    const waiting = backlog.unread().length + onHold.size;
    const down = backlog.isListed ? '' : ', and there are more below';
    const [failing] = onHold.failing();
    const why = failing === undefined ? '' : `; ${failing.signature} cannot be read: ${failing.why}`;
    return `${waiting} transactions that touched ${this.#signer} are not examined yet${down}${why}`;
  }
}

const ALL = '';
const EVERYTHING = (): boolean => true;

function namingOnly(memo: string): (entry: Listed) => boolean {
  return ({ ok, ids }) => ok && ids.some((id) => id === memo);
}

function forgetUpTo(backlog: Backlog<Found>, floor: number): void {
  backlog.settle(floor);
  for (const [signature, { slot }] of backlog.done) if (slot <= floor) backlog.done.delete(signature);
}
