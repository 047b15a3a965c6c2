import type { ChainId, OrderId, UnixMs } from '../../contract/ids.js';
import type { KeySpender, LegPaid } from '../../contract/legs.js';
import type { DepositRow, LaneRow, LegRow, MetaRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { isWholeId, leastForm } from '../../domain/short-order.js';
import { chainNow, type EngineContext, type WorkContext } from '../base/context.js';
import { laneId } from '../base/lanes.js';
import { isReleased } from '../base/leg-marks.js';
import type { Doubt, LostSends } from '../base/leg-rules.js';
import { putMeta } from '../base/put-meta.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isInFill } from '../books/beside.js';
import { paidInAt } from '../books/paid-in.js';
import { orderOf } from '../books/reported-deposits.js';
import { restoredAt } from './restored.js';
import { ALONE_MS } from './since.js';

/**
 * What is known of sends that this ledger does not have, as after a backup was put back: the orders they filled.
 *
 * Invariant (G3, G15): a deposit is not paid back while a lane that may have filled its order is halted, or was not
 * compared with its chain since this process started; nor ever by itself once its order is known to be filled, or
 * cannot be known not to be, as where a lane's ledger began later, or its chain is not configured any more.
 */
const MARK = 'foreign';
/** Of an order that was filled; of a short form, that an order which has it was. */
const filledKey = (orderId: OrderId): string => `filled:${isWholeId(orderId) ? orderId : leastForm(orderId)}`;
const countedKey = (lane: string): string => `${MARK}:${lane}`;
const begunKey = (chainId: ChainId): string => `begun:${chainId}`;
const untoldKey = (chainId: ChainId): string => `untold:${chainId}`;

interface Mark {
  /** Transfers up to this time that name an order unknown here may have been filled; null for none. */
  readonly unmatchedUntil: UnixMs | null;
}

/**
 * Notes the orders that foreign transactions filled; `someUnmatched` when not all of those transactions could be told.
 *
 * @param chainId where the transactions were sent: when one of them does not name all its orders, every order promised there is
 * in doubt.
 */
export async function noteForeign(
  context: WorkContext,
  unit: UnitOfWork,
  spenders: readonly KeySpender[],
  someUnmatched: boolean,
  chainId?: ChainId,
): Promise<void> {
  const untold = spenders.some((spender) => spender.untold);
  const unmatched = someUnmatched || untold;
  if (chainId !== undefined && untold) await noteUntold(context, unit, chainId);
  const orders = [...new Set(spenders.flatMap(({ filled }) => filled))];
  if (orders.length === 0 && !unmatched) return;
  const before = await context.store.meta(MARK);
  const unmatchedUntil = unmatched ? latestOf(context) : before ? readMark(before).unmatchedUntil : null;
  const value = JSON.stringify({ unmatchedUntil } satisfies Mark);
  if (!before) unit.insert('meta', { key: MARK, version: 1, value });
  else if (before.value !== value) {
    unit.load('meta', before);
    unit.update('meta', MARK, { value });
  }
  for (const orderId of orders) {
    const hash = spenders.find(({ filled }) => filled.includes(orderId))?.hash ?? '';
    // By its short form as well: a transfer that names an order which this ledger lost has no more than that.
    for (const key of [filledKey(orderId), filledKey(leastForm(orderId))])
      if (!(await context.store.meta(key)) && !unit.get('meta', key))
        unit.insert('meta', { key, version: 1, value: hash });
  }
}

/**
 * Notes that a lane is missing from a ledger that others worked on before. Mostly its chain or its signer is new; but it
 * may be the backup that is older than both, and then what was sent there is lost without a trace.
 */
export async function noteBegun(context: WorkContext, unit: UnitOfWork, chainId: ChainId): Promise<void> {
  await noteForeign(context, unit, [], true);
  await putMeta(context, unit, begunKey(chainId), () => String(latestOf(context)));
}

/**
 * Notes that a lane goes on although nobody told what its unknown sends did: any order that was promised until now may
 * be filled, also one whose deposit this ledger has not seen yet.
 */
export async function noteUntold(context: WorkContext, unit: UnitOfWork, chainId: ChainId): Promise<void> {
  await putMeta(context, unit, untoldKey(chainId), () => String(latestOf(context)));
}

/** The latest that it may be by any clock: what happened before must not look younger. */
function latestOf(context: EngineContext): UnixMs {
  return Math.max(context.clock.now(), ...[...context.chains.keys()].map((chainId) => chainNow(context, chainId)));
}

function readMark(row: MetaRow): Mark {
  return JSON.parse(row.value) as Mark;
}

/**
 * True where the resumption of a lane has booked what its unknown sends gave and got, this one among them: what landed
 * later, as after it waited where no pool shows it, is in no balance that was booked then.
 */
export async function isCounted(context: EngineContext, leg: LegRow, { block }: LegPaid): Promise<boolean> {
  const at = await countedAt(context, laneId(leg.chainId, leg.signer));
  return at !== undefined && block.timestamp <= Number(at);
}

/** Notes that a lane was resumed, and its balances booked as its chain has them. */
export async function noteCounted(context: WorkContext, unit: UnitOfWork, lane: LaneRow): Promise<void> {
  await putMeta(context, unit, countedKey(lane.id), () => String(latestOf(context)));
}

/** When a lane was resumed past sends that this ledger lost; undefined for a lane that never was. */
export async function countedAt(context: EngineContext, lane: string): Promise<string | undefined> {
  return (await context.store.meta(countedKey(lane)))?.value;
}

/** Whether deposits may be paid back, as one change set sees it. */
export interface Doubts {
  /** Why paying a leg may be the second payment. */
  about(leg: LegRow, request: RequestRow | undefined, deposit: DepositRow | undefined): Doubt;
  /** True where the lost part of this ledger may have paid the deposit back under another leg, and no operator said more. */
  maybePaid(leg: LegRow, deposit: DepositRow | undefined): boolean;
  /**
   * True where the lost part of this ledger may have done this very leg, whatever an operator said: where no contract keeps it
   * from being done twice, only the chain's history does.
   */
  maybeDone(leg: LegRow, deposit: DepositRow | undefined): boolean;
}

const NO_DOUBTS: Doubts = { about: () => 'none', maybePaid: () => false, maybeDone: () => false };
const NEVER: ReadonlyMap<ChainId, UnixMs> = new Map();

/**
 * What was paid in until then may have been settled by sends that this ledger does not know, whatever it knows itself;
 * below any time where it knows all.
 */
export async function doubtedUntil({ store }: Pick<EngineContext, 'store'>): Promise<UnixMs> {
  const [mark, restored] = await Promise.all([store.meta(MARK), restoredAt(store)]);
  return latest((mark && readMark(mark).unmatchedUntil) ?? null, restored);
}

/** Reads what stands against paying these legs; nothing is read where none of them can be doubted. */
export async function loadDoubts(context: EngineContext, legs: readonly LegRow[]): Promise<Doubts> {
  if (legs.length === 0) return NO_DOUBTS;
  // Before the lanes are read: a comparison marks its lane and halts it in one.
  const uncompared = new Set([...context.chains.keys()].filter((chainId) => !context.compared(chainId)));
  const orders = legs.flatMap((leg) => context.kinds.of(leg).rivals(leg));
  // Before the notes are read: a change set that ends a halt also notes the orders that were filled meanwhile.
  const lanes = await context.store.lanes();
  const [mark, restored] = await Promise.all([context.store.meta(MARK), restoredAt(context.store)]);
  const filled = new Set<string>();
  const known = mark ? await Promise.all(orders.map((orderId) => context.store.meta(filledKey(orderId)))) : [];
  for (const row of known) if (row) filled.add(row.key);
  const noted = mark && (orders.length > 0 || legs.some((leg) => factsOf(leg).delivers && !fillsOnce(context, leg)));
  const [begun, untold] = await Promise.all(
    [begunKey, untoldKey].map((key) => (noted ? timesOf(context, key) : NEVER)),
  );
  const halted = new Set(lanes.flatMap((lane) => (lane.halted === null ? [] : [lane.chainId])));
  const untoldOf = (chainId: ChainId): UnixMs => latest(untold?.get(chainId) ?? null);
  // Nobody works a lane of a chain that is not configured any more: its halt does not end by itself.
  const isAbandoned = (chainId: ChainId): boolean => halted.has(chainId) && !context.chains.has(chainId);
  const lost: LostSends = {
    restored,
    unmatchedUntil: latest((mark && readMark(mark).unmatchedUntil) ?? null, restored),
    untold: untoldOf,
    untoldUntil: (chainId) => latest(untoldOf(chainId), /* guard: restored-ledger-asks */ restored),
    begun: (chainId) => latest(begun?.get(chainId) ?? null),
    isHalted: (chainId) => halted.has(chainId),
    isAbandoned,
    someAbandoned: [...halted].some(isAbandoned),
    waits: (chainIds) => {
      // guard: halted-chains-pay-nothing
      if (chainIds.some((chainId) => halted.has(chainId) && !isAbandoned(chainId))) return 'wait';
      // guard: compared-before-paying
      return chainIds.some((chainId) => uncompared.has(chainId)) ? 'soon' : null;
    },
    isFilled: (orderId) => filled.has(filledKey(orderId)),
  };
  return {
    maybePaid: (leg, deposit) => !isReleased(leg) && paidInAt(deposit) <= lost.unmatchedUntil,
    maybeDone: (leg, deposit) => (leg.fundingKey === null ? before(leg) : paidInAt(deposit)) <= lost.unmatchedUntil,
    about: (leg, request, deposit) => context.kinds.of(leg).doubt(context, lost, leg, request, deposit),
  };
}

/**
 * Why a fill may be the second payment of its deposit. Nothing keeps an order from being filled twice where its chain cannot
 * tell what the lost sends did.
 */
export function doubtOfFill(
  context: EngineContext,
  lost: LostSends,
  leg: LegRow,
  _request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): Doubt {
  const since = paidInAt(deposit);
  if (deposit && lost.isHalted(deposit.chainId)) return 'wait';
  const waiting = deposit && lost.waits([deposit.chainId]);
  if (waiting) return waiting;
  // guard: restored-orders-idle
  if (lost.restored !== null && since <= lost.restored) return 'idle';
  if (since <= lost.untold(leg.chainId) && !fillsOnce(context, leg)) return 'idle';
  return since <= lost.unmatchedUntil ? 'ask' : 'none';
}

/**
 * Why a refund may be the second payment of its deposit. Of several deposits, the lost part of the ledger may have filled for
 * any one and paid back the others: which of them is the duplicate now says nothing about which it was then. Where it paid coin beside
 * the output and a reorg took the output for good, that part of the deposit is spent.
 */
export function doubtOfRefund(
  context: EngineContext,
  lost: LostSends,
  leg: LegRow,
  request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): Doubt {
  if (leg.orderId === null || request === undefined) return 'none';
  const since = paidInAt(deposit);
  // guard: rival-filled
  if (!isReleased(leg) && context.kinds.of(leg).rivals(leg).some(lost.isFilled)) return 'hold';
  const destination = promisedOn(request);
  const doubtful =
    destination === undefined
      ? since <= lost.unmatchedUntil || lost.someAbandoned
      : lost.isAbandoned(destination) || since <= lost.begun(destination);
  const waiting = lost.waits(destination === undefined ? [...context.chains.keys()] : [destination]);
  if (waiting || isReleased(leg)) return waiting ?? 'none';
  if (doubtful) return 'hold';
  if (destination === undefined || Math.min(since, request.createdAt) > lost.untoldUntil(destination)) return 'none';
  // Its chain is not configured any more, and only that chain could tell.
  return context.chains.has(destination) ? 'ask' : 'hold';
}

/**
 * Why native coin beside a fill may be the second payment, given that the fill is on the chain. What goes with the fill is never paid
 * after it: whatever made the fill paid it, too. Where its chain does not keep it from
 * being paid twice, what was lost may still land: then it is for an operator.
 */
export function doubtOfTopUp(
  context: EngineContext,
  lost: LostSends,
  leg: LegRow,
  request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): Doubt {
  const waiting = deposit && lost.waits([deposit.chainId]);
  if (waiting) return waiting;
  if (isReleased(leg)) return 'none';
  // guard: riders-after-restore
  if (request !== undefined && isInFill(request)) return 'hold';
  if (leg.orderId !== null && lost.isFilled(leg.orderId)) return 'hold';
  const since = paidInAt(deposit);
  if (since > lost.unmatchedUntil) return 'none';
  return since <= lost.untoldUntil(leg.chainId) && !fillsOnce(context, leg) ? 'hold' : 'ask';
}

/** Nothing but the clock of a process says when a collect came to be. */
function before({ createdAt }: LegRow): UnixMs {
  return createdAt - ALONE_MS;
}

function fillsOnce(context: EngineContext, { chainId }: LegRow): boolean {
  return context.chains.get(chainId)?.facts.guarantees.fillOnce !== false;
}

/** Where an order was to be filled; undefined where this ledger does not have it, or only its tombstone. */
function promisedOn(request: RequestRow): ChainId | undefined {
  const order = orderOf(request);
  return order && !order.tombstone ? order.destination.chainId : undefined;
}

function latest(...times: readonly (UnixMs | null)[]): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...times.flatMap((time) => time ?? []));
}

/** When something was noted of chains. */
async function timesOf(
  context: EngineContext,
  keyOf: (chainId: ChainId) => string,
): Promise<ReadonlyMap<ChainId, UnixMs>> {
  const rows = await Promise.all(
    [...context.chains.keys()].map(async (chainId) => ({ chainId, row: await context.store.meta(keyOf(chainId)) })),
  );
  return new Map(rows.flatMap(({ chainId, row }) => (row ? [[chainId, Number(row.value)] as const] : [])));
}
