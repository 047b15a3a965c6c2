import type { RequestId, UnixMs } from './ids.js';

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
  readonly tier: 'default' | 'elevated';
  /** json array of the UUIDs of private chains whose requests it may see. */
  readonly privateChains: string;
  readonly createdAt: UnixMs;
  /** Not accepted from this time on; null: never expires. */
  readonly expiresAt: UnixMs | null;
  readonly replacedBy: string | null;
  readonly revokedAt: UnixMs | null;
}

export interface IntegratorRow {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  /** Payments from this address fund its app balance; unique to one integrator. Null: not linked. */
  readonly fundingAddress: string | null;
  readonly createdAt: UnixMs;
}

/** Client's metadata, stored verbatim. Written once; never moves money; deleted with its quote. */
export interface ClientMetadataRow {
  readonly requestId: RequestId;
  readonly metadata: string;
  readonly createdAt: UnixMs;
}

/**
 * What a request under an `Idempotency-Key` was answered. Written once, in the change set of what it did; repeats get it
 * again.
 */
export interface IdempotencyKeyRow {
  /** Hash of operation, caller and key, hex. */
  readonly id: string;
  /** Hash of the request's body, hex. */
  readonly fingerprint: string;
  readonly requestId: RequestId;
  /** json: the answer's body. */
  readonly answer: string;
  readonly createdAt: UnixMs;
}
