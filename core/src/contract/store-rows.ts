import type { RequestStatus } from '../domain/transitions.js';
import type { FailReason, RefundFailReason } from '../errors/fail-reasons.js';
import type { DeliveryRow, EndpointRow } from './delivery-rows.js';
import type { ObservationState } from './deposits.js';
import type { ExecutionRow } from './execution-row.js';
import type { ChainId, FundingKey, Hex, OrderId, RequestId, UnixMs } from './ids.js';
import type { LegKind } from './legs.js';

export type { ExecutionRow } from './execution-row.js';

/**
 * Rows of the store, one interface per table. Amounts are bigint in the smallest unit; `json` fields are
 * serialised text whose shape their writer owns; times are Unix milliseconds.
 * Mutable rows carry `version`, which every update compares and increments.
 */

/** A promise with an expiry. Written once, never updated. */
export interface QuoteRow {
  readonly id: RequestId;
  readonly orderId: OrderId;
  readonly createdAt: UnixMs;
  /** End of the promised price. */
  readonly expiresAt: UnixMs;
  /** Order deadline, after which nothing may fill. */
  readonly deadlineAt: UnixMs;
  /** Client's own limit (`ttl`), null when none. */
  readonly ttlAt: UnixMs | null;
  readonly user: string;
  readonly recipient: string;
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  readonly network: string;
  readonly keyId: string | null;
  readonly referrer: string | null;
  readonly parentRequestId: RequestId | null;
  /** USD value of the input in micro-USD, frozen at creation; null when it could not be priced. */
  readonly amountUsd: number | null;
  /** json: QuoteBody of domain/quote.ts. */
  readonly body: string;
}

/** A request exists from the moment money is involved; it is for ever. */
export interface RequestRow {
  readonly id: RequestId;
  readonly orderId: OrderId;
  readonly parentRequestId: RequestId | null;
  readonly status: RequestStatus;
  readonly version: number;
  /** Number of events emitted so far. */
  readonly eventCount: number;
  readonly user: string;
  readonly recipient: string;
  readonly sender: string | null;
  readonly refundTo: string | null;
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  readonly originCurrency: string;
  readonly destinationCurrency: string;
  readonly originSymbol: string;
  readonly destinationSymbol: string;
  readonly requestType: string;
  readonly network: string;
  readonly keyId: string | null;
  readonly referrer: string | null;
  readonly amountUsd: number | null;
  /** Bits of REQUEST_FEATURES (domain/features.ts). */
  readonly features: number;
  /** Quoted app fees in micro-USD; null when there are some and they could not be priced. */
  readonly appFeesUsd: number | null;
  /** From the first sight of the deposit to the inclusion of its fill; null until there is one. */
  readonly fillTimeMs: number | null;
  readonly depositAddress: string | null;
  /** Who paid into the deposit address. */
  readonly depositor: string | null;
  readonly createdAt: UnixMs;
  readonly updatedAt: UnixMs;
  readonly deadlineAt: UnixMs;
  /** The transfer that owns this request; replaced only after it vanished. */
  readonly fundingKey: FundingKey | null;
  readonly failReason: FailReason | null;
  readonly refundFailReason: RefundFailReason | null;
  /** json: {txHash?, block?, call?} of the failed fill, null when none. */
  readonly failed: string | null;
  /** json: the delivered amount and currency, for route.actual; null until a fill was tried. */
  readonly actual: string | null;
  /** Context for clients (`details` of the status record), null when none. */
  readonly details: string | null;
  /** json: QuoteBody, copied from the quote. */
  readonly body: string;
}

/** A funding transfer and the one decision made about it. */
export interface DepositRow {
  readonly fundingKey: FundingKey;
  readonly version: number;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly depositor: string;
  /** The order that it names; the short form where it carries one that is of no order here, or of several. Null: it carries none. */
  readonly orderId: OrderId | null;
  readonly state: ObservationState;
  /** Of the block that includes it; null while it is in none. */
  readonly height: number | null;
  readonly blockId: string | null;
  readonly blockTime: UnixMs | null;
  readonly seenAt: UnixMs;
  /** The request this transfer belongs to (its own child request for duplicates and orphans). */
  readonly requestId: RequestId;
  /** `waiting` until its depth is reached; then exactly one settlement, for ever. */
  readonly decision: 'waiting' | 'fill' | 'refund' | 'hold';
  /** Value in micro-USD when seen; what accept depth and exposure limits use. */
  readonly valueUsd: number;
  /** Part that will not leave the depository to the user: fees earned plus collectable value. Set when settled for good. */
  readonly collectable: bigint | null;
  readonly collectLegId: string | null;
  /** The block at which a quorum of providers told of it; null where none was asked or none agreed. */
  readonly witnessed: string | null;
  /** While it waits (`mempool`): height of the block that spent elsewhere what this deposit needs; null: no block did. */
  readonly rivalHeight: number | null;
  /** Id of that block. */
  readonly rivalBlockId: string | null;
  /** What its payer gave, where that was swapped on the way in (`PaidWith` as JSON, the amount as a decimal); null: it itself. */
  readonly paidWith: string | null;
}

