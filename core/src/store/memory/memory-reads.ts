import type { DeliveryFilter, DeliveryRow } from '../../contract/delivery-rows.js';
import type { Hex, OrderId, RequestId, UnixMs } from '../../contract/ids.js';
import type {
  Backlog,
  DueDelivery,
  FeeClaimView,
  FillTime,
  LaneKey,
  OpenKey,
  PostingMark,
  RequestMark,
  RequestView,
  ShownRequest,
  StatusView,
} from '../../contract/store.js';
import type {
  BalanceEventFilter,
  BalanceEventRow,
  ExecutionRow,
  FeeClaimRow,
  KeyRow,
  LegRow,
  PostingRow,
  RequestRow,
} from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { isSettled } from '../../domain/request-status.js';
import type { MemoryDatabase } from './memory-database.js';
import type { MemoryIndex, MemoryTable } from './memory-table.js';
import { laneOf, type MemoryIndexes } from './memory-tables.js';

export function byKey<R extends object>(table: MemoryTable<R>, keys: readonly string[]): R[] {
  return [...new Set(keys)].flatMap((key) => table.get(key) ?? []);
}

export function byUnique<R extends object>(table: MemoryTable<R>, at: number, keys: readonly string[]): R[] {
  return [...new Set(keys)].flatMap((key) => {
    const holder = table.holder(at, key);
    return (holder === undefined ? undefined : table.get(holder)) ?? [];
  });
}

export function ordersByPrefix({ tables }: MemoryDatabase, prefixes: readonly Hex[]): OrderId[] {
  const found = new Map<string, OrderId[]>(prefixes.map((prefix) => [prefix, []]));
  const lengths = new Set(prefixes.map(({ length }) => length));
  for (const { orderId } of [...tables.quotes.rows(), ...tables.tombstones.rows()])
    for (const length of lengths) found.get(orderId.slice(0, length))?.push(orderId);
  return [...new Set([...found.values()].flatMap((orders) => orders.slice(0, 2)))];
}

export function take<R>(rows: readonly R[], limit: number, matches: (row: R) => boolean = () => true): R[] {
  const found: R[] = [];
  for (const row of rows) {
    if (found.length >= limit) break;
    if (matches(row)) found.push(row);
  }
  return found;
}

export function requestsOfKey(
  indexes: MemoryIndexes,
  keyId: string,
  after: RequestMark,
  limit: number,
): readonly RequestMark[] {
  const isLater = (row: RequestRow) =>
    row.updatedAt > after.updatedAt || (row.updatedAt === after.updatedAt && row.id > after.id);
  return take(indexes.requestsOfKey.list(keyId), limit, isLater).map(({ id, updatedAt }) => ({ id, updatedAt }));
}

export function shownOf(database: MemoryDatabase, request: RequestRow): ShownRequest {
  const { indexes } = database;
  return {
    request,
    deposits: [...indexes.depositsOfRequest.list(request.id)],
    legs: [...indexes.legsOfRequest.list(request.id)],
    transactions: [...indexes.transactionsOfRequest.list(request.id)],
  };
}

export function views(database: MemoryDatabase, ids: readonly RequestId[]): RequestView[] {
  return byKey(database.tables.requests, ids).map((row) => {
    const { transactions, ...view } = shownOf(database, row);
    return { ...view, transactions: transactions.map(({ entry: _, ...decidedOn }) => decidedOn) };
  });
}

export function statuses({ tables, indexes }: MemoryDatabase, ids: readonly RequestId[]): StatusView[] {
  return [...new Set(ids)].flatMap((id): StatusView[] => {
    const row = tables.requests.get(id);
    const quote = row ? undefined : tables.quotes.get(id);
    const children = quote ? indexes.children.list(id) : [];
    const explained = [...children].reverse().find((child) => child.details !== null)?.details ?? null;
    const reported = row ?? [...children].reverse().find(({ sender }) => sender === quote?.user);
    if (reported) {
      const { status, updatedAt, failReason, refundFailReason } = reported;
      const details = reported.details ?? (row ? null : explained);
      const { createdAt, originChainId, destinationChainId } = row ?? quote ?? reported;
      const transactions = indexes.transactionsOfRequest.list(reported.id).map(({ role, hash, status: state }) => {
        return { role, hash, status: state };
      });
      const place = { createdAt, updatedAt, originChainId, destinationChainId };
      return [{ id, status, ...place, failReason, refundFailReason, details, requestId: reported.id, transactions }];
    }
    if (!quote) return [];
    const { createdAt, originChainId, destinationChainId } = quote;
    const nothing = { failReason: null, refundFailReason: null, details: explained, requestId: null, transactions: [] };
    return [{ id, status: 'waiting', createdAt, updatedAt: createdAt, originChainId, destinationChainId, ...nothing }];
  });
}

