import type { Change, ChangeSet, Store, Tables } from '@causeway/core';

export const T0 = 1_700_000_000_000;

export const set = (...changes: readonly Change[]): ChangeSet => ({ name: 'test', changes });

export function insert<T extends Extract<Change, { op: 'insert' }>['table']>(table: T, row: Tables[T]): Change {
  return { op: 'insert', table, row } as Change;
}

export const legRow = (n: number, overrides: Partial<Tables['legs']> = {}): Tables['legs'] => ({
  id: `leg:${n}`,
  version: 1,
  requestId: null,
  fundingKey: null,
  kind: 'fill',
  state: 'owed',
  chainId: 1,
  signer: 's',
  currency: 'c',
  amount: BigInt(n),
  covers: 0n,
  recipient: 'r',
  orderId: null,
  deadlineAt: T0,
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

export const eventRow = (n: number): Tables['events'] => ({
  id: `event:${n}`,
  requestId: `0x${n}`,
  sequence: 1,
  kind: 'k',
  payload: '{}',
  createdAt: T0,
});

export const hintRow = (n: number, hash = '0x'): Tables['hints'] => ({
  id: `hint:${n}`,
  chainId: 1,
  hash,
  requestId: null,
  createdAt: T0,
});

export const change = (n: number, version: number, fields: Partial<Tables['legs']> = {}): Change => ({
  op: 'update',
  table: 'legs',
  key: { id: legRow(n).id },
  version,
  set: fields,
});

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

export async function applied(store: Store, ...changes: readonly Change[]): Promise<void> {
  const outcome = await store.apply(set(...changes));
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.conflict)}`);
}

export const legIds = async (store: Store): Promise<string[]> =>
  (await store.claimDue(1, 's', T0 + 1_000_000, 10_000)).map(({ id }) => id);

export const requestRow = (n: number, originChainId: number): Tables['requests'] => ({
  id: `0x${n}`,
  orderId: `0x0${n}`,
  parentRequestId: null,
  status: 'pending',
  version: 1,
  eventCount: 0,
  user: 'u',
  recipient: 'u',
  sender: null,
  refundTo: null,
  originChainId,
  destinationChainId: 1,
  originCurrency: 'c',
  destinationCurrency: 'c',
  originSymbol: 'C',
  destinationSymbol: 'C',
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
  deadlineAt: T0,
  fundingKey: null,
  failReason: null,
  refundFailReason: null,
  failed: null,
  actual: null,
  details: null,
  body: '{}',
});
