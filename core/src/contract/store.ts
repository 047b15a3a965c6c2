import type { DeliveryFilter, DeliveryRow, EndpointRow } from './delivery-rows.js';
import type { ChainId, FundingKey, Hex, OrderId, RequestId, UnixMs } from './ids.js';
import type { ProbeResult } from './probes.js';
import type { Page, RequestSearch } from './search.js';
import type {
  ApiKeyRow,
  AttemptRow,
  ClientMetadataRow,
  CursorRow,
  DepositRow,
  EarmarkRow,
  EventRow,
  ExecutionRow,
  FeeClaimRow,
  HintRow,
  HoldRow,
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
  Tables,
  TombstoneRow,
  TransactionRow,
} from './store-rows.js';

/** Tables whose rows change after they are written, with their primary key. */
export interface MutableKeys {
  readonly requests: { readonly id: RequestId };
  readonly deposits: { readonly fundingKey: FundingKey };
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
  readonly executions: { readonly id: string };
  readonly endpoints: { readonly id: string };
  readonly deliveries: { readonly id: string };
  readonly meta: { readonly key: string };
}

export type MutableTable = keyof MutableKeys;

/** `pots` are written only through `post` and `count`, leases by their own calls, tombstones by `prune`. */
export type InsertableTable = Exclude<keyof Tables, 'pots' | 'postings' | 'leases' | 'tombstones'>;

/** Insert a row. A row with the same unique key is a conflict, unless `ifAbsent`, when nothing happens. */
export type Insert = {
  [T in InsertableTable]: {
    readonly op: 'insert';
    readonly table: T;
    readonly row: Tables[T];
    readonly ifAbsent?: boolean;
  };
}[InsertableTable];

/** Compare `version`, set the fields, increment it. No row at that version is a conflict. */
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
 * Double-entry posting: inserts the lines and adds them to their pots. A group id that exists is a conflict,
 * so nothing is ever posted twice. The caller guarantees that lines sum to zero per currency.
 */
export interface Post {
  readonly op: 'post';
  readonly lines: readonly PostingRow[];
}

/**
 * Adds to a counter (a pot outside the books: reservations, exposure, daily volume). With a bound, the change set
 * conflicts when the result would cross it. `atMostPot` bounds the counter by a pot's running total less `keep`,
 * which is how a reservation can never exceed inventory.
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
 * The lease must still have this token, else the set conflicts (`fenced`): its writer was paused past its lease, and another
 * process does the work now. A lease that ran out is no conflict until another process has taken it over.
 */
export interface Fence {
  readonly op: 'fence';
  readonly scope: string;
  readonly token: number;
}

export type Change = Insert | Update | Require | Post | Count | Fence;

/** A claim of work that holds until another owner takes it. */
export interface Lease {
  readonly scope: string;
  readonly token: number;
}

/**
 * The only way money state changes: all of it, or nothing. Within one set, changes apply in order.
 */
export interface ChangeSet {
  /** Names the transition for logs and crash points, e.g. `engine.decide`. */
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

/** Thrown by `apply` when the outcome of a commit is not known: the caller must re-read before it decides anything. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/**
 * Thrown by any call that the database could not serve: locked, full, damaged, connection lost. Nothing was written, and
 * nothing was learnt: the caller tries again later.
 */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/**
 * Thrown by `apply` and `claimLeases` when the database has less than what this process was told to be durable, or may
 * have: a standby that lagged was promoted, an older state was put back. Nothing of the call was written, and nothing is
 * by any later one. What the process concluded from the database no longer holds, so it must end and start as after a
 * restore.
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

/** A place in the order of requests by when they changed last, and by their ids. */
export interface RequestMark {
  readonly updatedAt: UnixMs;
  /** Of a request; empty: before all that changed at that time. */
  readonly id: string;
}

/** A claim of app fees with what became of it. */
export interface FeeClaimView {
  readonly claim: FeeClaimRow;
  readonly leg: LegRow;
  /** Its transaction, once that is in a block. */
  readonly hash: string | null;
}

/** An event with its place in the feed. */
export type FeedRow = EventRow & { readonly position: number };

/** What the endpoints of a channel are still to be told. */
export interface Backlog {
  readonly channel: string;
  /** Deliveries that are not over. */
  readonly open: number;
  /** When the oldest event among them happened. */
  readonly since: UnixMs;
}

export interface DueDelivery {
  readonly delivery: DeliveryRow;
  readonly event: FeedRow;
}

/** Names a lane. */
export type LaneKey = Pick<LaneRow, 'chainId' | 'signer'>;

/** How long one fill took. */
export interface FillTime {
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  /** From the first sight of the deposit to the inclusion of its fill. */
  readonly ms: number;
}

/** Everything that is decided on about one request, read in one snapshot. Its transactions come without what they are described as. */
export interface RequestView {
  readonly request: RequestRow;
  readonly deposits: readonly DepositRow[];
  readonly legs: readonly LegRow[];
  readonly transactions: readonly Omit<TransactionRow, 'entry'>[];
}

/** Everything that is shown of one request, read in one snapshot. */
export interface ShownRequest extends RequestView {
  readonly transactions: readonly TransactionRow[];
}

/** What the status of a request is told from. Of a quote that nobody has paid yet it is `waiting`, with nothing else known. */
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
  /**
   * The request that it is told of: its own, or of a quote that nothing funded its payer's newest; null where there is none.
   */
  readonly requestId: RequestId | null;
  /** In the order of their arrival. */
  readonly transactions: readonly Pick<TransactionRow, 'role' | 'hash' | 'status'>[];
}