export function executionsOf({ indexes }: MemoryDatabase, requests: readonly RequestId[]): ExecutionRow[] {
  const rows = [...new Set(requests)].flatMap((id) => indexes.executionsOfRequest.list(id));
  return rows.sort((a, b) => a.seenAt - b.seenAt || (a.id < b.id ? -1 : 1));
}

export function openDeliveries(
  { indexes }: MemoryDatabase,
  requests: readonly RequestId[],
  endpoints?: readonly string[],
): DeliveryRow[] {
  const asked = endpoints && new Set(endpoints);
  const rows = [...new Set(requests)].flatMap((id) => indexes.openDeliveries.list(id));
  return rows
    .filter(({ endpointId }) => asked?.has(endpointId) ?? true)
    .sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}

export function dueDeliveries(
  { indexes, events }: MemoryDatabase,
  endpoints: readonly string[],
  now: UnixMs,
  each: number,
): DueDelivery[] {
  const due = [...new Set(endpoints)].flatMap((id) =>
    take(indexes.dueDeliveries.list(id), each, ({ dueAt }) => dueAt <= now),
  );
  due.sort((a, b) => a.dueAt - b.dueAt || a.position - b.position || (a.id < b.id ? -1 : 1));
  return due.map((delivery) => {
    const event = events[delivery.position - 1];
    if (event === undefined) throw new Error(`delivery ${delivery.id} is of an event that is not there`);
    return { delivery, event };
  });
}

const STATES = { open: ['due', 'behind', 'again'], failed: ['failed'], delivered: ['delivered'] } as const;

export function deliveriesOf(
  { indexes }: MemoryDatabase,
  endpointId: string,
  { state, before, limit }: DeliveryFilter,
): DeliveryRow[] {
  const states: readonly string[] | undefined = state && STATES[state];
  const latest = [...indexes.deliveriesOf.list(endpointId)].reverse();
  return latest
    .filter((row) => (before === undefined || row.position < before) && (states?.includes(row.state) ?? true))
    .slice(0, limit);
}

export function deliveriesAgain(
  { indexes }: MemoryDatabase,
  endpoints: readonly string[],
  limit: number,
): DeliveryRow[] {
  return [...new Set(endpoints)]
    .flatMap((id) => indexes.deliveriesOf.list(id).filter(({ state }) => state === 'again'))
    .slice(0, limit);
}

export function backlog({ tables, events }: MemoryDatabase): Backlog[] {
  const found = new Map<string, Backlog>();
  for (const { endpointId, state, position } of tables.deliveries.rows()) {
    const endpoint = tables.endpoints.get(endpointId);
    if (state === 'delivered' || state === 'failed' || endpoint?.state !== 'active') continue;
    const { channel } = endpoint;
    const { open, since } = found.get(channel) ?? { open: 0, since: Number.POSITIVE_INFINITY };
    const createdAt = events[position - 1]?.createdAt ?? since;
    found.set(channel, { channel, open: open + 1, since: Math.min(since, createdAt) });
  }
  return [...found.values()];
}

export function firstDue({ indexes }: MemoryDatabase, endpoints: readonly string[]) {
  return [...new Set(endpoints)].flatMap((endpointId) => {
    const [first] = indexes.dueDeliveries.list(endpointId);
    return first === undefined ? [] : [{ endpointId, dueAt: first.dueAt }];
  });
}

