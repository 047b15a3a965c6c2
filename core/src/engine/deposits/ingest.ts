import { isCleared } from '../../capabilities/deposit-addresses/cleared.js';
import { isOpen } from '../../capabilities/deposit-addresses/transfer.js';
import { isDoubtful, unshownUntil } from '../../capabilities/deposit-addresses/unshown.js';
import { fastFillBody, reserveFastFill, riskOf } from '../../capabilities/fast-fill/fast-fill.js';
import { loadSent } from '../../capabilities/nonce-mappings/recorded.js';
import { mayHaveBeenMapped } from '../../capabilities/nonce-mappings/sent-by.js';
import { balanceOf, creditDeposit } from '../../capabilities/sponsorship/deposits.js';
import { isScreened } from '../../capabilities/sponsorship/screen-payers.js';
import { loadSponsors, sponsoredBody } from '../../capabilities/sponsorship/sponsor-fill.js';
import type { DepositBatch, DepositObservation } from '../../contract/deposits.js';
import type { ChainId, FundingKey, RequestId, UnixMs } from '../../contract/ids.js';
import type { CursorRow, HoldRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { equityPosting } from '../../domain/postings.js';
import { chainOf, decideAndCommit, type EngineContext, type WorkContext } from '../base/context.js';
import { isInfrastructure, isolate } from '../base/isolate.js';
import { loadEarmarks, loadViews } from '../base/load.js';
import { poisonAlert } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { Budget } from '../books/budget.js';
import { finaliseDeposit, vanishDeposit } from '../books/deposit-life.js';
import { paidInAt } from '../books/paid-in.js';
import { bookCostOfIgnored, orderOf } from '../books/reported-deposits.js';
import { endUnconfirmed, mayEnd, waitAgain } from '../books/unconfirmed.js';
import { loadChanges } from './changed-deposit.js';
import { ingestExecutions } from './executions.js';
import { reportOfFinalGone } from './final-gone.js';
import { followDeposit } from './follow-deposit.js';
import { meetDeposit } from './meet-deposit.js';
import { nameApart } from './named-apart.js';
import { setOnHold } from './poison-deposits.js';
import { loadPromises, type Promises } from './promises.js';
import { reobserve } from './reobserved.js';
import { settleDeposit } from './settle-deposit.js';
import { asRecorded, withWholeIds } from './short-forms.js';
import { WatchSession } from './watch-session.js';
import { isWitnessed } from './witness.js';

/** Amortises the commit and keeps the first fill quick. */
const ROWS_PER_COMMIT = 100;
const MAX_UNDECIDED_ROWS = 200;
const MAX_UNCONFIRMED_ROWS = 1_000;
const RETRY_DELAY_MS = 1_000;

interface Part {
  readonly observations: readonly DepositObservation[];
  /** Funding keys of the whole batch; set to mark missing deposits as vanished. */
  readonly repeated?: ReadonlySet<string>;
  readonly cursor?: boolean;
  readonly advance?: boolean;
  readonly decide?: readonly FundingKey[];
  /** Record without deciding. */
  readonly later?: boolean;
}

/** `news`: anything but the cursor. */
interface Written {
  readonly news: boolean;
  readonly cursor: boolean;
}

/** True where more than the cursor was written. */
type Apply = (name: string, part: Part) => Promise<boolean>;

/**
 * Makes a watcher's batch durable.
 *
 * Invariant: the cursor is in the same change set as its last observations. A crash replays the batch, without effect
 * (unique funding keys; states follow the chain).
 *
 * A cursor without news is written rarely, cheaper than a commit per head, and wakes only its own chain's workers.
 */
export async function ingest(
  context: WorkContext,
  chainId: ChainId,
  batch: DepositBatch,
  session = new WatchSession(context.clock),
): Promise<void> {
  const funding = batch.deposits.filter((seen) => /* guard: strays-fund-nothing */ !seen.stray);
  const deposits = await withWholeIds(context, chainId, funding);
  const strays = batch.deposits.filter((seen) => seen.stray);
  const rest = { ...batch, deposits };
  const apply: Apply = async (name, part) => {
    const done = await decideAndCommit(context, name, () => work(context, chainId, rest, part, session));
    if (done.cursor) session.cursorWritten();
    return done.news;
  };
  // Executions must be recorded before the cursor moves past them.
  await ingestExecutions(context, chainId, batch);
  await nameApart(context, chainId, { strays, unread: batch.unread ?? [] }, session.dust);
  let isNews = true;
  try {
    const wrote = await together(context, chainId, rest, apply);
    const reported = [...batch.deposits, ...(batch.unread ?? []), ...(batch.executions ?? [])];
    isNews = wrote || reported.length > 0 || batch.rewoundTo !== undefined;
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    context.log.error({ chainId, err: error }, 'a batch failed as a whole, processing its parts');
    await apart(context, chainId, rest, session, apply);
  }
  if (isNews) wakeAll(context);
  else context.wake(chainId);
}

async function together(context: WorkContext, chainId: ChainId, batch: DepositBatch, apply: Apply): Promise<boolean> {
  const repeated = new Set(batch.deposits.map((deposit) => deposit.fundingKey));
  const quiet = batch.deposits.length === 0 && batch.rewoundTo === undefined;
  let rest = batch.deposits;
  while (rest.length > ROWS_PER_COMMIT) {
    await apply('engine.ingest.chunk', { observations: rest.slice(0, ROWS_PER_COMMIT) });
    rest = rest.slice(ROWS_PER_COMMIT);
    wakeAll(context);
  }
  const wrote = await apply('engine.ingest', { observations: rest, repeated, cursor: true, advance: quiet });
  if (quiet) return wrote;
  wakeAll(context);
  // Separate, so that fills of the new deposits need not wait.
  await apply('engine.ingest.advance', { observations: [], advance: true });
  context.wake(chainId);
  return true;
}

/** One by one: a failing transfer must not block the others. */
async function apart(
  context: WorkContext,
  chainId: ChainId,
  batch: DepositBatch,
  session: WatchSession,
  apply: Apply,
): Promise<void> {
  const poisoned = (deposit: { readonly fundingKey: FundingKey }, error: unknown): void => {
    const { fundingKey } = deposit;
    context.alerts.raise(
      poisonAlert({ id: fundingKey }),
      'A deposit cannot be processed: this is a bug or a changed config',
      {
        chainId,
        fundingKey,
      },
    );
    context.log.error({ chainId, fundingKey, err: error }, 'a deposit cannot be processed');
  };
  await isolate(
    batch.deposits,
    async (observations) => {
      await apply('engine.ingest.chunk', { observations, later: true });
    },
    async (deposit, error) => {
      poisoned(deposit, error);
      if (!(await setOnHold(context, deposit))) session.pinned = true;
    },
  );
  const repeated = new Set(batch.deposits.map((deposit) => deposit.fundingKey));
  await apply('engine.ingest', { observations: [], repeated, cursor: true, advance: true, later: true });
  const undecided = await context.store.undecided(chainId, MAX_UNDECIDED_ROWS);
  await isolate(
    undecided.filter(({ fundingKey }) => !session.isPoisoned(fundingKey)),
    async (some) => {
      await apply('engine.ingest.decide', { observations: [], decide: some.map(({ fundingKey }) => fundingKey) });
      for (const { fundingKey } of some) context.alerts.clear(poisonAlert({ id: fundingKey }));
    },
    (deposit, error) => {
      session.poison(deposit.fundingKey);
      poisoned(deposit, error);
    },
  );
}

/**
 * Records a held, final transfer if possible by now, and ends its hold.
 *
 * @throws why it cannot be recorded.
 */
export async function ingestOnHold(
  context: WorkContext,
  chainId: ChainId,
  { hold, seen }: { readonly hold: HoldRow; readonly seen: DepositObservation },
  session: WatchSession,
): Promise<void> {
  const time = context.times.get(chainId);
  if (!time) return;
  const head = { height: time.height, id: '', timestamp: time.headTime };
  const finalized = { height: time.finalHeight, id: '', timestamp: time.finalTime };
  const deposits = [{ ...seen, state: 'final' as const }];
  const batch: DepositBatch = { cursor: '', head, finalized, deposits };
  await decideAndCommit(context, 'engine.ingest.retry', async () => {
    const done = await work(context, chainId, batch, { observations: deposits }, session);
    done.work.load('holds', hold);
    done.work.update('holds', hold.id, { state: 'released' });
    await unclaim(context, done.work, seen);
    return done;
  });
  wakeAll(context);
}

/** Reverses a booking as unclaimed during the hold. */
async function unclaim(
  context: WorkContext,
  unit: UnitOfWork,
  { fundingKey, chainId, currency, amount, cost = 0n }: DepositObservation,
) {
  if (unit.get('deposits', fundingKey) === undefined) return;
  const unclaimed = -(await context.store.pot(account.unclaimed(chainId, currency)));
  const isNative = chainOf(context, chainId).facts.currency.address === currency;
  const left = isNative ? amount - cost : amount;
  const back = unclaimed < left ? unclaimed : left;
  if (back <= 0n) return;
  const groupId = `claimed:${fundingKey}`;
  const meta = { groupId, requestId: null, legId: null, createdAt: context.clock.now() };
  unit.post(equityPosting(meta, account.depository(chainId, currency), 'unclaimed', chainId, currency, -back));
}

export async function decideNow(
  context: WorkContext,
  chainId: ChainId,
  decide: readonly FundingKey[],
  session: WatchSession,
): Promise<void> {
  const time = context.times.get(chainId);
  if (!time || decide.length === 0) return;
  const head = { height: time.height, id: '', timestamp: time.headTime };
  const finalized = { height: time.finalHeight, id: '', timestamp: time.finalTime };
  const batch: DepositBatch = { cursor: '', head, finalized, deposits: [] };
  await decideAndCommit(context, 'engine.ingest.decide', () =>
    work(context, chainId, batch, { observations: [], decide }, session),
  );
  wakeAll(context);
}

function wakeAll(context: EngineContext): void {
  for (const chainId of context.chains.keys()) context.wake(chainId);
}

async function work(
  context: WorkContext,
  chainId: ChainId,
  batch: DepositBatch,
  part: Part,
  session: WatchSession,
): Promise<{ work: UnitOfWork; result: Written }> {
  const { store } = context;
  const { repeated, cursor: writesCursor, advance, decide = [] } = part;
  const unit = new UnitOfWork();
  const named = [...part.observations.map((seen) => seen.fundingKey), ...decide];
  const again = repeated === undefined ? undefined : reobserve(batch);
  const isRepeated = again !== undefined && Number.isFinite(again.above);
  const [known, above, toFinalise, waiting, undecided, cursor] = await Promise.all([
    named.length > 0 ? store.deposits(named) : [],
    isRepeated ? store.depositsAbove(chainId, again.above) : [],
    advance ? store.depositsToFinalise(chainId, batch.finalized.height, 500) : [],
    advance || isRepeated ? store.unconfirmed(chainId, MAX_UNCONFIRMED_ROWS) : [],
    advance && !part.later
      ? session.patience.turn(
          MAX_UNDECIDED_ROWS,
          (limit) => store.undecided(chainId, limit),
          (row) => row.fundingKey,
        )
      : [],
    writesCursor ? store.cursor(chainId) : undefined,
  ]);
  const observations = asRecorded(context, part.observations, known);
  const isGone = (fundingKey: FundingKey, height: number | null): boolean =>
    again?.includes(height) === true && !repeated?.has(fundingKey);
  const vanished = above.filter(({ fundingKey, height }) => isGone(fundingKey, height));
  const freed = waiting.filter(({ fundingKey, rivalHeight }) => isGone(fundingKey, rivalHeight));
  const ending = advance ? waiting.filter((deposit) => mayEnd(context, deposit, batch)) : [];
  const existing = [...known, ...vanished, ...toFinalise, ...freed, ...ending, ...undecided];
  const deciding = [...known, ...undecided].filter((deposit) => deposit.decision === 'waiting');
  await loadSent(context, unit, observations, known);
  const promises = await loadPromises(context, observations);
  const touched = existing.map((deposit) => deposit.requestId);
  const owners = promises.parents.flatMap((parent) => (parent.fundingKey === null ? [] : [parent.fundingKey]));
  const anyDecision = !part.later && (observations.length > 0 || deciding.length > 0);
  const [budget, doubted] = await Promise.all([
    anyDecision ? Budget.load(context) : undefined,
    unshownUntil(context, [...deciding, ...observations]),
    loadViews(context, unit, [...touched, ...promises.parents.map((parent) => parent.id)], owners),
    loadEarmarks(context, unit, fixedRates(promises)),
    loadChanges(context, unit, known, observations),
  ]);

  const promised = [
    ...promises.bodies.values(),
    ...unit.all('requests').flatMap((row) => [sponsoredBody(row), fastFillBody(row)]),
  ];
  budget?.admit(await loadSponsors(context, promised));

  // guard: final-and-gone
  if (repeated !== undefined) reportOfFinalGone(context, chainId, batch, repeated);
  for (const deposit of vanished) vanishDeposit(context, unit, deposit.fundingKey);
  for (const deposit of freed) waitAgain(context, unit, deposit);
  for (const seen of observations) {
    const before = unit.get('deposits', seen.fundingKey);
    if (before === undefined) {
      if (seen.state !== 'vanished') meetDeposit(context, unit, seen, promises, session);
    } else followDeposit(context, unit, before, seen, batch.head.timestamp);
  }
  const ignored = observations.filter(({ fundingKey }) => unit.get('deposits', fundingKey) === undefined);
  bookCostOfIgnored(context, unit, chainId, ignored);
  for (const deposit of toFinalise) {
    const now = unit.get('deposits', deposit.fundingKey);
    if (now?.state === 'included' && now.height !== null && now.height <= batch.finalized.height) {
      finaliseDeposit(context, unit, now.fundingKey);
    }
  }
  endUnconfirmed(context, unit, ending, batch);
  if (budget) decideReady(context, unit, { budget, chainId, head: batch.head.height, promises, session, doubted });
  for (const { fundingKey } of undecided) session.patience.postpone(fundingKey, RETRY_DELAY_MS);
  const news = !unit.empty;
  const reported = observations.length > 0 || (batch.unread?.length ?? 0) > 0 || batch.rewoundTo !== undefined;
  const writes = writesCursor === true && (news || reported || cursor === undefined || session.isCursorDue);
  if (writes) writeCursor(unit, chainId, batch, cursor, session.pinned);
  return { work: unit, result: { news, cursor: writes } };
}

function fixedRates({ bodies }: Promises): RequestId[] {
  return [...bodies.values()].filter(({ features }) => features.includes('fixed_rate')).map((body) => body.requestId);
}

interface Deciding {
  readonly budget: Budget;
  readonly chainId: ChainId;
  readonly head: number;
  readonly promises: Promises;
  readonly session: WatchSession;
  /** See `isDoubtful`. */
  readonly doubted: UnixMs;
}

function decideReady(context: WorkContext, unit: UnitOfWork, deciding: Deciding): void {
  const { budget, chainId, head, promises, session, doubted } = deciding;
  const chain = chainOf(context, chainId);
  for (const deposit of unit.all('deposits')) {
    if (
      deposit.chainId !== chainId ||
      /* guard: one-decision */ deposit.decision !== 'waiting' ||
      deposit.height === null
    )
      continue;
    if (deposit.state !== 'included' && deposit.state !== 'final') continue;
    const deep = deposit.state === 'final' || head - deposit.height >= chain.acceptDepth(BigInt(deposit.valueUsd));
    const request = unit.get('requests', deposit.requestId);
    if (!request) throw new Error(`request of deposit ${deposit.fundingKey} was not loaded`);
    const risk = deep ? undefined : riskOf(unit, budget, request, deposit, context.clock.now());
    if ((!deep && risk === undefined) || session.isPoisoned(deposit.fundingKey) || !isWitnessed(context, deposit))
      continue;
    if (!isCleared(context, deposit)) continue;
    const isLost = /* guard: lost-mapping-tops-up-nothing */ paidInAt(deposit) <= doubted && mayHaveBeenMapped(deposit);
    const integrator = isLost ? undefined : balanceOf(request);
    if (integrator !== undefined && !isScreened(context, deposit)) continue;
    if (integrator !== undefined && creditDeposit(context, unit, deposit, request, integrator)) continue;
    const known = deposit.orderId === null ? undefined : promises.bodies.get(deposit.orderId);
    const quote = known ?? orderOf(request) ?? null;
    if (quote?.unquoted) continue;
    // A transfer whose order has only a tombstone is held anyway.
    if (quote?.tombstone !== true && isDoubtful(context, deposit, doubted)) continue;
    // A transfer to an open address is a child request, but owns its order.
    const taken = request.parentRequestId !== null && (deposit.depositAddress === null || !isOpen(quote ?? undefined));
    settleDeposit(context, unit, budget, deposit, quote, taken);
    if (risk !== undefined) reserveFastFill(unit, request, risk, context.clock.now());
  }
}

function writeCursor(
  unit: UnitOfWork,
  chainId: ChainId,
  batch: DepositBatch,
  before: CursorRow | undefined,
  pinned: boolean,
): void {
  if (pinned && !before) return;
  const row = {
    cursor: pinned && before ? before.cursor : batch.cursor,
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