/**
 * Durable state. Every read sees a committed snapshot. `apply` resolves after the change is durable
 * (SQLite `synchronous=FULL`, PostgreSQL `synchronous_commit=on`).
 *
 * Invariant (G15): an open store writes to one history alone, which never loses what it was told to be durable. Where
 * the database may be replaced by an older state while it is open, `apply` and `claimLeases` throw DatabaseWentBackError
 * from then on, and the next `open` marks the ledger as put back.
 */
export interface Store {
  /** Migrates and opens; rejects when another process holds the database. */
  open(): Promise<void>;
  /** Waits for change sets that were given to `apply`, then releases everything. */
  close(): Promise<void>;

  apply(set: ChangeSet): Promise<ApplyOutcome>;

  /**
   * Takes each lease that is free, run out by the store's own clock, or already this owner's, and holds it for `ttlMs`
   * from now. Prolonging keeps the token; a lease that changes hands, or was given up, gets a greater one.
   *
   * @returns the leases that this owner holds now.
   */
  claimLeases(scopes: readonly string[], owner: string, ttlMs: number): Promise<readonly Lease[]>;
  /** Gives up each of these leases that this owner still holds with that token. */
  releaseLeases(leases: readonly Lease[], owner: string): Promise<void>;
  /**
   * Calls when another process may have committed something. A hint: polling is the truth. Absent where one process has the
   * database.
   */
  onHint?(listener: () => void): () => void;
  /** Calls after this process added to the event feed. A hint as well; absent where `onHint` tells of that, too. */
  onEvents?(listener: () => void): () => void;

  quote(id: RequestId): Promise<QuoteRow | undefined>;
  quotesByOrder(orderIds: readonly OrderId[]): Promise<readonly QuoteRow[]>;
  /**
   * Number of quotes of callers without a key that are kept whole and are not known to be paid, at most `limit`. Its cost is
   * bounded by `limit`.
   */
  unpaidQuotes(limit: number): Promise<number>;
  /** Orders whose quote was shrunk after its retention. */
  tombstonesByOrder(orderIds: readonly OrderId[]): Promise<readonly TombstoneRow[]>;
  /**
   * Orders whose id begins with one of these (`0x` and lower-case digits), of quotes and of tombstones: of each prefix two at most,
   * which is as many as it takes to know that it is of more than one. Each once, in no promised order.
   */
  ordersByPrefix(prefixes: readonly Hex[]): Promise<readonly OrderId[]>;

  request(id: RequestId): Promise<RequestRow | undefined>;
  requests(ids: readonly RequestId[]): Promise<readonly RequestRow[]>;
  /** Parents only (rows without parentRequestId), one per order. */
  requestsByOrder(orderIds: readonly OrderId[]): Promise<readonly RequestRow[]>;
  views(ids: readonly RequestId[]): Promise<readonly RequestView[]>;
  shown(id: RequestId): Promise<ShownRequest | undefined>;
  /** Of requests, else of the quotes with these ids, in no promised order. Far cheaper than `views`. */
  statuses(ids: readonly RequestId[]): Promise<readonly StatusView[]>;
  /** `search`, keyset-paginated; also returns the exact count when asked. */
  search(search: RequestSearch): Promise<Page<ShownRequest>>;
  /** Of requests or quotes; the ids without metadata are left out. */
  clientMetadata(ids: readonly RequestId[]): Promise<readonly ClientMetadataRow[]>;
  /**
   * Requests last changed before then that hold value which nothing works on, oldest first: unsettled ones without a deposit
   * to decide or a movement that can go on, and settled ones with a movement that cannot. A movement goes on while its lane is
   * among these, unless it waits for a deposit that is final already.
   */
  stuck(before: UnixMs, lanes: readonly LaneKey[], limit: number): Promise<readonly RequestId[]>;
  /** Requests that are not `success`, `refund` or `failure`, oldest first, after the given id. */
  unsettled(limit: number, after?: RequestId): Promise<readonly RequestRow[]>;

  /** Fill times of the newest requests that are a `success` and were created since then, newest first. */
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
  /** Final, settled, `collectable` above zero and not collected yet, oldest first. */
  collectable(chainId: ChainId, limit: number): Promise<readonly DepositRow[]>;
  /** Deposits bound to a collect leg. */
  depositsOfCollect(legId: string): Promise<readonly DepositRow[]>;