/**
 * What a movement is owed for: as chains know it, or what a chain fills as it does an order, under an id of its own: the payout of
 * app fees, and native coin beside the output of an order.
 */
export type OwedKind = LegKind | 'claim' | 'topUp';

/**
 * One movement owed.
 * `blocked`: waits for finality of its deposit. `short`: waits for inventory or capacity. `owed`: may be executed.
 * `bound`: bytes were signed under `key`. `suspended`: its deposit vanished before anything was signed.
 * `done`: final on chain. `void`: will never be executed, nothing was signed. `closed`: its key is spent, finally, without it.
 * `held`: needs somebody's word, see `HoldRow`.
 */
export type LegState = 'blocked' | 'short' | 'owed' | 'bound' | 'suspended' | 'done' | 'void' | 'closed' | 'held';

export interface LegRow {
  /** `<requestId>:<kind>[:n]`; unique, so that no movement can be owed twice. */
  readonly id: string;
  readonly version: number;
  readonly requestId: RequestId | null;
  readonly fundingKey: FundingKey | null;
  readonly kind: OwedKind;
  readonly state: LegState;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Part of its deposit's amount that this leg settles; the legs of a deposit cover it exactly. Zero for collects. */
  readonly covers: bigint;
  readonly recipient: string;
  /** Of what is paid back, as its deposit names it. */
  readonly orderId: OrderId | null;
  /** After which it may not be paid out; null for what is owed for ever. */
  readonly deadlineAt: UnixMs | null;
  /** Key it is bound to; null before signing. */
  readonly key: string | null;
  /** Why it is short, held, void or closed. */
  readonly reason: string | null;
  /** Not looked at before this time. */
  readonly dueAt: UnixMs;
  /** Inclusion seen (by the current chain); cleared when a reorg drops it. */
  readonly includedAt: UnixMs | null;
  /** When a fill claimed inventory, exposure and volume; null while it claims nothing. Its day is what the volume counts for. */
  readonly claimedAt: UnixMs | null;
  /** Most work that a transaction of it may take, as it was charged for; null where nobody but the service decides it. */
  readonly work: bigint | null;
  /** Fees of its transactions that landed without effect, native smallest unit of its chain. Taken off what is paid back. */
  readonly spent: bigint;
  /** Whose word took it out of a hold: an operator's, or its depositor's under a signature. Null: it is not held, or never was. */
  readonly releasedBy: 'operator' | 'depositor' | null;
  /** Keys that ended with its transaction reverted, since it was owed first or released. */
  readonly reverts: number;
  /** Keys that ended with no transaction of it in a block, since it was owed first or released. */
  readonly closings: number;
  readonly createdAt: UnixMs;
}

/** A single-use key: the nonce (or its like) that all attempts for its legs share. */
export interface KeyRow {
  /** `<chainId>:<key>`. */
  readonly id: string;
  readonly version: number;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly key: string;
  /** `open` until final. `spent`: one of ours took effect. `closed`: spent without effect for its legs (no-op, revert, or another's). */
  readonly state: 'open' | 'spent' | 'closed';
  /** Hash of the attempt that is included now; null when none is. */
  readonly includedHash: string | null;
  readonly includedHeight: number | null;
  /** json: the postings of the inclusion (fee and effects), which a reorg reverses exactly; null while not included. */
  readonly inclusion: string | null;
  readonly attemptCount: number;
  /** First broadcast; the inclusion window starts here. */
  readonly firstSentAt: UnixMs | null;
  readonly lastSentAt: UnixMs | null;
  /** Head height at the newest attempt's first send; bumps are counted in blocks. */
  readonly lastSentHeight: number | null;
  /** Set once a no-op was signed: its legs will not be carried again. */
  readonly closing: boolean;
  readonly createdAt: UnixMs;
}

