import type { DepositRow, LegRow, RequestId, RequestRow, TransactionRow } from '../../../src/contract/index.js';
import type { InsertableTable } from '../../../src/contract/store.js';
import type { Tables } from '../../../src/contract/store-rows.js';
import { listingFacts } from '../../../src/domain/listing-facts.js';
import type { QuoteBody } from '../../../src/domain/quote.js';
import { TOKEN } from './chain-double.js';
import { ask, type RunningApi } from './running-api.js';

export const hash = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, '0')}`;

async function insert<T extends InsertableTable>(api: RunningApi, table: T, row: Tables[T]): Promise<void> {
  const outcome = await api.store.apply({ name: 'test', changes: [{ op: 'insert', table, row } as never] });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}

/** A quote's request after its deposit, as the engine writes it. */
export async function requestOf(
  api: RunningApi,
  change: Readonly<Record<string, unknown>> = {},
  row: Partial<RequestRow> = {},
): Promise<RequestRow> {
  const { status, body } = await api.call('POST', '/quote/v2', { body: ask(change) });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return requestOfQuote(api, body.steps[0].requestId, row);
}

/** The same for an existing quote or its child. */
export async function requestOfQuote(
  api: RunningApi,
  id: RequestId,
  row: Partial<RequestRow> = {},
): Promise<RequestRow> {
  const quote = await api.store.quote(id);
  if (!quote) throw new Error('no quote');
  const promise = JSON.parse(quote.body) as QuoteBody;
  const request: RequestRow = {
    id: quote.id,
    orderId: quote.orderId,
    parentRequestId: null,
    status: 'pending',
    version: 1,
    eventCount: 1,
    user: quote.user,
    recipient: quote.recipient,
    sender: quote.user,
    refundTo: promise.refundTo,
    originChainId: quote.originChainId,
    destinationChainId: quote.destinationChainId,
    originCurrency: promise.origin.currency,
    destinationCurrency: promise.destination.currency,
    originSymbol: promise.origin.symbol,
    destinationSymbol: promise.destination.symbol,
    requestType: promise.requestType,
    network: quote.network,
    keyId: quote.keyId,
    referrer: quote.referrer,
    amountUsd: quote.amountUsd,
    ...listingFacts(promise),
    fillTimeMs: null,
    depositAddress: null,
    depositor: null,
    createdAt: quote.createdAt,
    updatedAt: quote.createdAt + 1,
    deadlineAt: quote.deadlineAt,
    fundingKey: null,
    failReason: null,
    refundFailReason: null,
    failed: null,
    actual: JSON.stringify({ amountIn: promise.amountIn, currencyIn: TOKEN, amountOut: null }),
    details: null,
    body: quote.body,
    ...row,
  };
  await insert(api, 'requests', request);
  return request;
}

export async function transactionOf(
  api: RunningApi,
  requestId: RequestId,
  role: TransactionRow['role'],
  n: number,
  row: Partial<TransactionRow> = {},
): Promise<void> {
  await insert(api, 'transactions', {
    id: `${requestId}:${role}:${n}`,
    version: 1,
    requestId,
    role,
    chainId: role === 'deposit' || role === 'refund' ? 1 : 2,
    hash: hash(n),
    block: n,
    timestamp: 1_700_000_000 + n,
    status: role === 'failed' ? 'failure' : 'success',
    entry: null,
    ...row,
  });
}

export function depositOf(api: RunningApi, request: RequestRow, n: number): Promise<void> {
  const row: DepositRow = {
    fundingKey: `1:${hash(n)}:0`,
    version: 1,
    chainId: 1,
    transactionHash: hash(n),
    currency: TOKEN,
    amount: 100_000_000n,
    depositor: request.user,
    orderId: request.orderId,
    state: 'final',
    height: n,
    blockId: hash(n),
    blockTime: 1,
    seenAt: 1,
    requestId: request.id,
    decision: 'fill',
    valueUsd: 1,
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
  };
  return insert(api, 'deposits', row);
}

export function refundLegOf(api: RunningApi, request: RequestRow, amount: bigint): Promise<void> {
  return insert(api, 'legs', refundLeg(request, amount));
}

export function fillLegOf(api: RunningApi, request: RequestRow, includedAt: number): Promise<void> {
  const { id, fundingKey, recipient } = request;
  const leg: LegRow = { ...refundLeg(request, 1n), id: `fill:${id}`, fundingKey, kind: 'fill', chainId: 2, recipient };
  return insert(api, 'legs', { ...leg, includedAt });
}

function refundLeg(request: RequestRow, amount: bigint): LegRow {
  return {
    id: `refund:1:${request.id}`,
    version: 1,
    requestId: request.id,
    fundingKey: null,
    kind: 'refund',
    state: 'done',
    chainId: 1,
    signer: TOKEN,
    currency: TOKEN,
    amount,
    covers: amount,
    recipient: request.user,
    orderId: request.orderId,
    deadlineAt: 1,
    key: null,
    reason: null,
    dueAt: 1,
    includedAt: null,
    claimedAt: null,
    work: null,
    spent: 0n,
    releasedBy: null,
    reverts: 0,
    closings: 0,
    joined: null,
    createdAt: 1,
  };
}
