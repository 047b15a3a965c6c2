import type { Hex } from '../contract/ids.js';
import type { Change, ChangeSet } from '../contract/store.js';
import type { Tables } from '../contract/store-rows.js';

/** Valid without overrides; `n` makes the unique keys. */
type Fixture<T extends keyof Tables> = (n: number, overrides?: Partial<Tables[T]>) => Tables[T];

export const T0 = 1_700_000_000_000;

/** 32 bytes, unique per kind and `n`. */
export function hex(kind: number, n: number): Hex {
  return `0x${kind.toString(16).padStart(2, '0')}${n.toString(16).padStart(62, '0')}`;
}

export const requestId = (n: number): Hex => hex(0xa1, n);
export const orderId = (n: number): Hex => hex(0xb2, n);
export const fundingKey = (n: number): string => `901:${hex(0xc3, n)}:0`;
export const hash = (n: number): Hex => hex(0xd4, n);
const user = hex(0xee, 1);

export const quoteRow: Fixture<'quotes'> = (n, overrides) => ({
  id: requestId(n),
  orderId: orderId(n),
  createdAt: T0 + n,
  expiresAt: T0 + n + 30_000,
  deadlineAt: T0 + n + 600_000,
  ttlAt: null,
  user,
  recipient: user,
  originChainId: 901,
  destinationChainId: 902,
  network: 'local',
  keyId: null,
  referrer: 'someone',
  parentRequestId: null,
  amountUsd: 12_345_678,
  body: '{"n":1}',
  ...overrides,
});

export const requestRow: Fixture<'requests'> = (n, overrides) => ({
  id: requestId(n),
  orderId: orderId(n),
  parentRequestId: null,
  status: 'pending',
  version: 1,
  eventCount: 0,
  user,
  recipient: user,
  sender: null,
  refundTo: null,
  originChainId: 901,
  destinationChainId: 902,
  originCurrency: '0xin',
  destinationCurrency: '0xout',
  originSymbol: 'IN',
  destinationSymbol: 'OUT',
  requestType: 'Bridge',
  network: 'local',
  keyId: null,
  referrer: null,
  amountUsd: null,
  features: 0,
  appFeesUsd: 0,
  fillTimeMs: null,
  depositAddress: null,
  depositor: null,
  createdAt: T0 + n,
  updatedAt: T0 + n,
  deadlineAt: T0 + 600_000,
  fundingKey: null,
  failReason: null,
  refundFailReason: null,
  failed: null,
  actual: null,
  details: null,
  body: `{"text":"quotes ' \\" and ünï¢ode \u{1F680}"}`,
  ...overrides,
});

export const depositRow: Fixture<'deposits'> = (n, overrides) => ({
  fundingKey: fundingKey(n),
  version: 1,
  chainId: 901,
  transactionHash: hash(n),
  currency: '0xin',
  amount: 2n ** 255n + BigInt(n),
  depositor: user,
  orderId: orderId(n),
  state: 'included',
  height: 100 + n,
  blockId: hash(n),
  blockTime: T0,
  seenAt: T0 + n,
  requestId: requestId(n),
  decision: 'waiting',
  valueUsd: 5,
  collectable: null,
  collectLegId: null,
  witnessed: null,
  rivalHeight: null,
  rivalBlockId: null,
  paidWith: null,
  depositAddress: null,
  salt: null,
  sweptAt: null,
  senderNonce: null,
  ...overrides,
});

export const addressRow: Fixture<'addresses'> = (n, overrides) => ({
  id: `901:address-${n}`,
  version: 1,
  chainId: 901,
  address: `address-${n}`,
  salt: requestId(n),
  orderId: orderId(n),
  type: 'strict',
  keyId: null,
  createdAt: T0 + n,
  hotUntil: T0 + 1_000_000,
  ...overrides,
});

export const nonceMappingRow: Fixture<'nonceMappings'> = (n, overrides) => ({
  id: `901:${user}:${n}`,
  orderId: orderId(n),
  chainId: 901,
  signatureChainId: 1,
  signature: hash(n),
  createdAt: T0 + n,
  ...overrides,
});

export const legRow: Fixture<'legs'> = (n, overrides) => ({
  id: `fill:${orderId(n)}`,
  version: 1,
  requestId: requestId(n),
  fundingKey: fundingKey(n),
  kind: 'fill',
  state: 'owed',
  chainId: 902,
  signer: 'filler',
  currency: '0xout',
  amount: 10n ** 30n,
  covers: 0n,
  recipient: user,
  orderId: orderId(n),
  deadlineAt: T0 + 600_000,
  key: null,
  reason: null,
  dueAt: T0,
  includedAt: null,
  claimedAt: null,
  work: null,
  spent: 0n,
  releasedBy: null,
  reverts: 0,
  closings: 0,
  joined: null,
  createdAt: T0 + n,
  ...overrides,
});

