import type { DepositBatch } from '../../contract/deposits.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import type { ExecutionObservation } from '../../contract/payer-swaps.js';
import type { ExecutionRow, QuoteRow, RequestRow } from '../../contract/store-rows.js';
import { executes } from '../../domain/payer-swap.js';
import { payerSwapFeePosting } from '../../domain/postings.js';
import type { QuoteBody } from '../../domain/quote.js';
import { chainOf, decideAndCommit, type WorkContext } from '../base/context.js';
import { isolate } from '../base/isolate.js';
import { loadViews } from '../base/load.js';
import { poisonAlert } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { requestOfQuote } from '../books/reported-deposits.js';
import { moveRequest, noteTransaction } from '../books/requests.js';
import { reobserve } from './reobserved.js';

const ROWS_PER_COMMIT = 100;
const MAX_FINALISED_ROWS = 500;

interface Part {
  readonly seen: readonly ExecutionObservation[];
  /** Ids of the whole batch: an absent execution of a replaced block has vanished. */
  readonly repeated: ReadonlySet<string>;
  readonly finalise?: boolean;
}

/**
 * Records swaps that payers executed themselves, before the cursor passes them. Idempotent.
 *
 * Invariants: an execution is owed nothing and moves no pot. A request succeeds by one included execution that
 * matches its quote (`executes`), from any sender; in another block it is judged again. The fee is booked once, at
 * finality.
 */
export async function ingestExecutions(context: WorkContext, chainId: ChainId, batch: DepositBatch): Promise<void> {
  const seen = batch.executions ?? [];
  if (seen.length === 0 && chainOf(context, chainId).capabilities.payerSwaps === undefined) return;
  const repeated = new Set(seen.map(({ id }) => id));
  const decide = (part: Omit<Part, 'repeated'>) =>
    decideAndCommit(context, 'engine.executions', () => work(context, chainId, batch, { ...part, repeated }));
  const apply = (some: readonly ExecutionObservation[]) => decide({ seen: some });
  for (let at = 0; at < seen.length; at += ROWS_PER_COMMIT) {
    await isolate(seen.slice(at, at + ROWS_PER_COMMIT), apply, async ({ id }, error) => {
      context.alerts.raise(poisonAlert({ id }), 'An execution of a payer cannot be processed: this is a bug', { id });
      context.log.error({ chainId, id, err: error }, 'an execution cannot be processed');
      await apply([]);
    });
  }
  // After all were seen: a reorg may have moved one.
  await decide({ seen: [], finalise: true });
}

async function work(context: WorkContext, chainId: ChainId, batch: DepositBatch, part: Part) {
  const { seen, repeated, finalise: finalises = false } = part;
  const { store } = context;
  const unit = new UnitOfWork();
  const orderIds = [...new Set(seen.map(({ orderId }) => orderId))];
  const again = reobserve(batch);
  const [known, above, finals, quotes, parents] = await Promise.all([
    seen.length > 0 ? store.executions(seen.map(({ id }) => id)) : [],
    Number.isFinite(again.above) ? store.executionsAbove(chainId, again.above) : [],
    finalises ? store.executionsToFinalise(chainId, batch.finalized.height, MAX_FINALISED_ROWS) : [],
    orderIds.length > 0 ? store.quotesByOrder(orderIds) : [],
    orderIds.length > 0 ? store.requestsByOrder(orderIds) : [],
  ]);
  const vanished = above.filter(({ id, height }) => !repeated.has(id) && again.includes(height));
  const touched = [...known, ...vanished, ...finals].map(({ requestId }) => requestId);
  const requests = [
    ...new Set([...touched, ...parents.flatMap((row) => (row.parentRequestId === null ? [row.id] : []))]),
  ];
  const [others] = await Promise.all([
    requests.length > 0 ? store.executionsOf(requests) : [],
    loadViews(context, unit, requests),
  ]);
  for (const row of others) unit.load('executions', row);
  const quoteOf = new Map<string, QuoteRow>(quotes.map((quote) => [quote.orderId, quote]));

  for (const row of vanished) vanish(context, unit, row);
  for (const one of seen) {
    const before = unit.get('executions', one.id);
    if (before?.state === 'included' && isMoved(before, one) && !isStill(unit, before, one))
      vanish(context, unit, before);
  }
  for (const one of seen) {
    const before = unit.get('executions', one.id);
    if (before) follow(context, unit, before, one);
    else meet(context, unit, one, quoteOf.get(one.orderId));
  }
  for (const { id } of finals) {
    const row = unit.get('executions', id);
    if (row?.state === 'included' && row.height !== null && row.height <= batch.finalized.height)
      finalise(context, unit, row);
  }
  return { work: unit, result: undefined };
}

/** The first match makes the request a success. */
function meet(context: WorkContext, unit: UnitOfWork, seen: ExecutionObservation, quote: QuoteRow | undefined): void {
  const parent = unit.all('requests').find((row) => row.orderId === seen.orderId && row.parentRequestId === null);
  const text = parent?.body ?? quote?.body;
  const body = text === undefined ? undefined : (JSON.parse(text) as QuoteBody);
  if (body === undefined || !executes(body, seen)) {
    context.metrics.count('ignored_executions', 'Executions of payers that are of no order as it was quoted', {
      chain: seen.chainId,
    });
    return;
  }
  if (parent && standing(unit, parent.id) !== undefined) return;
  const origin = quote ?? parent;
  if (origin === undefined) return;
  const request = parent ?? unit.insert('requests', requestOfQuote(context, body, origin, null, seen.payer));
  const row = unit.insert('executions', {
    id: seen.id,
    version: 1,
    requestId: request.id,
    chainId: seen.chainId,
    transactionHash: seen.transactionHash,
    ...placeOf(seen),
    amountIn: seen.amountIn,
    amountOut: seen.amountOut,
    fee: seen.fee,
    seenAt: context.clock.now(),
  });
  succeed(context, unit, row);
  // guard: own-executions-final
  if (seen.state === 'final') finalise(context, unit, row);
}

