import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FundingKey } from '../../contract/ids.js';
import type { DepositRow, RequestRow } from '../../contract/store-rows.js';
import { listingFacts } from '../../domain/listing-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { deliveredSide } from '../../domain/swap-out.js';
import { chainOf, decideAndCommit, headHeight, type WorkContext } from '../../engine/base/context.js';
import { inParallel } from '../../engine/base/in-parallel.js';
import { isInfrastructure } from '../../engine/base/isolate.js';
import { loadViews } from '../../engine/base/load.js';
import { Patience } from '../../engine/base/patience.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { Budget } from '../../engine/books/budget.js';
import { refundDeposit, settleDeposit } from '../../engine/deposits/settle-deposit.js';
import { isWitnessed } from '../../engine/deposits/witness.js';
import type { ApiError } from '../../errors/api-error.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import { refused, type Stage } from '../../quoting/stage.js';
import { isCleared } from './cleared.js';
import type { Requote } from './requote.js';
import { isDoubtful, unshownUntil } from './unshown.js';

/** Transfers quoted at the same time. */
const CONCURRENCY = 20;
/** Transfers examined in one pass: most of them may wait for their depth. */
const MAX_EXAMINED_ROWS = 500;
/** While more wait than one pass examines, transfers that are not deep enough are skipped for this long. */
const NOT_DEEP_MS = 10_000;
const FIRST_RETRY_DELAY_MS = 2_000;
const MAX_RETRY_DELAY_MS = 15_000;
const MAX_COUNTED = 10_000;
const FAILED_RETRY_DELAY_MS = 60_000;
/** Prices, fees or inventory may be missing for this long before a transfer is refunded. */
const MAX_WAIT_MS = 600_000;

interface Unquoted {
  readonly row: DepositRow;
  readonly request: RequestRow;
  readonly body: QuoteBody;
}

/**
 * Quotes each transfer to an open address once it is final enough, and settles it in the same change set.
 *
 * Invariants: (G2) a transfer stays undecided until then, so each is found again after a restart, and decided once. A quote
 * that takes long, or is refused again and again, delays no other: anyone can pay for a recipient that makes it so.
 */
export class OpenOrders {
  readonly #patience: Patience;
  /** Quotes that were refused for now, by transfer. */
  readonly #tries = new Map<FundingKey, number>();
  readonly #requote: Requote;

  constructor({ clock }: Pick<WorkContext, 'clock'>, requote: Requote) {
    this.#patience = new Patience(clock);
    this.#requote = requote;
  }

  async round(context: WorkContext, chain: ChainAdapter): Promise<boolean> {
    const ready = await this.#ready(context, chain);
    // guard: new-transfers-first
    ready.sort((one, other) => this.#triesOf(one.row) - this.#triesOf(other.row));
    const ended = await inParallel(ready.slice(0, CONCURRENCY), CONCURRENCY, ({ row, request, body }) =>
      this.#settle(context, row, askOf(body, row), request),
    );
    if (ended.includes(true)) for (const chainId of context.chains.keys()) context.wake(chainId);
    return ready.length > CONCURRENCY;
  }

  /** Invariant: neither deposits into the depository nor waiting transfers delay the quote of another transfer. */
  async #ready(context: WorkContext, chain: ChainAdapter): Promise<Unquoted[]> {
    const rows = await this.#patience.turn(
      MAX_EXAMINED_ROWS,
      (limit) => context.store.undecidedAt(chain.facts.id, limit),
      (row) => row.fundingKey,
    );
    const doubted = await unshownUntil(context, rows);
    const deep = rows.filter((row) => isReady(context, chain, row) && !isDoubtful(context, row, doubted));
    const requests = new Map(
      (await context.store.requests(deep.map((row) => row.requestId))).map((one) => [one.id, one]),
    );
    const ready = deep.flatMap((row): Unquoted[] => {
      const request = requests.get(row.requestId);
      const body = request && (JSON.parse(request.body) as QuoteBody);
      const isNext = body?.unquoted === true && !this.#patience.waits(row.fundingKey);
      return request && body && isNext ? [{ row, request, body }] : [];
    });
    if (rows.length < MAX_EXAMINED_ROWS) return ready;
    const next = new Set(ready.map(({ row }) => row));
    for (const row of rows) if (!next.has(row)) this.#patience.postpone(row.fundingKey, NOT_DEEP_MS);
    return ready;
  }

  /** A transfer that cannot be settled must not block the others. */
  async #settle(context: WorkContext, row: DepositRow, ask: QuoteAsk, request: RequestRow): Promise<boolean> {
    const { fundingKey, seenAt } = row;
    try {
      const offered = await this.#requote(ask, request);
      if (refused(offered) && offered.retriable && context.clock.now() - seenAt < MAX_WAIT_MS) {
        const tries = this.#tried(row);
        this.#patience.postpone(fundingKey, Math.min(FIRST_RETRY_DELAY_MS * tries, MAX_RETRY_DELAY_MS));
        return false;
      }
      await settle(context, fundingKey, offered);
      this.#tries.delete(fundingKey);
      return true;
    } catch (error) {
      if (isInfrastructure(error)) throw error;
      this.#tried(row);
      this.#patience.postpone(fundingKey, FAILED_RETRY_DELAY_MS);
      context.log.error({ fundingKey, err: error }, 'a transfer to an open deposit address cannot be settled');
      return false;
    }
  }

  #triesOf({ fundingKey }: DepositRow): number {
    return this.#tries.get(fundingKey) ?? 0;
  }

  #tried(row: DepositRow): number {
    const tries = this.#triesOf(row) + 1;
    if (this.#tries.size >= MAX_COUNTED) this.#tries.clear();
    this.#tries.set(row.fundingKey, tries);
    return tries;
  }
}

