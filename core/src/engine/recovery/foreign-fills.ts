import { mayHaveBeenMapped } from '../../capabilities/nonce-mappings/sent-by.js';
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
import { paidInAt } from '../books/paid-in.js';
import { orderOf } from '../books/reported-deposits.js';
import { isInFill } from '../books/top-up-leg.js';
import { restoredAt } from './restored.js';
import { LOCAL_CLOCK_TOLERANCE_MS } from './since.js';

/**
 * What is known of sends missing from this ledger: the orders they filled.
 *
 * Invariant (G3, G15): no deposit is refunded while a lane that may have filled its order is halted or not compared
 * since this process started; nor ever automatically once the order may be filled, as where a lane's ledger began later
 * or its chain is no longer configured.
 */
const MARK = 'foreign';
/** A short form may be any order that has it. */
const filledKey = (orderId: OrderId): string => `filled:${isWholeId(orderId) ? orderId : leastForm(orderId)}`;
const countedKey = (lane: string): string => `${MARK}:${lane}`;
const begunKey = (chainId: ChainId): string => `begun:${chainId}`;
const unreportedKey = (chainId: ChainId): string => `untold:${chainId}`;

interface Mark {
  /** Transfers until then that name an unknown order may have been filled; null for none. */
  readonly unmatchedUntil: UnixMs | null;
}

/**
 * `someUnmatched`: not all foreign transactions could be identified.
 *
 * @param chainId where they were sent: if one does not name all its orders, all orders promised there are in doubt.
 */
export async function noteForeign(
  context: WorkContext,
  unit: UnitOfWork,
  spenders: readonly KeySpender[],
  someUnmatched: boolean,
  chainId?: ChainId,
): Promise<void> {
  const unreported = spenders.some((spender) => spender.unreported);
  const unmatched = someUnmatched || unreported;
  if (chainId !== undefined && unreported) await noteUnreported(context, unit, chainId);
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
    // A transfer that names a lost order carries no more than its short form.
    for (const key of [filledKey(orderId), filledKey(leastForm(orderId))])
      if (!(await context.store.meta(key)) && !unit.get('meta', key))
        unit.insert('meta', { key, version: 1, value: hash });
  }
}

/**
 * A lane missing from a used ledger is mostly new; but a backup may be older than the lane, whose sends then left no
 * trace.
 *
 * @param fills whether the lane sends fills: with none, it can have filled no order.
 */
export async function noteBegun(
  context: WorkContext,
  unit: UnitOfWork,
  chainId: ChainId,
  fills: boolean,
): Promise<void> {
  await noteForeign(context, unit, [], true);
  if (!fills) return;
  await putMeta(context, unit, begunKey(chainId), () => String(latestOf(context)));
}

/** After unidentified sends, any order promised until now may be filled, even before its deposit is seen. */
export async function noteUnreported(context: WorkContext, unit: UnitOfWork, chainId: ChainId): Promise<void> {
  await putMeta(context, unit, unreportedKey(chainId), () => String(latestOf(context)));
}

/** By any clock: what happened before must not look younger. */
function latestOf(context: EngineContext): UnixMs {
  return Math.max(context.clock.now(), ...[...context.chains.keys()].map((chainId) => chainNow(context, chainId)));
}

function readMark(row: MetaRow): Mark {
  return JSON.parse(row.value) as Mark;
}

/** Whether the balances booked at the lane's resumption include this payment; one that landed later is not included. */
export async function isCounted(context: EngineContext, leg: LegRow, { block }: LegPaid): Promise<boolean> {
  const at = await countedAt(context, laneId(leg.chainId, leg.signer));
  return at !== undefined && block.timestamp <= Number(at);
}

export async function noteCounted(context: WorkContext, unit: UnitOfWork, lane: LaneRow): Promise<void> {
  await putMeta(context, unit, countedKey(lane.id), () => String(latestOf(context)));
}

/** Undefined where it never was. */
export async function countedAt(context: EngineContext, lane: string): Promise<string | undefined> {
  return (await context.store.meta(countedKey(lane)))?.value;
}

export interface Doubts {
  /** Why paying it may be a second payment. */
  about(leg: LegRow, request: RequestRow | undefined, deposit: DepositRow | undefined): Doubt;
  /** A lost send may have refunded the deposit under another leg, and no operator decided. */
  maybePaid(leg: LegRow, deposit: DepositRow | undefined): boolean;
  /**
   * A lost send may have done this very leg, whatever an operator decided: without a contract against repetition,
   * only the chain's history shows it.
   */
  maybeDone(leg: LegRow, deposit: DepositRow | undefined): boolean;
}

const NO_DOUBTS: Doubts = { about: () => 'none', maybePaid: () => false, maybeDone: () => false };
const NEVER: ReadonlyMap<ChainId, UnixMs> = new Map();