export function legsOf(index: MemoryIndex<LegRow>, groups: readonly string[]): LegRow[] {
  const asked = [...new Set(groups)];
  const legs = asked.flatMap((group) => index.list(group));
  return asked.length < 2 ? legs : legs.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

function byAge(a: KeyRow, b: KeyRow): number {
  return a.createdAt - b.createdAt || a.id.length - b.id.length || (a.id < b.id ? -1 : 1);
}

export function keysOfLegs(database: MemoryDatabase, ids: readonly string[]): OpenKey[] {
  const { indexes, tables } = database;
  const links = [...new Set(ids)].flatMap((id) => [...indexes.attemptsOfLeg.list(id)]);
  const attempts = byKey(
    tables.attempts,
    links.map(({ attemptId }) => attemptId),
  );
  const keys = byKey(
    tables.keys,
    attempts.map(({ keyId }) => keyId),
  );
  return keys.sort(byAge).map((key) => openKey(database, key));
}

export function openKey(database: MemoryDatabase, key: KeyRow): OpenKey {
  const { indexes, tables } = database;
  const attempts = indexes.attemptsOfKey.list(key.id).map((attempt) => ({
    ...attempt,
    legIds: indexes.legsOfAttempt.list(attempt.id).map((link) => link.legId),
  }));
  const legIds = attempts.flatMap((attempt) => attempt.legIds);
  return { key, attempts, legs: byKey(tables.legs, legIds) };
}

/** @param after an unknown request ends the walk, like a comparison with null in SQL. */
export function unsettled(database: MemoryDatabase, limit: number, after?: RequestId): RequestRow[] {
  const rows = database.indexes.unsettled.list('');
  if (after === undefined) return take(rows, limit);
  const from = database.tables.requests.get(after);
  if (!from) return [];
  return take(
    rows,
    limit,
    (row) => row.createdAt > from.createdAt || (row.createdAt === from.createdAt && row.id > from.id),
  );
}

const OPEN: ReadonlySet<string> = new Set(['short', 'owed', 'bound', 'blocked']);

export function stuck(
  { tables, indexes }: MemoryDatabase,
  before: UnixMs,
  lanes: readonly LaneKey[],
  limit: number,
): RequestId[] {
  const served = new Set(lanes.map(({ chainId, signer }) => laneOf(chainId, signer)));
  const isFinal = ({ fundingKey }: LegRow): boolean =>
    (tables.deposits.get(fundingKey ?? '')?.state ?? 'final') === 'final';
  const moves = (leg: LegRow): boolean =>
    served.has(laneOf(leg.chainId, leg.signer)) && !(leg.state === 'blocked' && isFinal(leg));
  const isStuck = ({ id, status }: RequestRow): boolean => {
    const open = indexes.legsOfRequest.list(id).filter(({ state }) => OPEN.has(state));
    if (isSettled(status)) return open.some((leg) => !moves(leg));
    const undecided = indexes.depositsOfRequest
      .list(id)
      .some(({ decision, state }) => decision === 'waiting' && state !== 'vanished');
    return !undecided && !open.some(moves);
  };
  const rows = [...tables.requests.rows()].filter((row) => row.updatedAt < before && isStuck(row));
  return rows
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id);
}

export function recentFills({ tables, indexes }: MemoryDatabase, since: UnixMs, limit: number): FillTime[] {
  const newest = [...tables.requests.rows()]
    .filter((row) => row.status === 'success' && row.createdAt >= since)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
  return newest.flatMap(({ id, fundingKey, originChainId, destinationChainId }) => {
    const deposit = fundingKey === null ? undefined : tables.deposits.get(fundingKey);
    if (!deposit) return [];
    const included = indexes.legsOfRequest
      .list(id)
      .flatMap((leg) => (factsOf(leg).delivers ? (leg.includedAt ?? []) : []));
    return included.map((at) => ({ originChainId, destinationChainId, ms: Math.max(0, at - deposit.seenAt) }));
  });
}

export function feeClaims(
  database: MemoryDatabase,
  wallets: readonly string[],
  limit: number,
  after?: Pick<FeeClaimRow, 'createdAt' | 'id'>,
): FeeClaimView[] {
  const rows = [...new Set(wallets)].flatMap((wallet) => database.indexes.claimsOfWallet.list(wallet));
  const isLater = (row: FeeClaimRow): boolean =>
    after === undefined || row.createdAt < after.createdAt || (row.createdAt === after.createdAt && row.id < after.id);
  const newest = rows.filter(isLater).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return claimViews(database, newest.slice(0, limit));
}

export function claimViews({ tables }: MemoryDatabase, rows: readonly FeeClaimRow[]): FeeClaimView[] {
  return rows.flatMap((claim) => {
    const leg = tables.legs.get(claim.legId);
    if (!leg) return [];
    const key = leg.key === null ? undefined : tables.keys.get(`${leg.chainId}:${leg.key}`);
    return [{ claim, leg, hash: key?.includedHash ?? null }];
  });
}

interface Placed {
  readonly createdAt: UnixMs;
  readonly id: string;
}

export function isAfter(row: Placed, after: Placed): boolean {
  return row.createdAt > after.createdAt || (row.createdAt === after.createdAt && row.id > after.id);
}

export function balanceEvents(
  { indexes }: MemoryDatabase,
  integratorId: string,
  filter: BalanceEventFilter,
  limit: number,
  after?: Placed,
): BalanceEventRow[] {
  const asked = Object.entries(filter) as [keyof BalanceEventFilter, unknown][];
  const matches = (row: BalanceEventRow): boolean =>
    asked.every(([field, value]) => value === undefined || row[field] === value) &&
    (after === undefined || isAfter(after, row));
  return [...indexes.balanceEvents.list(integratorId)].filter(matches).reverse().slice(0, limit);
}

export function postings(
  database: MemoryDatabase,
  from: UnixMs,
  to: UnixMs,
  limit: number,
  after?: PostingMark,
): PostingRow[] {
  return database.postings
    .filter((row) => row.createdAt < to && (after === undefined ? row.createdAt >= from : compareMarks(row, after) > 0))
    .sort(compareMarks)
    .slice(0, limit);
}

function compareMarks(a: PostingMark, b: PostingMark): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  if (a.groupId !== b.groupId) return a.groupId < b.groupId ? -1 : 1;
  return a.account === b.account ? 0 : a.account < b.account ? -1 : 1;
}
