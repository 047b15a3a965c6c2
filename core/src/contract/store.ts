import type { DeliveryFilter, DeliveryRow, EndpointRow } from './delivery-rows.js';
import type { AddressRow } from './deposit-addresses.js';
import type { ChainId, FundingKey, Hex, OrderId, RequestId, UnixMs } from './ids.js';
import type { NonceMappingRow } from './nonce-mappings.js';
import type { ProbeResult } from './probes.js';
import type { Page, RequestSearch } from './search.js';
import type {
  ApiKeyRow,
  AttemptRow,
  BalanceEventFilter,
  BalanceEventRow,
  ClientMetadataRow,
  CursorRow,
  DepositRow,
  EarmarkRow,
  EventRow,
  ExecutionRow,
  FeeClaimRow,
  HintRow,
  HoldRow,
  IdempotencyKeyRow,
  IntegratorRow,
  KeyRow,
  LaneRow,
  LegRow,
  MetaRow,
  PauseRow,
  PostingRow,
  PotRow,
  QuoteRow,
  RequestRow,
  SponsorPolicyRow,
  SponsorshipRow,
  Tables,
  TombstoneRow,
  TransactionRow,
} from './store-rows.js';

export interface MutableKeys {
  readonly requests: { readonly id: RequestId };
  readonly deposits: { readonly fundingKey: FundingKey };
  readonly addresses: { readonly id: AddressRow['id'] };
  readonly legs: { readonly id: string };
  readonly keys: { readonly id: string };
  readonly attempts: { readonly id: string };
  readonly lanes: { readonly id: string };
  readonly cursors: { readonly chainId: ChainId };
  readonly transactions: { readonly id: string };
  readonly apiKeys: { readonly id: string };
  readonly integrators: { readonly id: string };
  readonly pauses: { readonly scope: string };
  readonly holds: { readonly id: string };
  readonly earmarks: { readonly id: RequestId };
  readonly sponsorships: { readonly id: string };
  readonly sponsorPolicies: { readonly id: string };
  readonly executions: { readonly id: string };
  readonly endpoints: { readonly id: string };
  readonly deliveries: { readonly id: string };
  readonly meta: { readonly key: string };
}

export type MutableTable = keyof MutableKeys;

/** `pots` are written only through `post` and `count`, leases by their own calls, tombstones by `prune`. */
export type InsertableTable = Exclude<keyof Tables, 'pots' | 'postings' | 'leases' | 'tombstones'>;

/** A row with the same unique key is a conflict; with `ifAbsent` it is a no-op. */
export type Insert = {
  [T in InsertableTable]: {
    readonly op: 'insert';
    readonly table: T;
    readonly row: Tables[T];
    readonly ifAbsent?: boolean;
  };
}[InsertableTable];

/** Compares `version`, sets the fields, increments it. No row at that version is a conflict. */
export type Update = {
  [T in MutableTable]: {
    readonly op: 'update';
    readonly table: T;
    readonly key: MutableKeys[T];
    readonly version: number;
    readonly set: Partial<Omit<Tables[T], 'version' | keyof MutableKeys[T]>>;
  };
}[MutableTable];

/** A row must be at this version; nothing is written to it. */
export type Require = {
  [T in MutableTable]: {
    readonly op: 'require';
    readonly table: T;
    readonly key: MutableKeys[T];
    readonly version: number;
  };
}[MutableTable];

/**
 * Inserts lines and adds them to their pots. An existing group id is a conflict, so nothing is posted twice. The
 * caller guarantees that lines sum to zero per currency.
 */
export interface Post {
  readonly op: 'post';
  readonly lines: readonly PostingRow[];
}

/**
 * Adds to a counter (reservations, exposure, daily volume). Crossing a bound is a conflict. `atMostPot` bounds it by
 * a pot's total less `keep`, so reservations never exceed inventory.
 */
export interface Count {
  readonly op: 'count';
  readonly account: string;
  readonly by: bigint;
  readonly atLeast?: bigint;
  readonly atMost?: bigint;
  readonly atMostPot?: { readonly account: string; readonly keep: bigint };
}

/**
 * The lease must still have this token, else the set conflicts (`fenced`): its writer paused and another process took
 * over. An expired lease is no conflict until then.
 */
export interface Fence {
  readonly op: 'fence';
  readonly scope: string;
  readonly token: number;
}