/** Deposits until then may have been settled by lost sends; below any time where nothing was lost. */
export async function doubtedUntil({ store }: Pick<EngineContext, 'store'>): Promise<UnixMs> {
  const [mark, restored] = await Promise.all([store.meta(MARK), restoredAt(store)]);
  return latest((mark && readMark(mark).unmatchedUntil) ?? null, restored);
}

export async function loadDoubts(context: EngineContext, legs: readonly LegRow[]): Promise<Doubts> {
  if (legs.length === 0) return NO_DOUBTS;
  // Before the lanes are read: a comparison marks and halts its lane in one change set.
  const uncompared = new Set([...context.chains.keys()].filter((chainId) => !context.compared(chainId)));
  const orders = legs.flatMap((leg) => context.kinds.of(leg).rivals(leg));
  // Before the notes are read: the change set that ends a halt notes the orders filled meanwhile.
  const lanes = await context.store.lanes();
  const [mark, restored] = await Promise.all([context.store.meta(MARK), restoredAt(context.store)]);
  const filled = new Set<string>();
  const known = mark ? await Promise.all(orders.map((orderId) => context.store.meta(filledKey(orderId)))) : [];
  for (const row of known) if (row) filled.add(row.key);
  const noted = mark && (orders.length > 0 || legs.some((leg) => factsOf(leg).delivers && !fillsOnce(context, leg)));
  const [begun, unreported] = await Promise.all(
    [begunKey, unreportedKey].map((key) => (noted ? timesOf(context, key) : NEVER)),
  );
  const halted = new Set(lanes.flatMap((lane) => (lane.halted === null ? [] : [lane.chainId])));
  const unreportedOf = (chainId: ChainId): UnixMs => latest(unreported?.get(chainId) ?? null);
  // Such a halt does not end automatically.
  const isAbandoned = (chainId: ChainId): boolean => halted.has(chainId) && !context.chains.has(chainId);
  const lost: LostSends = {
    restored,
    unmatchedUntil: latest((mark && readMark(mark).unmatchedUntil) ?? null, restored),
    unreported: unreportedOf,
    unreportedUntil: (chainId) => latest(unreportedOf(chainId), /* guard: restored-ledger-asks */ restored),
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

/** Where a chain cannot report lost sends, nothing prevents a second fill. */
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
  if (since <= lost.unreported(leg.chainId) && !fillsOnce(context, leg)) return 'idle';
  return since <= lost.unmatchedUntil ? 'ask' : 'none';
}

/**
 * With several deposits, a lost send may have filled for any of them and refunded the others. Where it paid a top-up
 * and a reorg removed the fill permanently, that part of the deposit is spent.
 */
export function doubtOfRefund(
  context: EngineContext,
  lost: LostSends,
  leg: LegRow,
  request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): Doubt {
  if (request === undefined) return 'none';
  // guard: mapping-may-be-lost
  if (leg.orderId === null && (deposit === undefined || !mayHaveBeenMapped(deposit))) return 'none';
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
  if (destination === undefined || Math.min(since, request.createdAt) > lost.unreportedUntil(destination))
    return 'none';
  // Only that chain could answer, and it is not configured.
  return context.chains.has(destination) ? 'ask' : 'hold';
}

/**
 * The fill is on the chain. A top-up inside it is never paid after it. Without a contract against repetition a lost
 * send may still land: for an operator.
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
  // guard: top-ups-after-restore
  if (request !== undefined && isInFill(request)) return 'hold';
  if (leg.orderId !== null && lost.isFilled(leg.orderId)) return 'hold';
  const since = paidInAt(deposit);
  if (since > lost.unmatchedUntil) return 'none';
  return since <= lost.unreportedUntil(leg.chainId) && !fillsOnce(context, leg) ? 'hold' : 'ask';
}

/** Only a process clock dates a collect. */
function before({ createdAt }: LegRow): UnixMs {
  return createdAt - LOCAL_CLOCK_TOLERANCE_MS;
}

function fillsOnce(context: EngineContext, { chainId }: LegRow): boolean {
  return context.chains.get(chainId)?.facts.guarantees.fillOnce !== false;
}

/** Undefined without the order, or with only its tombstone. */
function promisedOn(request: RequestRow): ChainId | undefined {
  const order = orderOf(request);
  return order && !order.tombstone ? order.destination.chainId : undefined;
}

function latest(...times: readonly (UnixMs | null)[]): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...times.flatMap((time) => time ?? []));
}

async function timesOf(
  context: EngineContext,
  keyOf: (chainId: ChainId) => string,
): Promise<ReadonlyMap<ChainId, UnixMs>> {
  const rows = await Promise.all(
    [...context.chains.keys()].map(async (chainId) => ({ chainId, row: await context.store.meta(keyOf(chainId)) })),
  );
  return new Map(rows.flatMap(({ chainId, row }) => (row ? [[chainId, Number(row.value)] as const] : [])));
}
