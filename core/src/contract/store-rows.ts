import type { RequestStatus } from '../domain/transitions.js';
import type { FailReason, RefundFailReason } from '../errors/fail-reasons.js';
import type { BalanceEventRow, SponsorPolicyRow, SponsorshipRow } from './balance-rows.js';
import type { ApiKeyRow, ClientMetadataRow, IdempotencyKeyRow, IntegratorRow } from './client-rows.js';
import type { DeliveryRow, EndpointRow } from './delivery-rows.js';
import type { AddressRow } from './deposit-addresses.js';
import type { ObservationState } from './deposits.js';
import type { ExecutionRow } from './execution-row.js';
import type { ChainId, FundingKey, Hex, OrderId, RequestId, UnixMs } from './ids.js';
import type { LegKind } from './legs.js';
import type { NonceMappingRow } from './nonce-mappings.js';

export type { BalanceEventFilter, BalanceEventRow, SponsorPolicyRow, SponsorshipRow } from './balance-rows.js';
export type { ApiKeyRow, ClientMetadataRow, IdempotencyKeyRow, IntegratorRow } from './client-rows.js';
export type { ExecutionRow } from './execution-row.js';

/**
 * Amounts are bigint in the smallest unit; `json` fields are text whose shape their writer owns; times are Unix
 * milliseconds. Updates of mutable rows compare and increment `version`.
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
  /** The client's limit (`ttl`), if any. */
  readonly ttlAt: UnixMs | null;
  readonly user: string;
  readonly recipient: string;
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  readonly network: string;
  readonly keyId: string | null;
  readonly referrer: string | null;
  readonly parentRequestId: RequestId | null;
  /** Value of the input in micro-USD, frozen at creation; null if unpriced. */
  readonly amountUsd: number | null;
  /** json: QuoteBody of domain/quote.ts. */
  readonly body: string;
}

/** Exists from the moment money is involved, for ever. */
export interface RequestRow {
  readonly id: RequestId;
  readonly orderId: OrderId;
  readonly parentRequestId: RequestId | null;
  readonly status: RequestStatus;
  readonly version: number;
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
  /** From first observation of the deposit to inclusion of its fill. */
  readonly fillTimeMs: number | null;
  readonly depositAddress: string | null;
  readonly depositor: string | null;
  readonly createdAt: UnixMs;
  readonly updatedAt: UnixMs;
  readonly deadlineAt: UnixMs;
  /** The transfer that owns this request; replaced only after it vanished. */
  readonly fundingKey: FundingKey | null;
  readonly failReason: FailReason | null;
  readonly refundFailReason: RefundFailReason | null;
  /** json: {txHash?, block?, call?} of the failed fill. */
  readonly failed: string | null;
  /** json: delivered amount and currency, for route.actual; null until a fill was tried. */
  readonly actual: string | null;
  readonly details: string | null;
  /** json: QuoteBody. */
  readonly body: string;
}

export interface DepositRow {
  readonly fundingKey: FundingKey;
  readonly version: number;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly depositor: string;
  /** The order it names, or the short form if that matches no order or several. Null: it names none. */
  readonly orderId: OrderId | null;
  readonly state: ObservationState;
  readonly height: number | null;
  readonly blockId: string | null;
  readonly blockTime: UnixMs | null;
  readonly seenAt: UnixMs;
  /** Duplicates and orphans get a child request each. */
  readonly requestId: RequestId;
  /**
   * `waiting` until its depth is reached; then exactly one settlement, for ever. `hold`: its depositor is blocked. `credit`:
   * it topped up an app balance.
   */
  readonly decision: 'waiting' | 'fill' | 'refund' | 'hold' | 'credit';
  /** Micro-USD when first seen; used by accept depth and exposure limits. */
  readonly valueUsd: number;
  /** Part that stays with the service: fees earned plus collectable value. Set when settled permanently. */
  readonly collectable: bigint | null;
  readonly collectLegId: string | null;
  /** Block at which a quorum of providers reported it; null if none was asked or none agreed. */
  readonly witnessed: string | null;
  /** In `mempool`: height of the block that spent this deposit's inputs elsewhere. */
  readonly rivalHeight: number | null;
  readonly rivalBlockId: string | null;
  /** What the payer of a swapped deposit paid (`PaidWith` as JSON, the amount as a decimal); null: unswapped. */
  readonly paidWith: string | null;
  /** The deposit address that it arrived at, and what that derives from; null: the depository. */
  readonly depositAddress: string | null;
  readonly salt: Hex | null;
  /** When a sweep to the depository was final; null: not swept, or no deposit address. */
  readonly sweptAt: UnixMs | null;
  /**
   * `SentBy` as JSON, for a transfer that names no order itself: its order is that of a nonce
   * mapping. Null: it names its order, or its sender is not known.
   */
  readonly senderNonce: string | null;
}

/**
 * `claim` (payout of app fees), `topUp` (native coin in addition to an output) and `withdrawal` (by the operator) are
 * fills to the chain, under separate ids.
 */
export type OwedKind = LegKind | 'claim' | 'originCall' | 'permit' | 'topUp' | 'withdrawal';

/**
 * `blocked`: waits for its deposit's finality. `short`: waits for inventory or capacity. `owed`: may be executed.
 * `bound`: bytes were signed under `key`. `suspended`: its deposit vanished before signing. `done`: final on chain.
 * `void`: never signed, never executed. `closed`: its key is finally spent without it. `held`: needs a release, see
 * `HoldRow`. `joined`: another leg, its `reason`, pays it too.
 */
export type LegState =
  | 'blocked'
  | 'short'
  | 'owed'
  | 'bound'
  | 'suspended'
  | 'done'
  | 'void'
  | 'closed'
  | 'held'
  | 'joined';