export type Change = Insert | Update | Require | Post | Count | Fence;

export interface Lease {
  readonly scope: string;
  readonly token: number;
}

/** The only way money state changes: all or nothing. Changes of a set apply in order. */
export interface ChangeSet {
  readonly name: string;
  readonly changes: readonly Change[];
}

export type ApplyOutcome =
  | { readonly ok: true }
  /** Nothing of the set was written. The caller re-reads and decides again. */
  | {
      readonly ok: false;
      readonly conflict: {
        readonly kind: 'version' | 'duplicate' | 'bound' | 'fenced';
        readonly table: string;
        readonly key: string;
      };
    };

/** Thrown by `apply`: the caller must re-read before it decides anything. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/** Locked, full, damaged, or connection lost. Nothing was written or learnt; retry later. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/**
 * Thrown by `apply` and `claimLeases` when the database lacks what was, or may have been, reported as durable: a
 * lagging standby was promoted, an older state restored. Neither this nor any later call writes. The process must
 * exit and start as after a restore.
 */
export class DatabaseWentBackError extends Error {
  override readonly name = 'DatabaseWentBackError';
}

export interface OpenKey {
  readonly key: KeyRow;
  /** Oldest first. */
  readonly attempts: readonly (AttemptRow & { readonly legIds: readonly string[] })[];
  readonly legs: readonly LegRow[];
}

export interface RequestMark {
  readonly updatedAt: UnixMs;
  readonly id: string;
}

/** Where a page of postings ended. */
export type PostingMark = Pick<PostingRow, 'createdAt' | 'groupId' | 'account'>;

export interface FeeClaimView {
  readonly claim: FeeClaimRow;
  readonly leg: LegRow;
  readonly hash: string | null;
}

export type PlacedAddress = AddressRow & { readonly position: number };

export type FeedRow = EventRow & { readonly position: number };

export interface Backlog {
  readonly channel: string;
  readonly open: number;
  readonly since: UnixMs;
}

export interface DueDelivery {
  readonly delivery: DeliveryRow;
  readonly event: FeedRow;
}

/**
 * How recent an answer is. Absent: read after the call. `confirmed`: it includes every commit that was reported as done
 * before the call, but perhaps none in progress. Enough to continue if the commit checks again; never a reason to refuse.
 */
export type AsOf = 'confirmed';

export type LaneKey = Pick<LaneRow, 'chainId' | 'signer'>;

export interface FillTime {
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  /** From first observation of the deposit to inclusion of the fill. */
  readonly ms: number;
}

export interface RequestView {
  readonly request: RequestRow;
  readonly deposits: readonly DepositRow[];
  readonly legs: readonly LegRow[];
  readonly transactions: readonly Omit<TransactionRow, 'entry'>[];
}

export interface ShownRequest extends RequestView {
  readonly transactions: readonly TransactionRow[];
}

export interface StatusView
  extends Pick<
    RequestRow,
    | 'id'
    | 'status'
    | 'createdAt'
    | 'updatedAt'
    | 'originChainId'
    | 'destinationChainId'
    | 'failReason'
    | 'refundFailReason'
    | 'details'
  > {
  /** Its own or, for an unfunded quote, its payer's newest; null if none. */
  readonly requestId: RequestId | null;
  /** In order of arrival. */
  readonly transactions: readonly Pick<TransactionRow, 'role' | 'hash' | 'status'>[];
}

/**
 * Every read sees a committed snapshot. `apply` resolves after the change is durable (SQLite `synchronous=FULL`,
 * PostgreSQL `synchronous_commit=on`).
 *
 * Invariant (G15): an open store writes to one history, which never loses what was reported as durable. If an older
 * state may replace the database, `apply` and `claimLeases` throw DatabaseWentBackError from then on, and the next
 * `open` marks the ledger as restored.
 */
export interface Store {
  /** Migrates and opens; rejects when another process holds the database. */
  open(): Promise<void>;
  /** Waits for pending change sets. */
  close(): Promise<void>;

  apply(set: ChangeSet): Promise<ApplyOutcome>;

