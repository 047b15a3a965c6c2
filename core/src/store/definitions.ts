import type { TableName, Tables } from '../contract/store-rows.js';

/**
 * How a field is kept. `big` is a bigint in the smallest unit (decimal text on SQLite, numeric(78,0) on PostgreSQL),
 * `int` a safe integer, `json` serialised text whose shape its writer owns, `bool` 0 or 1 on SQLite.
 */
export type ColumnType = 'text' | 'int' | 'big' | 'json' | 'bool';

type TypeOf<V> = [NonNullable<V>] extends [bigint]
  ? 'big'
  : [NonNullable<V>] extends [boolean]
    ? 'bool'
    : [NonNullable<V>] extends [number]
      ? 'int'
      : 'text' | 'json';

/** An event's position is assigned by the database and so no field to write. */
type Stored<T extends TableName> = Exclude<keyof Tables[T], T extends 'events' ? 'position' : never>;

type Columns<T extends TableName> = { readonly [F in Stored<T>]-?: TypeOf<Tables[T][F]> };

interface Definition<T extends TableName> {
  readonly columns: Columns<T>;
  /** Primary key. */
  readonly key: readonly (keyof Columns<T>)[];
  /** Further unique keys: two nulls are never the same. `whenNull` makes one hold only among rows where that field is null. */
  readonly unique?: readonly { readonly fields: readonly (keyof Columns<T>)[]; readonly whenNull?: keyof Columns<T> }[];
}