function follow(context: WorkContext, unit: UnitOfWork, before: ExecutionRow, seen: ExecutionObservation): void {
  if (before.state === 'final') return;
  if (isMoved(before, seen)) {
    if (!isStill(unit, before, seen)) return;
    const back = before.state === 'vanished';
    // Another execution already fulfils the request: ignore this one.
    if (back && standing(unit, before.requestId) !== undefined) return;
    const { amountIn, amountOut, fee } = seen;
    const row = unit.update('executions', before.id, { ...placeOf(seen), amountIn, amountOut, fee });
    if (back) succeed(context, unit, row);
    else stay(context, unit, row);
  }
  const row = unit.get('executions', before.id);
  if (row && seen.state === 'final') finalise(context, unit, row);
}

function isMoved(before: ExecutionRow, { block }: ExecutionObservation): boolean {
  return before.blockId !== block.id;
}

/** A contract call may have another outcome in every block. */
function isStill(unit: UnitOfWork, { requestId }: ExecutionRow, seen: ExecutionObservation): boolean {
  const { orderId, body } = requestOf(unit, requestId);
  return seen.orderId === orderId && executes(JSON.parse(body) as QuoteBody, seen);
}

function requestOf(unit: UnitOfWork, id: RequestId): RequestRow {
  const request = unit.get('requests', id);
  if (!request) throw new Error(`the request ${id} of an execution was not loaded`);
  return request;
}

/** Included first: finality has consequences of its own. */
function placeOf({ block }: ExecutionObservation) {
  return { state: 'included', height: block.height, blockId: block.id, blockTime: block.timestamp } as const;
}

function standing(unit: UnitOfWork, requestId: RequestId): ExecutionRow | undefined {
  return unit.all('executions').find((row) => row.requestId === requestId && row.state !== 'vanished');
}

function succeed(context: WorkContext, unit: UnitOfWork, row: ExecutionRow): void {
  const request = requestOf(unit, row.requestId);
  note(context, unit, row, 'success');
  const set = { actual: actualOf(request, row), sender: request.user, fillTimeMs: 0 };
  const cleared = { failReason: null, failed: null, details: null };
  moveRequest(context, unit, request.id, 'sameChainIncluded', { ...set, ...cleared });
}

function stay(context: WorkContext, unit: UnitOfWork, row: ExecutionRow): void {
  const request = requestOf(unit, row.requestId);
  note(context, unit, row, 'success');
  unit.update('requests', request.id, { actual: actualOf(request, row) });
}

function actualOf({ originCurrency }: RequestRow, { amountIn, amountOut }: ExecutionRow): string {
  const [paid, got] = [amountIn.toString(), amountOut.toString()];
  return JSON.stringify({ amountIn: paid, currencyIn: originCurrency, amountOut: got });
}

/** The payer has the money back: the request fails until reinclusion. */
function vanish(context: WorkContext, unit: UnitOfWork, before: ExecutionRow): void {
  const row = unit.update('executions', before.id, { state: 'vanished', height: null, blockId: null, blockTime: null });
  note(context, unit, { ...row, height: before.height, blockTime: before.blockTime }, 'failure');
  if (unit.get('requests', row.requestId)?.status !== 'success') return;
  const evidence = { kind: 'executionVanished', execution: row.id } as const;
  const set = { failReason: 'DEPOSIT_REORGED', actual: null, fillTimeMs: null } as const;
  moveRequest(context, unit, row.requestId, 'sameChainReorged', set, { evidence });
}

/** The fee arrived in a lane, where it is found like any inflow. */
function finalise(context: WorkContext, unit: UnitOfWork, row: ExecutionRow): void {
  unit.update('executions', row.id, { state: 'final' });
  const request = requestOf(unit, row.requestId);
  const { payerSwap, terms } = JSON.parse(request.body) as QuoteBody;
  if (row.fee === 0n || payerSwap === undefined || payerSwap.feeTo === null) return;
  const shares = terms.appFees.map(({ recipient }, n) => ({ recipient, amount: BigInt(payerSwap.appFees[n] ?? 0n) }));
  const groupId = `execution:${row.id}`;
  const meta = { groupId, requestId: request.id, legId: null, createdAt: context.clock.now() };
  unit.post(payerSwapFeePosting(meta, row.chainId, request.originCurrency, row.fee, shares));
}

/** One transaction is both the deposit and the fill. */
function note(context: WorkContext, unit: UnitOfWork, row: ExecutionRow, status: 'success' | 'failure'): void {
  const { requestId, chainId, transactionHash: hash, height: block, blockTime } = row;
  const timestamp = blockTime === null ? null : Math.floor(blockTime / 1000);
  for (const role of ['deposit', 'fill'] as const) {
    const shown = status === 'failure' && role === 'fill' ? 'failed' : role;
    const id = `${requestId}:${role}:${row.id}`;
    noteTransaction(context, unit, { id, requestId, role: shown, chainId, hash, block, timestamp, status });
  }
}