  /**
   * Takes each lease that is free, expired by the store's clock, or already this owner's, for `ttlMs` from now.
   * Prolonging keeps the token; any other change raises it.
   *
   * @returns the leases that this owner holds now.
   */
  claimLeases(scopes: readonly string[], owner: string, ttlMs: number): Promise<readonly Lease[]>;
  /** Only those that this owner still holds with that token. */
  releaseLeases(leases: readonly Lease[], owner: string): Promise<void>;
  /**
   * Calls when another process may have committed. Only a hint: polling is authoritative. Absent if one process has
   * the database.
   */
  onHint?(listener: () => void): () => void;
  /** Calls after this process added to the event feed. A hint; absent if `onHint` covers it. */
  onEvents?(listener: () => void): () => void;

  quote(id: RequestId): Promise<QuoteRow | undefined>;
  quotesByOrder(orderIds: readonly OrderId[]): Promise<readonly QuoteRow[]>;
  /** Keyless callers' whole quotes not known to be paid, counted up to `limit`, which bounds the cost. */
  unpaidQuotes(limit: number): Promise<number>;
  tombstonesByOrder(orderIds: readonly OrderId[]): Promise<readonly TombstoneRow[]>;
  /** By prefix (`0x`, lower case), of quotes and tombstones; at most two per prefix, enough to detect ambiguity. */
  ordersByPrefix(prefixes: readonly Hex[]): Promise<readonly OrderId[]>;

  request(id: RequestId): Promise<RequestRow | undefined>;
  requests(ids: readonly RequestId[]): Promise<readonly RequestRow[]>;
  /** Parents only (rows without parentRequestId), one per order. */
  requestsByOrder(orderIds: readonly OrderId[]): Promise<readonly RequestRow[]>;
  views(ids: readonly RequestId[]): Promise<readonly RequestView[]>;
  shown(id: RequestId): Promise<ShownRequest | undefined>;
  /** Of requests, else of quotes with these ids, unordered. Far cheaper than `views`. */
  statuses(ids: readonly RequestId[]): Promise<readonly StatusView[]>;
  /** Keyset-paginated; also returns the exact count when asked. */
  search(search: RequestSearch): Promise<Page<ShownRequest>>;
  /** Of requests or quotes; ids without metadata are left out. */
  clientMetadata(ids: readonly RequestId[]): Promise<readonly ClientMetadataRow[]>;
  idempotencyKey(id: IdempotencyKeyRow['id']): Promise<IdempotencyKeyRow | undefined>;
  /**
   * Requests last changed before then that hold value without progress, oldest first: unsettled ones without a
   * deposit to decide or a movable leg, and settled ones with an unmovable leg. Movable: its lane is listed, unless
   * it waits for an already final deposit.
   */
  stuck(before: UnixMs, lanes: readonly LaneKey[], limit: number): Promise<readonly RequestId[]>;
  /**
   * Requests that are not `success`, `refund` or `failure`, oldest first, after the given id. Without requests of deposit
   * addresses that nothing was paid to.
   */
  unsettled(limit: number, after?: RequestId): Promise<readonly RequestRow[]>;

  /** Of `success` requests created since then, newest first. */
  recentFills(since: UnixMs, limit: number): Promise<readonly FillTime[]>;

  deposits(keys: readonly FundingKey[]): Promise<readonly DepositRow[]>;
  /** `included` deposits of the chain above the height. */
  depositsAbove(chainId: ChainId, height: number): Promise<readonly DepositRow[]>;
  /** `included` deposits at or below the height, oldest first. */
  depositsToFinalise(chainId: ChainId, height: number, limit: number): Promise<readonly DepositRow[]>;
  /** In state `mempool`, oldest first. */
  unconfirmed(chainId: ChainId, limit: number): Promise<readonly DepositRow[]>;
  /** Decision `waiting` and in state `included` or `final`, oldest first. */
  undecided(chainId: ChainId, limit: number): Promise<readonly DepositRow[]>;
  /** Those of `undecided` that arrived at deposit addresses, oldest first. */
  undecidedAt(chainId: ChainId, limit: number): Promise<readonly DepositRow[]>;
  /** Final, settled, `collectable` above zero, not collected, oldest first. */
  collectable(chainId: ChainId, limit: number): Promise<readonly DepositRow[]>;
  depositsOfCollect(legId: string): Promise<readonly DepositRow[]>;
  /** At these deposit addresses of the chain, in any state, oldest first. */
  depositsAt(chainId: ChainId, addresses: readonly string[]): Promise<readonly DepositRow[]>;
  /** `included` or `final` deposits at deposit addresses that no sweep has moved yet, oldest first, by time seen and key. */
  unswept(
    chainId: ChainId,
    after: Pick<DepositRow, 'seenAt' | 'fundingKey'>,
    limit: number,
  ): Promise<readonly DepositRow[]>;