export const keyRow: Fixture<'keys'> = (n, overrides) => ({
  id: `902:${n}`,
  version: 1,
  chainId: 902,
  signer: 'filler',
  key: String(n),
  state: 'open',
  includedHash: null,
  includedHeight: null,
  inclusion: null,
  attemptCount: 1,
  firstSentAt: null,
  lastSentAt: null,
  lastSentHeight: null,
  closing: false,
  createdAt: T0,
  ...overrides,
});

export const attemptRow: Fixture<'attempts'> = (n, overrides) => ({
  id: `902:${n}#1`,
  version: 1,
  keyId: `902:${n}`,
  chainId: 902,
  signer: 'filler',
  n: 1,
  hash: hash(n),
  bytes: '0x02f8',
  fees: '{}',
  state: 'signed',
  signedAt: T0,
  sentAt: null,
  message: null,
  ...overrides,
});

export const attemptLegRow: Fixture<'attemptLegs'> = (n, overrides) => ({
  attemptId: `902:${n}#1`,
  legId: `fill:${orderId(n)}`,
  ...overrides,
});

export const laneRow: Fixture<'lanes'> = (n, overrides) => ({
  id: `902:filler${n}`,
  version: 1,
  chainId: 902,
  signer: `filler${n}`,
  position: '7',
  halted: null,
  ...overrides,
});

export const cursorRow: Fixture<'cursors'> = (n, overrides) => ({
  chainId: n,
  version: 1,
  cursor: '{}',
  headHeight: 10,
  headTime: T0,
  finalHeight: 5,
  finalTime: T0 - 5_000,
  ...overrides,
});

export const eventRow: Fixture<'events'> = (n, overrides) => ({
  id: `event-${n}`,
  requestId: requestId(n),
  sequence: 1,
  kind: 'request.status.updated',
  payload: '{}',
  createdAt: T0,
  ...overrides,
});

export const transactionRow: Fixture<'transactions'> = (n, overrides) => ({
  id: `${requestId(n)}:deposit:901:${hash(n)}`,
  version: 1,
  requestId: requestId(n),
  role: 'deposit',
  chainId: 901,
  hash: hash(n),
  block: 100,
  timestamp: 1_700_000_000,
  status: 'success',
  entry: null,
  ...overrides,
});

export const apiKeyRow: Fixture<'apiKeys'> = (n, overrides) => ({
  id: `key-${n}`,
  version: 1,
  name: null,
  prefix: 'cw_',
  hash: `hash-${n}`,
  integratorId: 'integrator',
  scopes: '["*"]',
  tier: 'default',
  privateChains: '[]',
  createdAt: T0 + n,
  expiresAt: null,
  replacedBy: null,
  revokedAt: null,
  ...overrides,
});

export const integratorRow: Fixture<'integrators'> = (n, overrides) => ({
  id: `integrator-${n}`,
  version: 1,
  name: `Integrator ${n}`,
  fundingAddress: null,
  createdAt: T0 + n,
  ...overrides,
});

export const pauseRow: Fixture<'pauses'> = (n, overrides) => ({
  scope: `chain:${n}`,
  version: 1,
  paused: true,
  reason: null,
  changedAt: T0,
  ...overrides,
});

export const hintRow: Fixture<'hints'> = (n, overrides) => ({
  id: `hint-${n}`,
  chainId: 901,
  hash: hash(n),
  requestId: null,
  createdAt: T0,
  ...overrides,
});

export const clientMetadataRow: Fixture<'clientMetadata'> = (n, overrides) => ({
  requestId: requestId(n),
  metadata: JSON.stringify({ orderNumber: n }),
  createdAt: T0 + n,
  ...overrides,
});

export const idempotencyKeyRow: Fixture<'idempotencyKeys'> = (n, overrides) => ({
  id: `idempotent-${n}`,
  fingerprint: hash(n),
  requestId: requestId(n),
  answer: JSON.stringify({ n, text: 'é \u0000 "x"' }),
  createdAt: T0 + n,
  ...overrides,
});