export interface LegRow {
  /** `<requestId>:<kind>[:n]`; unique, so that no movement is owed twice. */
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
  /** Part of the deposit that this leg settles; a deposit's legs cover it exactly. Zero for collects. */
  readonly covers: bigint;
  readonly recipient: string;
  readonly orderId: OrderId | null;
  /** No payout after this; null: owed for ever. */
  readonly deadlineAt: UnixMs | null;
  /** Key it is bound to; null before signing. */
  readonly key: string | null;
  readonly reason: string | null;
  /** Not processed before this time. */
  readonly dueAt: UnixMs;
  /** Seen in a block of the current chain; cleared when a reorg drops it. */
  readonly includedAt: UnixMs | null;
  /** When a fill claimed inventory, exposure and volume; null while it claims none. Its day is that of the volume. */
  readonly claimedAt: UnixMs | null;
  /** Maximum work of its transaction, as charged; null if only the service determines it. */
  readonly work: bigint | null;
  /** Fees of its landed transactions without effect, native smallest unit; deducted from refunds. */
  readonly spent: bigint;
  /** An operator, or the depositor by a signature. Null: held, or never was. */
  readonly releasedBy: 'operator' | 'depositor' | null;
  /** Keys that ended with a revert since first owed or released. */
  readonly reverts: number;
  /** Keys that ended without its transaction in a block, since first owed or released. */
  readonly closings: number;
  /** json: what other transfers add to `covers` (domain/joined.ts). Null: nothing. */
  readonly joined: string | null;
  readonly createdAt: UnixMs;
}

/** A single-use key (nonce or equivalent), shared by all attempts for its legs. */
export interface KeyRow {
  /** `<chainId>:<key>`. */
  readonly id: string;
  readonly version: number;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly key: string;
  /**
   * `open` until final. `spent`: an attempt took effect. `closed`: spent without effect (no-op, revert, or foreign).
   */
  readonly state: 'open' | 'spent' | 'closed';
  /** Attempt that is included now; null when none is. */
  readonly includedHash: string | null;
  readonly includedHeight: number | null;
  /** json: postings of the inclusion (fee and effects), which a reorg reverses exactly; null while not included. */
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
  /** Rejected, possibly for ever: its key is closed. */
  | 'barred'
  | 'reverted'
  | 'replaced'
  | 'indeterminate';

/** One signed transaction. Bytes are stored before they are sent and never change. */
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

/** `all`, `chain:<id>` or `route:<originId>-<destinationId>`. */
export interface PauseRow {
  readonly scope: string;
  readonly version: number;
  readonly paused: boolean;
  readonly reason: string | null;
  readonly changedAt: UnixMs;
}

/** A transaction hash from a client. Expires; never moves money. */
export interface HintRow {
  readonly id: string;
  readonly chainId: ChainId;
  readonly hash: string;
  readonly requestId: RequestId | null;
  readonly createdAt: UnixMs;
}

/** Value that is not moved automatically: an operator, or the depositor if allowed, releases it. */
export interface HoldRow {
  readonly id: string;
  readonly version: number;
  readonly requestId: RequestId;
  readonly fundingKey: FundingKey;
  readonly transactionHash: string;
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: bigint;
  readonly reason: string;
  readonly state: 'open' | 'released';
  readonly createdAt: UnixMs;
}

/** App fees that their recipient claimed by a signature. Written once; its leg has the state. */
export interface FeeClaimRow {
  /** 32 signed bytes, derived from all fields below. */
  readonly id: Hex;
  readonly legId: string;
  readonly wallet: string;
  readonly chainId: ChainId;
  readonly currency: string;
  /** Deducted from what the wallet is owed; the payout is less by its network fee. */
  readonly amount: bigint;
  readonly recipient: string;
  readonly createdAt: UnixMs;
}

/**
 * Inventory reserved for one fixed-rate quote. Exactly while `kept`, its amount is in its lane's reserved counter and
 * its value in the counters of its API key and of all keys.
 */
export interface EarmarkRow {
  /** Of the quote. */
  readonly id: RequestId;
  readonly version: number;
  /** `claimed`: its fill took over the inventory. `refused`: its deposit is refunded. `expired`: not paid in time. */
  readonly state: 'kept' | 'claimed' | 'refused' | 'expired';
  readonly keyId: string;
  readonly originChainId: ChainId;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Micro-USD, as quoted. */
  readonly value: bigint;
  /** Deposits included by then get the fixed rate. */
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

/** Changed only by `claimLeases` and `releaseLeases`; a change set names its token (`version`) in a fence. */
export interface LeaseRow {
  readonly scope: string;
  /** Fencing token: grows each time the lease changes hands. */
  readonly version: number;
  /** Null while free. */
  readonly owner: string | null;
  /** By the store's own clock. */
  readonly expiresAt: number;
}

/** Remains for ever, so that every late payment stays attributable. */
export interface TombstoneRow {
  readonly orderId: OrderId;
  readonly requestId: RequestId;
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
  readonly addresses: AddressRow;
  readonly nonceMappings: NonceMappingRow;
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
  readonly idempotencyKeys: IdempotencyKeyRow;
  readonly holds: HoldRow;
  readonly executions: ExecutionRow;
  readonly feeClaims: FeeClaimRow;
  readonly earmarks: EarmarkRow;
  readonly sponsorships: SponsorshipRow;
  readonly balanceEvents: BalanceEventRow;
  readonly sponsorPolicies: SponsorPolicyRow;
  readonly endpoints: EndpointRow;
  readonly deliveries: DeliveryRow;
  readonly meta: MetaRow;
  readonly leases: LeaseRow;
  readonly tombstones: TombstoneRow;
}

export type TableName = keyof Tables;