  addresses(ids: readonly AddressRow['id'][]): Promise<readonly AddressRow[]>;
  /** Addresses by the requests that they were made for. */
  addressesOf(salts: readonly RequestId[]): Promise<readonly AddressRow[]>;
  /**
   * Of one chain, in order, after that position. Positions are assigned at insertion: where several processes write, a row
   * may become visible after one with a higher position.
   */
  addressesAfter(chainId: ChainId, afterPosition: number, limit: number): Promise<readonly PlacedAddress[]>;
  nonceMappings(ids: readonly NonceMappingRow['id'][]): Promise<readonly NonceMappingRow[]>;

  executions(ids: readonly string[]): Promise<readonly ExecutionRow[]>;
  executionsOf(requests: readonly RequestId[]): Promise<readonly ExecutionRow[]>;
  /** `included` ones above a height, which a reorg may have removed. */
  executionsAbove(chainId: ChainId, height: number): Promise<readonly ExecutionRow[]>;
  /** `included` ones at or below a height, lowest first. */
  executionsToFinalise(chainId: ChainId, height: number, limit: number): Promise<readonly ExecutionRow[]>;
  /** Hints that name a request, by age and id, after the given one. */
  hintsAfter(after: Pick<HintRow, 'createdAt' | 'id'>, limit: number): Promise<readonly HintRow[]>;

  legs(ids: readonly string[]): Promise<readonly LegRow[]>;
  legsOfRequests(ids: readonly RequestId[]): Promise<readonly LegRow[]>;
  legsOfDeposits(keys: readonly FundingKey[]): Promise<readonly LegRow[]>;
  /** Legs of a lane in state `owed` or `short` with `dueAt` reached, oldest first. */
  claimDue(chainId: ChainId, signer: string, now: UnixMs, limit: number): Promise<readonly LegRow[]>;

  openKeys(chainId: ChainId, signer: string, limit: number): Promise<readonly OpenKey[]>;
  /** Keys that ever carried one of these legs, in any state, oldest first. */
  keysOfLegs(ids: readonly string[]): Promise<readonly OpenKey[]>;
  /** What a lane has not done: legs `owed` or `short`, and open keys without inclusion; of each at most the newest `limit`. */
  waiting(chainId: ChainId, signer: string, limit: number): Promise<number>;
  attemptsByHash(chainId: ChainId, hashes: readonly string[]): Promise<readonly AttemptRow[]>;
  lane(chainId: ChainId, signer: string, asOf?: AsOf): Promise<LaneRow | undefined>;
  lanes(): Promise<readonly LaneRow[]>;
  cursor(chainId: ChainId): Promise<CursorRow | undefined>;

  pots(prefix: string): Promise<readonly PotRow[]>;
  pot(account: string, asOf?: AsOf): Promise<bigint>;
  /**
   * Created in `[from, to)`, oldest first, by time, group and account.
   *
   * @param after last one of the previous page.
   */
  postings(from: UnixMs, to: UnixMs, limit: number, after?: PostingMark): Promise<readonly PostingRow[]>;

  events(afterPosition: number, limit: number): Promise<readonly FeedRow[]>;
  /** Requests quoted with a key, by last change, after a mark. */
  requestsOfKey(keyId: string, after: RequestMark, limit: number): Promise<readonly RequestMark[]>;
  /** In order, after that position. */
  eventsOf(request: RequestId, afterPosition: number): Promise<readonly FeedRow[]>;
  /** Position of the newest event; 0 without any. */
  feedEnd(): Promise<number>;

