import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { RevertedExecution } from '../../contract/payer-swaps.js';
import type { HintRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { decideAndCommit, mayWork, type WorkContext } from '../base/context.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { requestOfQuote } from '../books/reported-deposits.js';
import { moveRequest, noteTransaction } from '../books/requests.js';

const HINTS_PAGE = 200;
const MAX_ASKED_PER_PASS = 5;
const MAX_REMEMBERED_HINTS = 2_000;
/** Wallets sometimes replace a transaction. */
const MAX_HINTS_PER_REQUEST = 4;
/** Process clocks differ, and hints may appear out of order. */
const OVERLAP_MS = 10_000;
/** Looks back this far at a start. */
const LOOKBACK_MS = 3_600_000;
/** Chains show a transaction some time after it was sent. */
const RETENTION_MS = 60_000;
const FIRST_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;

interface Reported {
  readonly requestId: RequestId;
  readonly hash: string;
  readonly until: UnixMs;
  dueAt: number;
  pauseMs: number;
}

/**
 * Checks transactions named by clients: a reverted one emits no event.
 *
 * Invariants: a hint alone changes nothing. A request fails only if a final block shows a reverted transaction of its
 * payer, to the executing contract, that names the order. Other hints cost a bounded number of look-ups.
 *
 * Not guaranteed: a failure that no client reports; the quote then expires.
 */
export class RevertedExecutions {
  readonly #context: WorkContext;
  readonly #chain: ChainAdapter;
  readonly #reported = new Map<string, Reported>();
  #read = new Map<string, UnixMs>();
  #after: UnixMs;

  constructor(context: WorkContext, chain: ChainAdapter) {
    this.#context = context;
    this.#chain = chain;
    this.#after = context.clock.now() - LOOKBACK_MS;
  }

  async round(): Promise<boolean> {
    const more = await this.#readHints();
    const { clock } = this.#context;
    const due = [...this.#reported.values()].filter(({ dueAt }) => dueAt <= clock.monotonic());
    for (const reported of due.sort((a, b) => a.dueAt - b.dueAt).slice(0, MAX_ASKED_PER_PASS)) {
      if (!mayWork(this.#context)) return false;
      await this.#ask(reported);
    }
    return more;
  }

  async #readHints(): Promise<boolean> {
    const { store } = this.#context;
    const from = { createdAt: this.#after - OVERLAP_MS, id: '' };
    let hints = await store.hintsAfter(from, HINTS_PAGE);
    // Skips pages that were read already.
    for (let last = hints.at(-1); hints.length === HINTS_PAGE && hints.every(({ id }) => this.#read.has(id)); ) {
      hints = last === undefined ? [] : await store.hintsAfter(last, HINTS_PAGE);
      last = hints.at(-1);
    }
    const news = hints.filter(({ id }) => !this.#read.has(id));
    for (const { id, createdAt } of news) this.#read.set(id, createdAt);
    this.#after = Math.max(this.#after, ...hints.map(({ createdAt }) => createdAt));
    const oldest = this.#after - OVERLAP_MS;
    this.#read = new Map([...this.#read].filter(([, at]) => at >= oldest));
    await this.#keep(news.filter(({ chainId }) => chainId === this.#chain.facts.id));
    return hints.length === HINTS_PAGE && news.length > 0;
  }

  async #keep(hints: readonly HintRow[]): Promise<void> {
    const { clock, store } = this.#context;
    for (const { requestId, hash } of hints) {
      if (requestId === null || this.#reported.has(`${requestId}:${hash}`)) continue;
      const own = [...this.#reported.values()].filter((reported) => reported.requestId === requestId);
      const quote = own.length < MAX_HINTS_PER_REQUEST ? await store.quote(requestId) : undefined;
      if (quote === undefined || quote.originChainId !== this.#chain.facts.id) continue;
      if ((JSON.parse(quote.body) as QuoteBody).payerSwap === undefined) continue;
      const until = quote.deadlineAt + RETENTION_MS;
      this.#reported.set(`${requestId}:${hash}`, {
        requestId,
        hash,
        until,
        dueAt: clock.monotonic(),
        pauseMs: FIRST_RETRY_DELAY_MS,
      });
    }
    for (const key of this.#reported.keys()) {
      if (this.#reported.size <= MAX_REMEMBERED_HINTS) break;
      this.#reported.delete(key);
    }
  }

  async #ask(reported: Reported): Promise<void> {
    const { clock, log } = this.#context;
    const { requestId, hash } = reported;
    reported.dueAt = clock.monotonic() + reported.pauseMs;
    reported.pauseMs = Math.min(reported.pauseMs * 2, MAX_RETRY_DELAY_MS);
    try {
      const known = await this.#context.store.request(requestId);
      const found = known ? undefined : await this.#chain.revertedExecution?.(hash);
      const over =
        found === undefined ? known || clock.now() > reported.until : await this.#fail(requestId, hash, found);
      if (over) this.#reported.delete(`${requestId}:${hash}`);
    } catch (error) {
      log.debug({ requestId, hash, err: error }, 'a transaction that a client reported cannot be read');
    }
  }

  /** True once the transaction needs no further look. */
  async #fail(requestId: RequestId, hash: string, found: RevertedExecution): Promise<boolean> {
    const { store } = this.#context;
    const quote = await store.quote(requestId);
    const body = quote === undefined ? undefined : (JSON.parse(quote.body) as QuoteBody);
    if (body?.payerSwap === undefined || body.orderId !== found.orderId || body.user !== found.payer) return true;
    if (!found.final) return false;
    await decideAndCommit(this.#context, 'engine.executions.reverted', async () => {
      const unit = new UnitOfWork();
      // A matching execution may have started the request meanwhile.
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
  noteTransaction(context, unit, {
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