/** Every table and column, as data. Migrations are history and do not read it; a test compares the two. */
export const DEFINITIONS: { readonly [T in TableName]: Definition<T> } = {
  quotes: {
    columns: {
      id: 'text',
      orderId: 'text',
      createdAt: 'int',
      expiresAt: 'int',
      deadlineAt: 'int',
      ttlAt: 'int',
      user: 'text',
      recipient: 'text',
      originChainId: 'int',
      destinationChainId: 'int',
      network: 'text',
      keyId: 'text',
      referrer: 'text',
      parentRequestId: 'text',
      amountUsd: 'int',
      body: 'json',
    },
    key: ['id'],
    unique: [{ fields: ['orderId'] }],
  },
  requests: {
    columns: {
      id: 'text',
      orderId: 'text',
      parentRequestId: 'text',
      status: 'text',
      version: 'int',
      eventCount: 'int',
      user: 'text',
      recipient: 'text',
      sender: 'text',
      refundTo: 'text',
      originChainId: 'int',
      destinationChainId: 'int',
      originCurrency: 'text',
      destinationCurrency: 'text',
      originSymbol: 'text',
      destinationSymbol: 'text',
      requestType: 'text',
      network: 'text',
      keyId: 'text',
      referrer: 'text',
      amountUsd: 'int',
      features: 'int',
      appFeesUsd: 'int',
      fillTimeMs: 'int',
      depositAddress: 'text',
      depositor: 'text',
      createdAt: 'int',
      updatedAt: 'int',
      deadlineAt: 'int',
      fundingKey: 'text',
      failReason: 'text',
      refundFailReason: 'text',
      failed: 'json',
      actual: 'json',
      details: 'text',
      body: 'json',
    },
    key: ['id'],
    unique: [{ fields: ['orderId'], whenNull: 'parentRequestId' }],
  },
  deposits: {
    columns: {
      fundingKey: 'text',
      version: 'int',
      chainId: 'int',
      transactionHash: 'text',
      currency: 'text',
      amount: 'big',
      depositor: 'text',
      orderId: 'text',
      state: 'text',
      height: 'int',
      blockId: 'text',
      blockTime: 'int',
      seenAt: 'int',
      requestId: 'text',
      decision: 'text',
      valueUsd: 'int',
      collectable: 'big',
      collectLegId: 'text',
      witnessed: 'text',
      rivalHeight: 'int',
      rivalBlockId: 'text',
    },
    key: ['fundingKey'],
  },
  legs: {
    columns: {
      id: 'text',
      version: 'int',
      requestId: 'text',
      fundingKey: 'text',
      kind: 'text',
      state: 'text',
      chainId: 'int',
      signer: 'text',
      currency: 'text',
      amount: 'big',
      covers: 'big',
      recipient: 'text',
      orderId: 'text',
      deadlineAt: 'int',
      key: 'text',
      reason: 'text',
      dueAt: 'int',
      includedAt: 'int',
      claimedAt: 'int',
      work: 'big',
      spent: 'big',
      releasedBy: 'text',
      reverts: 'int',
      closings: 'int',
      createdAt: 'int',
    },
    key: ['id'],
  },
  keys: {
    columns: {
      id: 'text',
      version: 'int',
      chainId: 'int',
      signer: 'text',
      key: 'text',
      state: 'text',
      includedHash: 'text',
      includedHeight: 'int',
      inclusion: 'json',
      attemptCount: 'int',
      firstSentAt: 'int',
      lastSentAt: 'int',
      lastSentHeight: 'int',
      closing: 'bool',
      createdAt: 'int',
    },
    key: ['id'],
  },
  attempts: {
    columns: {
      id: 'text',
      version: 'int',
      keyId: 'text',
      chainId: 'int',
      signer: 'text',
      n: 'int',
      hash: 'text',
      bytes: 'text',
      fees: 'text',
      state: 'text',
      signedAt: 'int',
      sentAt: 'int',
      message: 'text',
    },
    key: ['id'],
    unique: [{ fields: ['chainId', 'hash'] }],
  },
  attemptLegs: { columns: { attemptId: 'text', legId: 'text' }, key: ['attemptId', 'legId'] },
  lanes: {
    columns: {
      id: 'text',
      version: 'int',
      chainId: 'int',
      signer: 'text',
      position: 'text',
      halted: 'text',
    },
    key: ['id'],
  },
  cursors: {
    columns: {
      chainId: 'int',
      version: 'int',
      cursor: 'text',
      headHeight: 'int',
      headTime: 'int',
      finalHeight: 'int',
      finalTime: 'int',
    },
    key: ['chainId'],
  },
  postings: {
    columns: { groupId: 'text', account: 'text', amount: 'big', requestId: 'text', legId: 'text', createdAt: 'int' },
    key: ['groupId', 'account'],
  },
  pots: { columns: { account: 'text', amount: 'big' }, key: ['account'] },
  events: {
    columns: { id: 'text', requestId: 'text', sequence: 'int', kind: 'text', payload: 'json', createdAt: 'int' },
    key: ['id'],
    unique: [{ fields: ['requestId', 'sequence'] }],
  },
  transactions: {
    columns: {
      id: 'text',
      version: 'int',
      requestId: 'text',
      role: 'text',
      chainId: 'int',
      hash: 'text',
      block: 'int',
      timestamp: 'int',
      status: 'text',
      entry: 'json',
    },
    key: ['id'],
  },
  apiKeys: {
    columns: {
      id: 'text',
      version: 'int',
      name: 'text',
      prefix: 'text',
      hash: 'text',
      integratorId: 'text',
      scopes: 'json',
      tier: 'text',
      privateChains: 'json',
      createdAt: 'int',
      expiresAt: 'int',
      replacedBy: 'text',
      revokedAt: 'int',
    },
    key: ['id'],
    unique: [{ fields: ['hash'] }],
  },
  integrators: {
    columns: { id: 'text', version: 'int', name: 'text', fundingAddress: 'text', createdAt: 'int' },
    key: ['id'],
    unique: [{ fields: ['fundingAddress'] }],
  },
  pauses: {
    columns: { scope: 'text', version: 'int', paused: 'bool', reason: 'text', changedAt: 'int' },
    key: ['scope'],
  },
  hints: {
    columns: { id: 'text', chainId: 'int', hash: 'text', requestId: 'text', createdAt: 'int' },
    key: ['id'],
  },
  clientMetadata: { columns: { requestId: 'text', metadata: 'json', createdAt: 'int' }, key: ['requestId'] },
  holds: {
    columns: {
      id: 'text',
      version: 'int',
      requestId: 'text',
      fundingKey: 'text',
      transactionHash: 'text',
      chainId: 'int',
      currency: 'text',
      amount: 'big',
      reason: 'text',
      state: 'text',
      createdAt: 'int',
    },
    key: ['id'],
  },
  meta: { columns: { key: 'text', version: 'int', value: 'text' }, key: ['key'] },
  leases: { columns: { scope: 'text', version: 'int', owner: 'text', expiresAt: 'int' }, key: ['scope'] },
  tombstones: {
    columns: {
      orderId: 'text',
      requestId: 'text',
      refundTo: 'text',
      originChainId: 'int',
      keyId: 'text',
      deadlineAt: 'int',
      createdAt: 'int',
    },
    key: ['orderId'],
  },
};