export type AttemptState =
  | 'planned'
  | 'signed'
  | 'sent'
  | 'seen'
  | 'included'
  | 'final'
  | 'rejected'
  /** Rejected, and it may be for good: its key is closed. */
  | 'barred'
  | 'reverted'
  | 'replaced'
  | 'indeterminate';

/** One signed transaction. Bytes are written before they are sent and never change. */
export interface AttemptRow {
  /** `<keyId>#<n>`. */
  readonly id: string;
  readonly version: number;
  readonly keyId: string;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly n: number;
  readonly hash: string;
  readonly bytes: string;
  readonly fees: string;
  readonly state: AttemptState;
  readonly signedAt: UnixMs;
  readonly sentAt: UnixMs | null;
  readonly message: string | null;
}

export interface AttemptLegRow {
  readonly attemptId: string;
  readonly legId: string;
}

/** (chain, signer). */
export interface LaneRow {
  /** `<chainId>:<signer>`. */
  readonly id: string;
  readonly version: number;
  readonly chainId: ChainId;
  readonly signer: string;
  /** Next position, opaque; see LanePosition. */
  readonly position: string;
  /** Why nothing may be signed; null when it may. */
  readonly halted: string | null;
}

export interface CursorRow {
  readonly chainId: ChainId;
  readonly version: number;
  readonly cursor: string;
  readonly headHeight: number;
  readonly headTime: UnixMs;
  readonly finalHeight: number;
  readonly finalTime: UnixMs;
}

/** Immutable double-entry line. The lines of one `groupId` sum to zero per chain and currency. */
export interface PostingRow {
  readonly groupId: string;
  readonly account: string;
  readonly amount: bigint;
  readonly requestId: RequestId | null;
  readonly legId: string | null;
  readonly createdAt: UnixMs;
}

/** Running total of an account or counter; changed only by `post` and `count`. */
export interface PotRow {
  readonly account: string;
  readonly amount: bigint;
}

export interface EventRow {
  /** Assigned by the store in commit order. */
  readonly position?: number;
  readonly id: string;
  readonly requestId: RequestId;
  readonly sequence: number;
  readonly kind: string;
  /** json */
  readonly payload: string;
  readonly createdAt: UnixMs;
}

/** Transaction of a request, for `inTxs`/`outTxs` and for hash look-ups. */
export interface TransactionRow {
  /** `<requestId>:<role>:<chainId>:<hash>`. */
  readonly id: string;
  readonly version: number;
  readonly requestId: RequestId;
  readonly role: 'deposit' | 'fill' | 'refund' | 'failed';
  readonly chainId: ChainId;
  readonly hash: string;
  readonly block: number | null;
  /** Unix seconds; null until known. */
  readonly timestamp: number | null;
  readonly status: 'success' | 'failure';
  /** json: TransactionEntry once described; null until then. */
  readonly entry: string | null;
}

export interface ApiKeyRow {
  readonly id: string;
  readonly version: number;
  readonly name: string | null;
  /** First characters, for humans. */
  readonly prefix: string;
  /** sha-256 of the whole key, hex. The key itself is never stored. */
  readonly hash: string;
  readonly integratorId: string;
  /** json array of scopes; `["*"]` for every one. */
  readonly scopes: string;
  /** Which rates it is held to. */
  readonly tier: 'default' | 'elevated';
  /** json array of the UUIDs of private chains whose requests it may see. */
  readonly privateChains: string;
  readonly createdAt: UnixMs;
  /** Not accepted from this time on; null for ever. */
  readonly expiresAt: UnixMs | null;
  /** The key that took its place when it was rotated. */
  readonly replacedBy: string | null;
  readonly revokedAt: UnixMs | null;
}

/** Who holds API keys. */
export interface IntegratorRow {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  /** Address whose payments fund its app balance; of one integrator alone. Null when none is linked. */
  readonly fundingAddress: string | null;
  readonly createdAt: UnixMs;
}

/** `all`, `chain:<id>` or `route:<originId>-<destinationId>`. */
export interface PauseRow {
  readonly scope: string;
  readonly version: number;
  readonly paused: boolean;
  readonly reason: string | null;
  readonly changedAt: UnixMs;
}

/** A transaction hash a client told us about. Expires; never moves money. */
export interface HintRow {
  readonly id: string;
  readonly chainId: ChainId;
  readonly hash: string;
  readonly requestId: RequestId | null;
  readonly createdAt: UnixMs;
}

