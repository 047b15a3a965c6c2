import type { DepositBatch, DepositObservation } from '../contract/deposits.js';
import type { ChainId } from '../contract/ids.js';
import type { DepositRow, RequestRow } from '../contract/store-rows.js';
import { legId } from '../domain/accounts.js';
import type { QuoteBody } from '../domain/quote.js';
import { Budget } from './budget.js';
import { chainOf, decideAndCommit, type EngineContext } from './context.js';
import {
  finaliseDeposit,
  impliedStatus,
  isOut,
  moveDepositBlock,
  returnDeposit,
  vanishDeposit,
} from './deposit-life.js';
import { loadViews } from './load.js';
import {
  actualIn,
  bookDeposit,
  newDeposit,
  noteDeposit,
  orphanBody,
  placeOf,
  requestOfQuote,
} from './reported-deposits.js';
import { moveRequest } from './requests.js';
import { paysFor, settleDeposit } from './settle-deposit.js';
import { UnitOfWork } from './unit-of-work.js';

/** Observations per change set: large enough to amortise the commit, small enough to keep the first fill quick. */
const CHUNK = 100;

/**
 * Makes a batch of the watcher durable: observations, decisions, legs, postings, events and the cursor.
 *
 * Invariant: the cursor is written in the same change set as the last observations it stands for, so a crash anywhere
 * replays the batch, and replaying changes nothing (funding keys are unique, states only move as the chain does).
 */
export async function ingest(context: EngineContext, chainId: ChainId, batch: DepositBatch): Promise<void> {
  const repeated = new Set(batch.deposits.map((deposit) => deposit.fundingKey));
  const decide = (part: Part) => () => work(context, chainId, batch, part);
  const quiet = batch.deposits.length === 0 && batch.rewoundTo === undefined;
  let rest = batch.deposits;
  while (rest.length > CHUNK) {
    await decideAndCommit(context, 'engine.ingest.chunk', decide({ observations: rest.slice(0, CHUNK) }));
    rest = rest.slice(CHUNK);
    wakeAll(context);
  }
  const last = { observations: rest, repeated, cursor: true, advance: quiet };
  await decideAndCommit(context, 'engine.ingest', decide(last));
  if (quiet) {
    context.wake(chainId);
    return;
  }
  wakeAll(context);
  // Fills of what was just seen do not wait for this.
  await decideAndCommit(context, 'engine.ingest.advance', decide({ observations: [], advance: true }));
  context.wake(chainId);
}

/** What one change set takes care of. */
interface Part {
  readonly observations: readonly DepositObservation[];
  /** Keys that the whole batch repeats: set for the part that lets what was rewound vanish. */
  readonly repeated?: ReadonlySet<string>;
  readonly cursor?: boolean;
  /** Finalise what has become final, decide what has become deep enough. */
  readonly advance?: boolean;
}

function wakeAll(context: EngineContext): void {
  for (const chainId of context.chains.keys()) context.wake(chainId);
}

