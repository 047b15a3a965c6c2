import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { RevertedExecution } from '../../contract/own-swaps.js';
import type { HintRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { decideAndCommit, mayWork, type WorkContext } from '../base/context.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { requestOfQuote } from '../books/reported-deposits.js';
import { moveRequest, noteTransaction } from '../books/requests.js';

/** Hints that are read at a time, transactions that are asked about in a round, and those kept in mind. */
const READ = 200;
const ASKED = 5;
const MOST = 2_000;
/** Of one request: wallets replace a transaction now and then. */
const MOST_EACH = 4;
/** Clocks of processes that take hints differ, and so may the order in which they become visible. */
const OVERLAP_MS = 10_000;
/** What was told before a start is read again for so long. */
const BACK_MS = 3_600_000;
/** Chains tell of a transaction a while after it was sent. */
const AFTER_MS = 60_000;
const AGAIN_MS = 1_000;
const MOST_AGAIN_MS = 60_000;

interface Told {
  readonly requestId: RequestId;
  readonly hash: string;
  /** Not asked about after it. */
  readonly until: UnixMs;
  dueAt: number;
  pauseMs: number;
}

/**
 * Looks at transactions that clients told of, for orders that their payers execute. A transaction that reverted leaves no event, so
 * nobody else tells of it.
 *
 * Invariants: a hint is never believed. A request fails only where the chain shows, in a final block, a reverted transaction to what
 * executes orders that names its order and was sent by its own payer. Who tells of other transactions costs at most a bounded
 * number of look-ups a round, and makes others wait no longer than that takes.
 *
 * Not guaranteed: that a failure is found that nobody told of. The quote then runs out as one that nobody executed.
 */
export class RevertedExecutions {
  readonly #context: WorkContext;
  readonly #chain: ChainAdapter;
  readonly #told = new Map<string, Told>();
  /** Ids of hints that were read in the overlap. */
  #read = new Map<string, UnixMs>();
  #after: UnixMs;

  constructor(context: WorkContext, chain: ChainAdapter) {
    this.#context = context;
    this.#chain = chain;
    this.#after = context.clock.now() - BACK_MS;
  }

  async round(): Promise<boolean> {
    const more = await this.#readHints();
    const { clock } = this.#context;
    const due = [...this.#told.values()].filter(({ dueAt }) => dueAt <= clock.monotonic());
    for (const told of due.sort((a, b) => a.dueAt - b.dueAt).slice(0, ASKED)) {
      if (!mayWork(this.#context)) return false;
      await this.#ask(told);
    }
    return more;
  }

  async #readHints(): Promise<boolean> {
    const { store } = this.#context;
    const from = { createdAt: this.#after - OVERLAP_MS, id: '' };
    let hints = await store.hintsAfter(from, READ);
    // Pages of what is known by now, as where many came within the overlap.
    for (let last = hints.at(-1); hints.length === READ && hints.every(({ id }) => this.#read.has(id)); ) {
      hints = last === undefined ? [] : await store.hintsAfter(last, READ);
      last = hints.at(-1);
    }
    const news = hints.filter(({ id }) => !this.#read.has(id));
    for (const { id, createdAt } of news) this.#read.set(id, createdAt);
    this.#after = Math.max(this.#after, ...hints.map(({ createdAt }) => createdAt));
    const oldest = this.#after - OVERLAP_MS;
    this.#read = new Map([...this.#read].filter(([, at]) => at >= oldest));
    await this.#keep(news.filter(({ chainId }) => chainId === this.#chain.facts.id));
    return hints.length === READ && news.length > 0;
  }

  /** Only what may be the execution of an order that is open. */
  async #keep(hints: readonly HintRow[]): Promise<void> {
    const { clock, store } = this.#context;
    for (const { requestId, hash } of hints) {
      if (requestId === null || this.#told.has(`${requestId}:${hash}`)) continue;
      const own = [...this.#told.values()].filter((told) => told.requestId === requestId);
      const quote = own.length < MOST_EACH ? await store.quote(requestId) : undefined;
      if (quote === undefined || quote.originChainId !== this.#chain.facts.id) continue;
      if ((JSON.parse(quote.body) as QuoteBody).ownSwap === undefined) continue;
      const until = quote.deadlineAt + AFTER_MS;
      this.#told.set(`${requestId}:${hash}`, { requestId, hash, until, dueAt: clock.monotonic(), pauseMs: AGAIN_MS });
    }
    for (const key of this.#told.keys()) {
      if (this.#told.size <= MOST) break;
      this.#told.delete(key);
    }
  }

  async #ask(told: Told): Promise<void> {
    const { clock, log } = this.#context;
    const { requestId, hash } = told;
    told.dueAt = clock.monotonic() + told.pauseMs;
    told.pauseMs = Math.min(told.pauseMs * 2, MOST_AGAIN_MS);
    try {
      const known = await this.#context.store.request(requestId);
      const found = known ? undefined : await this.#chain.revertedExecution?.(hash);
      const over = found === undefined ? known || clock.now() > told.until : await this.#fail(requestId, hash, found);
      if (over) this.#told.delete(`${requestId}:${hash}`);
    } catch (error) {
      log.debug({ requestId, hash, err: error }, 'a transaction that a client told of cannot be looked at');
    }
  }

  /** True once nothing more is to be learnt of the transaction. */
  async #fail(requestId: RequestId, hash: string, found: RevertedExecution): Promise<boolean> {
    const { store } = this.#context;
    const quote = await store.quote(requestId);
    const body = quote === undefined ? undefined : (JSON.parse(quote.body) as QuoteBody);
    if (body?.ownSwap === undefined || body.orderId !== found.orderId || body.user !== found.payer) return true;
    if (!found.final) return false;
    await decideAndCommit(this.#context, 'engine.executions.reverted', async () => {
      const unit = new UnitOfWork();
      // The request may have come to be since: by an execution that did what was quoted.
      if (quote !== undefined && (await store.request(requestId)) === undefined)
        failRequest(this.#context, unit, { quote, body, hash, found });
      return { work: unit, result: undefined };
    });
    return true;
  }
}

function failRequest(
  context: WorkContext,
  unit: UnitOfWork,
  {
    quote,
    body,
    hash,
    found,
  }: {
    readonly quote: Parameters<typeof requestOfQuote>[2];
    readonly body: QuoteBody;
    readonly hash: string;
    readonly found: RevertedExecution;
  },
): void {
  const { block, payer, message } = found;
  const request = unit.insert('requests', requestOfQuote(context, body, quote, null, payer));
  const chainId = body.origin.chainId;
  noteTransaction(unit, {
    id: `${request.id}:reverted:${chainId}:${hash}`,
    requestId: request.id,
    role: 'deposit',
    chainId,
    hash,
    block: block.height,
    timestamp: Math.floor(block.timestamp / 1000),
    status: 'failure',
  });
  const failed = JSON.stringify({ txHash: hash, block: block.height });
  const set = { failReason: 'TRANSACTION_REVERTED', failed, details: message } as const;
  moveRequest(context, unit, request.id, 'sameChainReverted', set, { evidence: { kind: 'revertedFinal', hash } });
}