function isReady(context: WorkContext, chain: ChainAdapter, row: DepositRow): boolean {
  return isCleared(context, row) && isDeep(context, chain, row) && isWitnessed(context, row);
}

function isDeep(context: WorkContext, chain: ChainAdapter, { state, height, valueUsd }: DepositRow): boolean {
  if (state === 'final') return true;
  return height !== null && headHeight(context, chain.facts.id) - height >= chain.acceptDepth(BigInt(valueUsd));
}

/**
 * The client's request for the amount that arrived. The destination is the currency that it requested, before any swap
 * there.
 */
function askOf(body: QuoteBody, { currency, chainId, amount }: DepositRow): QuoteAsk {
  const wanted = deliveredSide(body);
  return {
    user: body.user,
    recipient: body.recipient,
    originChainId: chainId,
    destinationChainId: wanted.chainId,
    originCurrency: currency,
    destinationCurrency: wanted.currency,
    amount: amount.toString(),
    tradeType: 'EXACT_INPUT',
    slippageTolerance: String(body.slippageBps),
    useDepositAddress: true,
    ...body.depositAddress?.swaps,
    ...(body.refundTo === null ? {} : { refundTo: body.refundTo }),
    ...(body.referrer === null ? {} : { referrer: body.referrer }),
    ...(body.terms.appFees.length === 0
      ? {}
      : { appFees: body.terms.appFees.map(({ recipient, bps }) => ({ recipient, fee: bps })) }),
  };
}

async function settle(context: WorkContext, fundingKey: FundingKey, offered: Stage<QuoteBody>): Promise<void> {
  await decideAndCommit(context, 'engine.addresses.settle', async () => {
    const unit = new UnitOfWork();
    const [deposit] = await context.store.deposits([fundingKey]);
    if (deposit === undefined) return { work: unit, result: undefined };
    const [budget] = await Promise.all([Budget.load(context), loadViews(context, unit, [deposit.requestId])]);
    const now = unit.get('deposits', fundingKey);
    const request = now && unit.get('requests', now.requestId);
    const before = request && (JSON.parse(request.body) as QuoteBody);
    // guard: open-order-once
    if (!now || !request || !before?.unquoted || now.decision !== 'waiting') return { work: unit, result: undefined };
    if (now.state !== 'included' && now.state !== 'final') return { work: unit, result: undefined };
    // A reorg may have moved it to a newer block while it was quoted.
    // guard: open-order-deep
    if (!isReady(context, chainOf(context, now.chainId), now)) return { work: unit, result: undefined };
    if (refused(offered)) {
      refundDeposit(context, unit, now, before, reasonOf(offered));
      return { work: unit, result: undefined };
    }
    const { depositAddress, orderId, refundTo, refundRecipient } = before;
    const quoted = { ...offered, orderId, refundTo, refundRecipient };
    const body: QuoteBody = { ...quoted, requestId: request.id, ...(depositAddress ? { depositAddress } : {}) };
    unit.update('requests', request.id, {
      originSymbol: body.origin.symbol,
      deadlineAt: body.deadlineAt,
      ...listingFacts(body),
      amountUsd: now.valueUsd === 0 ? null : now.valueUsd,
      body: JSON.stringify(body),
    });
    settleDeposit(context, unit, budget, now, body, false);
    return { work: unit, result: undefined };
  });
}

const REASONS: Readonly<Record<string, FailReason>> = {
  AMOUNT_TOO_LOW: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
  INSUFFICIENT_LIQUIDITY: 'SOLVER_CAPACITY_EXCEEDED',
  SANCTIONED_WALLET_ADDRESS: 'BLOCKED_WALLET',
  INVALID_RECIPIENT: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
};

function reasonOf({ code }: ApiError): FailReason {
  return REASONS[code] ?? 'NO_QUOTES';
}