/** What a client says of a request besides, kept as it came. Written once; never moves money; goes with its quote. */
export interface ClientMetadataRow {
  readonly requestId: RequestId;
  /** json: an object whose shape is the client's own. */
  readonly metadata: string;
  readonly createdAt: UnixMs;
}

/** Value that nothing moves by itself, with the name of the reason: an operator releases it, or its depositor where they may. */
export interface HoldRow {
  readonly id: string;
  readonly version: number;
  readonly requestId: RequestId;
  readonly fundingKey: FundingKey;
  /** The transaction that brought it. */
  readonly transactionHash: string;
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: bigint;
  readonly reason: string;
  readonly state: 'open' | 'released';
  readonly createdAt: UnixMs;
}

/** App fees that their recipient claimed under a signature. Written once: how it stands is told by its leg. */
export interface FeeClaimRow {
  /** What was signed: 32 bytes that follow from all below. */
  readonly id: Hex;
  readonly legId: string;
  /** Canonical address of the recipient of app fees, as accounts name it. */
  readonly wallet: string;
  readonly chainId: ChainId;
  readonly currency: string;
  /** Taken from what is owed to the wallet; the payout is less by its network fee. */
  readonly amount: bigint;
  readonly recipient: string;
  readonly createdAt: UnixMs;
}

/**
 * Inventory that stands behind one quote with a fixed rate until it is paid or over. Its amount is in the counter of what its
 * lane has reserved, and its value in those of its key and of all keys, exactly while it is `kept`.
 */
export interface EarmarkRow {
  /** Of the quote. */
  readonly id: RequestId;
  readonly version: number;
  /** `claimed`: its fill took the inventory over. `refused`: its deposit is paid back. `expired`: nobody paid in time. */
  readonly state: 'kept' | 'claimed' | 'refused' | 'expired';
  readonly keyId: string;
  readonly originChainId: ChainId;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Micro-USD, as quoted. */
  readonly value: bigint;
  /** What is in a block by then is paid at the fixed rate. */
  readonly expiresAt: UnixMs;
  readonly deadlineAt: UnixMs;
  readonly createdAt: UnixMs;
}

/** Facts about the database itself: anchors of its chains, schema owner. */
export interface MetaRow {
  readonly key: string;
  readonly version: number;
  readonly value: string;
}

/**
 * The right to do one kind of work, for a while. Changed by `claimLeases` and `releaseLeases` alone; a change set names
 * its token (`version` here) in a fence.
 */
export interface LeaseRow {
  readonly scope: string;
  /** The token: grows each time the lease changes hands. */
  readonly version: number;
  /** Null when nobody holds it. */
  readonly owner: string | null;
  /** By the store's own clock. */
  readonly expiresAt: number;
}

/** What is left, for ever, of a quote whose retention ended without a payment: no late payment is unattributable. */
export interface TombstoneRow {
  readonly orderId: OrderId;
  readonly requestId: RequestId;
  /** The order's recipient of refunds. */
  readonly refundTo: string;
  readonly originChainId: ChainId;
  readonly keyId: string | null;
  readonly deadlineAt: UnixMs;
  readonly createdAt: UnixMs;
}

export interface Tables {
  readonly quotes: QuoteRow;
  readonly requests: RequestRow;
  readonly deposits: DepositRow;
  readonly legs: LegRow;
  readonly keys: KeyRow;
  readonly attempts: AttemptRow;
  readonly attemptLegs: AttemptLegRow;
  readonly lanes: LaneRow;
  readonly cursors: CursorRow;
  readonly postings: PostingRow;
  readonly pots: PotRow;
  readonly events: EventRow;
  readonly transactions: TransactionRow;
  readonly apiKeys: ApiKeyRow;
  readonly integrators: IntegratorRow;
  readonly pauses: PauseRow;
  readonly hints: HintRow;
  readonly clientMetadata: ClientMetadataRow;
  readonly holds: HoldRow;
  readonly executions: ExecutionRow;
  readonly feeClaims: FeeClaimRow;
  readonly earmarks: EarmarkRow;
  readonly endpoints: EndpointRow;
  readonly deliveries: DeliveryRow;
  readonly meta: MetaRow;
  readonly leases: LeaseRow;
  readonly tombstones: TombstoneRow;
}

export type TableName = keyof Tables;