async function work(
  context: EngineContext,
  chainId: ChainId,
  batch: DepositBatch,
  { observations, repeated, cursor: writesCursor, advance }: Part,
): Promise<{ work: UnitOfWork; result: undefined }> {
  const { store } = context;
  const unit = new UnitOfWork();
  const orderIds = [...new Set(observations.flatMap((seen) => (seen.orderId === null ? [] : [seen.orderId])))];
  const rewound = repeated && batch.rewoundTo !== undefined ? batch.rewoundTo : undefined;
  const [known, quotes, parents, above, toFinalise, undecided, cursor] = await Promise.all([
    observations.length > 0 ? store.deposits(observations.map((seen) => seen.fundingKey)) : [],
    orderIds.length > 0 ? store.quotesByOrder(orderIds) : [],
    orderIds.length > 0 ? store.requestsByOrder(orderIds) : [],
    rewound === undefined ? [] : store.depositsAbove(chainId, rewound),
    advance ? store.depositsToFinalise(chainId, batch.finalized.height, 500) : [],
    advance ? store.undecided(chainId, 200) : [],
    writesCursor ? store.cursor(chainId) : undefined,
  ]);
  const vanished = above.filter((deposit) => !repeated?.has(deposit.fundingKey));
  const touched = [...known, ...vanished, ...toFinalise, ...undecided].map((deposit) => deposit.requestId);
  const owners = parents.flatMap((parent) => (parent.fundingKey === null ? [] : [parent.fundingKey]));
  const anyDecision = observations.length > 0 || undecided.length > 0;
  const [budget] = await Promise.all([
    anyDecision ? Budget.load(context) : undefined,
    loadViews(context, unit, [...touched, ...parents.map((parent) => parent.id)], owners),
  ]);
  // A deposit that is new here may belong to an order whose quote is a known request's body.
  const bodies = new Map<string, QuoteBody>();
  for (const quote of quotes) bodies.set(quote.orderId, JSON.parse(quote.body) as QuoteBody);
  const rows = new Map(quotes.map((quote) => [quote.orderId as string, quote]));

  for (const deposit of vanished) vanishDeposit(context, unit, deposit.fundingKey);
  for (const seen of observations) {
    const before = unit.get('deposits', seen.fundingKey);
    if (before) {
      followDeposit(context, unit, before, seen);
    } else if (seen.state !== 'vanished') {
      meetDeposit(context, unit, seen, bodies, rows);
    }
  }
  for (const deposit of toFinalise) {
    const now = unit.get('deposits', deposit.fundingKey);
    if (now?.state === 'included' && now.height !== null && now.height <= batch.finalized.height) {
      finaliseDeposit(context, unit, now.fundingKey);
    }
  }
  if (budget) decideReady(context, unit, budget, chainId, batch.head.height, bodies);
  if (writesCursor) writeCursor(unit, chainId, batch, cursor);
  return { work: unit, result: undefined };
}

/** A transfer seen for the first time: it starts a request, or a child of one. */
function meetDeposit(
  context: EngineContext,
  unit: UnitOfWork,
  seen: DepositObservation,
  bodies: Map<string, QuoteBody>,
  rows: ReadonlyMap<string, Parameters<typeof requestOfQuote>[2]>,
): void {
  const quoteRow = seen.orderId === null ? undefined : rows.get(seen.orderId);
  const parent =
    seen.orderId === null
      ? undefined
      : unit.all('requests').find((row) => row.orderId === seen.orderId && row.parentRequestId === null);
  const quote = (seen.orderId === null ? undefined : bodies.get(seen.orderId)) ?? (parent && orderOf(parent));
  const body = quote ?? orphanBody(context, seen);
  const origin = quoteRow ?? {
    keyId: null,
    amountUsd: null,
    createdAt: context.clock.now(),
    network: context.policy.network,
  };
  const adopts = parent !== undefined && quote !== undefined && mayAdopt(context, unit, parent, seen, quote);
  const request = adopts
    ? parent
    : unit.insert('requests', requestOfQuote(context, body, origin, parent?.id ?? null, seen.depositor));
  const deposit = unit.insert('deposits', newDeposit(context, seen, request.id, quote));
  unit.update('requests', request.id, {
    fundingKey: deposit.fundingKey,
    sender: seen.depositor,
    actual: actualIn(request, deposit),
  });
  if (deposit.state !== 'mempool') bookDeposit(context, unit, deposit, 1n);
  noteDeposit(unit, deposit, 'success');
  if (adopts) {
    const fill = unit.get('legs', legId.fill(request.orderId));
    moveRequest(
      context,
      unit,
      request.id,
      'depositReturned',
      { failReason: null },
      { guard: impliedStatus(fill ? [fill] : []) },
    );
  } else {
    moveRequest(context, unit, request.id, 'depositSeen');
  }
}