  executions(ids: readonly string[]): Promise<readonly ExecutionRow[]>;
  /** Oldest first. */
  executionsOf(requests: readonly RequestId[]): Promise<readonly ExecutionRow[]>;
  /** `included` ones above a height: what a reorg to it may have taken. */
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
  /** Attempts of a chain among these transaction hashes: what this ledger signed. */
  attemptsByHash(chainId: ChainId, hashes: readonly string[]): Promise<readonly AttemptRow[]>;
  lane(chainId: ChainId, signer: string): Promise<LaneRow | undefined>;
  lanes(): Promise<readonly LaneRow[]>;
  cursor(chainId: ChainId): Promise<CursorRow | undefined>;

  pots(prefix: string): Promise<readonly PotRow[]>;
  pot(account: string): Promise<bigint>;

  events(afterPosition: number, limit: number): Promise<readonly FeedRow[]>;
  /** Requests that were quoted with a key, by when they changed last: those that come after a mark, in that order. */
  requestsOfKey(keyId: string, after: RequestMark, limit: number): Promise<readonly RequestMark[]>;
  /** Those of one request that have a position after that one, in their order. */
  eventsOf(request: RequestId, afterPosition: number): Promise<readonly FeedRow[]>;
  /** Position of the newest event; 0 where there is none. */
  feedEnd(): Promise<number>;

  /** Oldest first. */
  endpoints(): Promise<readonly EndpointRow[]>;
  endpoint(id: string): Promise<EndpointRow | undefined>;
  deliveries(ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  /**
   * Those of these requests that are not over (`due`, `behind` or `again`), the earliest events first.
   *
   * @param endpoints for these alone. Default: for any.
   */
  openDeliveries(requests: readonly RequestId[], endpoints?: readonly string[]): Promise<readonly DeliveryRow[]>;
  /**
   * `due` ones of these endpoints whose time has come, with their events: of each endpoint so many at most, those first that were
   * due first, and of those that were due at once those of earlier events. However many endpoints are asked for, it is few statements.
   *
   * Throws where an event is missing, which no change set can bring about.
   *
   * @param each of one endpoint at most.
   */
  dueDeliveries(endpoints: readonly string[], now: UnixMs, each: number): Promise<readonly DueDelivery[]>;
  /** Of one endpoint, those of the latest events first. */
  deliveriesOf(endpointId: string, filter: DeliveryFilter): Promise<readonly DeliveryRow[]>;
  /** `again` ones of these endpoints, in no promised order. */
  deliveriesAgain(endpointIds: readonly string[], limit: number): Promise<readonly DeliveryRow[]>;
  /** When the first `due` one of each of these endpoints is due; those that have none are left out. One statement. */
  firstDue(endpoints: readonly string[]): Promise<readonly Pick<DeliveryRow, 'endpointId' | 'dueAt'>[]>;
  /** By channel, of endpoints that are active; channels that have nothing open are left out. Reads all that is open: not for each round. */
  backlog(): Promise<readonly Backlog[]>;
  /** No entry yet although a block is known: work for the describer, oldest first. */
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
  /** Of what one transaction brought: open ones before released ones, the oldest first. */
  holdsOfTransaction(hash: string, limit: number): Promise<readonly HoldRow[]>;
  /** By what was signed. */
  feeClaim(id: FeeClaimRow['id']): Promise<FeeClaimView | undefined>;
  /**
   * Claims of app fees of any of these wallets, newest first.
   *
   * @param after the last one of the page before, by time and id.
   */
  feeClaims(
    wallets: readonly string[],
    limit: number,
    after?: Pick<FeeClaimRow, 'createdAt' | 'id'>,
  ): Promise<readonly FeeClaimView[]>;
  /** Of quotes, whatever became of them, in no promised order. */
  earmarks(ids: readonly RequestId[]): Promise<readonly EarmarkRow[]>;
  /** Those `kept` whose quotes' validity ended before then, the oldest first. */
  overdueEarmarks(before: UnixMs, limit: number): Promise<readonly EarmarkRow[]>;
  meta(key: string): Promise<MetaRow | undefined>;
  /**
   * Removes expired hints, earmarks that ended a day ago and deliveries that were over long ago, endpoints that were removed
   * long ago and are named by no delivery, and shrinks quotes past retention to tombstones, without their metadata; never touches money state, nor what an endpoint is still to be told.
   * Returns how many hints, earmarks, deliveries, endpoints and quotes went. One call is bounded in time, and more may be left while it answers more than none.
   * Its cost depends on what is past retention, never on what is kept.
   *
   * @param anonymousLifeMs how long past its deadline a quote of a caller without a key is kept, at least 0 and at most what
   * keyed ones are. No quote goes before its deadline, whatever is given. Default: as keyed ones.
   * @param deliveryLifeMs how long a delivery is kept after it was taken or given up. Default: 30 days.
   */
  prune(now: UnixMs, anonymousLifeMs?: number, deliveryLifeMs?: number): Promise<number>;
  /** Proves that the database answers; used by health checks. */
  ping(): Promise<void>;
  /**
   * Bytes that can still be written where the open database is. Absent: the store cannot know, as where that is another
   * machine. Rejects where it cannot be read now.
   */
  freeBytes?(): Promise<bigint>;
  /** For `doctor`, on an open store: durability settings, schema version, free space. Never throws. */
  probe?(): Promise<readonly ProbeResult[]>;
}