  /** Oldest first. */
  endpoints(): Promise<readonly EndpointRow[]>;
  endpoint(id: string): Promise<EndpointRow | undefined>;
  deliveries(ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  /**
   * `due`, `behind` or `again`, earliest events first.
   *
   * @param endpoints default: all.
   */
  openDeliveries(requests: readonly RequestId[], endpoints?: readonly string[]): Promise<readonly DeliveryRow[]>;
  /**
   * `due` deliveries with `dueAt` reached, with their events, by `dueAt`, then event order. Throws if an event is
   * missing, which no change set can cause.
   *
   * @param each limit per endpoint.
   */
  dueDeliveries(endpoints: readonly string[], now: UnixMs, each: number): Promise<readonly DueDelivery[]>;
  /** Latest events first. */
  deliveriesOf(endpointId: string, filter: DeliveryFilter): Promise<readonly DeliveryRow[]>;
  /** `again` deliveries, unordered. */
  deliveriesAgain(endpointIds: readonly string[], limit: number): Promise<readonly DeliveryRow[]>;
  /** Earliest `dueAt` per endpoint; endpoints without one are omitted. One statement. */
  firstDue(endpoints: readonly string[]): Promise<readonly Pick<DeliveryRow, 'endpointId' | 'dueAt'>[]>;
  /** By channel, of active endpoints; empty channels are omitted. Reads everything open: not for every round. */
  backlog(): Promise<readonly Backlog[]>;
  /** With a known block and no entry yet, oldest first. */
  undescribed(limit: number): Promise<readonly TransactionRow[]>;

  apiKeyByHash(hash: string): Promise<ApiKeyRow | undefined>;
  apiKey(id: string): Promise<ApiKeyRow | undefined>;
  /** Oldest first. */
  apiKeys(): Promise<readonly ApiKeyRow[]>;
  /** Oldest first. */
  apiKeysOf(integratorId: string): Promise<readonly ApiKeyRow[]>;
  integrator(id: string): Promise<IntegratorRow | undefined>;
  /** Oldest first. */
  integrators(): Promise<readonly IntegratorRow[]>;
  pauses(): Promise<readonly PauseRow[]>;
  holds(state: 'open' | 'released'): Promise<readonly HoldRow[]>;
  hold(id: string): Promise<HoldRow | undefined>;
  /** Open ones before released ones, oldest first. */
  holdsOfTransaction(hash: string, limit: number): Promise<readonly HoldRow[]>;
  feeClaim(id: FeeClaimRow['id']): Promise<FeeClaimView | undefined>;
  /**
   * Claims by any of these wallets, newest first.
   *
   * @param after last one of the previous page, by time and id.
   */
  feeClaims(
    wallets: readonly string[],
    limit: number,
    after?: Pick<FeeClaimRow, 'createdAt' | 'id'>,
  ): Promise<readonly FeeClaimView[]>;
  /** In any state, unordered. */
  earmarks(ids: readonly RequestId[]): Promise<readonly EarmarkRow[]>;
  /** `kept` ones with an expired quote, oldest first. */
  overdueEarmarks(before: UnixMs, limit: number): Promise<readonly EarmarkRow[]>;
  /** Of these requests, in any state, unordered. */
  sponsorships(requests: readonly RequestId[]): Promise<readonly SponsorshipRow[]>;
  /** Reserved ones, oldest first, after the given one by time and id. */
  openSponsorships(after: Pick<SponsorshipRow, 'createdAt' | 'id'>, limit: number): Promise<readonly SponsorshipRow[]>;
  /**
   * Newest first.
   *
   * @param after last one of the previous page, by time and id.
   */
  balanceEvents(
    integratorId: string,
    filter: BalanceEventFilter,
    limit: number,
    after?: Pick<BalanceEventRow, 'createdAt' | 'id'>,
  ): Promise<readonly BalanceEventRow[]>;
  /** Of an API key. */
  sponsorPolicy(keyId: string): Promise<SponsorPolicyRow | undefined>;
  meta(key: string): Promise<MetaRow | undefined>;
  /**
   * Removes expired hints, idempotency keys of a day ago, earmarks that ended a day ago, old completed deliveries, and old removed endpoints without
   * deliveries; reduces quotes past retention to tombstones. Never touches money state or undelivered events. Returns
   * the number of rows; above 0, more may be left. Bounded in time; cost depends only on what is past retention.
   *
   * @param anonymousLifeMs retention of keyless callers' quotes past their deadline; at most, and by default, that of
   * keyed ones.
   * @param deliveryLifeMs retention of completed deliveries. Default: 30 days.
   */
  prune(now: UnixMs, anonymousLifeMs?: number, deliveryLifeMs?: number): Promise<number>;
  ping(): Promise<void>;
  /**
   * Bytes still writable at the database. Absent: unknown, for example on another machine. Rejects if unreadable now.
   */
  freeBytes?(): Promise<bigint>;
  /** For `doctor`, on an open store: durability settings, schema version, free space. Never throws. */
  probe?(): Promise<readonly ProbeResult[]>;
}