/**
 * A request whose transfer vanished is open to another one for the same order, as after a wallet's replacement: it
 * starts over, or pays for what was already sent. One that would not pay for that is a duplicate: a dust transfer
 * must not part the first one, should it come back, from its fill.
 */
function mayAdopt(
  context: EngineContext,
  unit: UnitOfWork,
  parent: RequestRow,
  seen: DepositObservation,
  quote: QuoteBody,
): boolean {
  const owner = parent.fundingKey === null ? undefined : unit.get('deposits', parent.fundingKey);
  const sameSide = seen.chainId === parent.originChainId && seen.currency === parent.originCurrency;
  const open = parent.status === 'failure' && parent.failReason === 'DEPOSIT_REORGED';
  if (owner?.state !== 'vanished' || !open || !sameSide) return false;
  const fill = unit.get('legs', legId.fill(parent.orderId));
  if (!fill || fill.state === 'suspended') return true;
  return isOut(fill) && paysFor(context, newDeposit(context, seen, parent.id, quote), quote, fill);
}

function followDeposit(context: EngineContext, unit: UnitOfWork, before: DepositRow, seen: DepositObservation): void {
  if (seen.state === 'vanished') {
    if (before.state !== 'vanished') vanishDeposit(context, unit, before.fundingKey);
    return;
  }
  if (before.state === 'final') return;
  const final = seen.state === 'final';
  // Included first, so that becoming final has its consequences: a reorg may move a transfer while nobody watches.
  const place = { ...placeOf(seen), ...(final ? { state: 'included' as const } : {}) };
  if (before.state === 'vanished' || (before.state === 'mempool' && seen.state !== 'mempool')) {
    returnDeposit(context, unit, before, place);
  } else if (before.blockId !== (seen.block?.id ?? null)) {
    moveDepositBlock(unit, before, place);
  }
  if (final) finaliseDeposit(context, unit, before.fundingKey);
}

/** Decides every transfer that is deep enough for its value. */
function decideReady(
  context: EngineContext,
  unit: UnitOfWork,
  budget: Budget,
  chainId: ChainId,
  head: number,
  bodies: ReadonlyMap<string, QuoteBody>,
): void {
  const chain = chainOf(context, chainId);
  for (const deposit of unit.all('deposits')) {
    if (deposit.chainId !== chainId || deposit.decision !== 'waiting' || deposit.height === null) continue;
    if (deposit.state !== 'included' && deposit.state !== 'final') continue;
    const deep = deposit.state === 'final' || head - deposit.height >= chain.acceptDepth(BigInt(deposit.valueUsd));
    if (!deep) continue;
    const request = unit.get('requests', deposit.requestId);
    if (!request) throw new Error(`request of deposit ${deposit.fundingKey} was not loaded`);
    const taken = request.parentRequestId !== null;
    const known = deposit.orderId === null ? undefined : bodies.get(deposit.orderId);
    settleDeposit(context, unit, budget, deposit, known ?? orderOf(request) ?? null, taken);
  }
}

/** The promise a request came of; undefined for an orphan, which came of none. */
function orderOf(request: RequestRow): QuoteBody | undefined {
  const body = JSON.parse(request.body) as QuoteBody;
  return body.order.inputs.length > 0 ? body : undefined;
}

function writeCursor(
  unit: UnitOfWork,
  chainId: ChainId,
  batch: DepositBatch,
  before: Awaited<ReturnType<EngineContext['store']['cursor']>>,
): void {
  const row = {
    cursor: batch.cursor,
    headHeight: batch.head.height,
    headTime: batch.head.timestamp,
    finalHeight: batch.finalized.height,
    finalTime: batch.finalized.timestamp,
  };
  if (!before) {
    unit.insert('cursors', { chainId, version: 1, ...row });
    return;
  }
  unit.load('cursors', before);
  unit.update('cursors', chainId, row);
}