export const holdRow: Fixture<'holds'> = (n, overrides) => ({
  id: `hold-${n}`,
  version: 1,
  requestId: requestId(n),
  fundingKey: fundingKey(n),
  transactionHash: hash(n),
  chainId: 901,
  currency: '0xin',
  amount: 5n,
  reason: 'AMOUNT_TOO_LOW_TO_REFUND',
  state: 'open',
  createdAt: T0 + n,
  ...overrides,
});

export const executionRow: Fixture<'executions'> = (n, overrides) => ({
  id: `901:${hash(n)}:0`,
  version: 1,
  requestId: requestId(n),
  chainId: 901,
  transactionHash: hash(n),
  state: 'included',
  height: 100 + n,
  blockId: `0xblock${n}`,
  blockTime: T0 + n,
  amountIn: 10n ** 20n,
  amountOut: 9n,
  fee: 1n,
  seenAt: T0 + n,
  ...overrides,
});

export const feeClaimRow: Fixture<'feeClaims'> = (n, overrides) => ({
  id: hash(n),
  legId: legRow(n).id,
  wallet: '0xwallet',
  chainId: 901,
  currency: '0xin',
  amount: 7n,
  recipient: '0xto',
  createdAt: T0 + n,
  ...overrides,
});

export const sponsorshipRow: Fixture<'sponsorships'> = (n, overrides) => ({
  id: `sponsorship-${n}`,
  version: 1,
  requestId: requestId(n),
  integratorId: 'integrator-1',
  amount: 5n,
  taken: null,
  counters: null,
  createdAt: T0 + n,
  endedAt: null,
  ...overrides,
});

export const balanceEventRow: Fixture<'balanceEvents'> = (n, overrides) => ({
  id: `credit:${n}`,
  integratorId: 'integrator-1',
  kind: 'credit',
  amount: BigInt(n),
  requestId: null,
  chainId: null,
  currency: null,
  transactionHash: null,
  reason: null,
  createdAt: T0 + n,
  ...overrides,
});

export const sponsorPolicyRow: Fixture<'sponsorPolicies'> = (n, overrides) => ({
  id: `key-${n}`,
  version: 1,
  policy: '{}',
  updatedAt: T0 + n,
  ...overrides,
});

export const earmarkRow: Fixture<'earmarks'> = (n, overrides) => ({
  id: requestId(n),
  version: 1,
  state: 'kept',
  keyId: 'key-1',
  originChainId: 901,
  chainId: 902,
  signer: 'filler',
  currency: '0xout',
  amount: 5n,
  value: 7n,
  expiresAt: T0 + n,
  deadlineAt: T0 + 1_000 + n,
  createdAt: T0,
  ...overrides,
});

export const endpointRow: Fixture<'endpoints'> = (n, overrides) => ({
  id: `endpoint-${n}`,
  version: 1,
  channel: 'post',
  shard: n % 8,
  integratorId: null,
  url: null,
  settings: '{}',
  sealed: null,
  state: 'active',
  reason: null,
  fromPosition: 0,
  failingSince: null,
  createdAt: T0 + n,
  updatedAt: T0 + n,
  ...overrides,
});

/** Of the fixtures' n-th event, for one endpoint. */
export const deliveryRow: Fixture<'deliveries'> = (n, overrides) => ({
  id: `endpoint-1/event-${n}`,
  version: 1,
  endpointId: 'endpoint-1',
  eventId: `event-${n}`,
  position: n,
  requestId: requestId(n),
  sequence: 1,
  state: 'due',
  dueAt: T0 + n,
  attempts: 0,
  firstTriedAt: null,
  lastError: null,
  answerStatus: null,
  answer: null,
  createdAt: T0 + n,
  updatedAt: T0 + n,
  ...overrides,
});

export const metaRow: Fixture<'meta'> = (n, overrides) => ({
  key: `anchor:${n}`,
  version: 1,
  value: 'x',
  ...overrides,
});

/** One balanced posting between two accounts. */
export function move(groupId: string, from: string, to: string, amount: bigint): Change {
  const line = { groupId, requestId: null, legId: null, createdAt: T0 };
  return {
    op: 'post',
    lines: [
      { ...line, account: from, amount: -amount },
      { ...line, account: to, amount },
    ],
  };
}

export function insert<T extends Extract<Change, { op: 'insert' }>['table']>(
  table: T,
  row: Tables[T],
  ifAbsent?: boolean,
): Change {
  return { op: 'insert', table, row, ...(ifAbsent === undefined ? {} : { ifAbsent }) } as Change;
}

export function changeSet(...changes: Change[]): ChangeSet {
  return { name: 'conformance', changes };
}
