import type { OpenKey, RequestView } from '../contract/store.js';
import type { DepositRow, LegRow } from '../contract/store-rows.js';
import type { SpanAttribute, TraceSpan } from '../contract/tracing.js';
import { ROOT, spanIdOf, traceIdOf } from './ids.js';

export interface TracedRequest extends Pick<RequestView, 'request' | 'deposits' | 'legs'> {
  readonly keys: readonly OpenKey[];
}

/**
 * The life of a request as the ledger recorded it: the wait for its deposit, each deposit until it was decided, each payment
 * until it was included, and each transaction that was signed for it. Times of different processes' clocks may overlap.
 */
export function requestSpans(traced: TracedRequest, endedAt: number): readonly TraceSpan[] {
  const { request, deposits, legs } = traced;
  const { id, status, originChainId, destinationChainId, amountUsd, failReason } = request;
  const firstSeen = Math.min(...deposits.map(({ seenAt }) => seenAt));
  return [
    span(traced, ROOT, undefined, [request.createdAt, endedAt], status === 'failure', {
      ...{ 'causeway.order_id': request.orderId, 'causeway.status': status },
      ...{ 'causeway.origin_chain_id': originChainId, 'causeway.destination_chain_id': destinationChainId },
      ...(amountUsd === null ? {} : { 'causeway.amount_micro_usd': amountUsd }),
      ...(failReason === null ? {} : { 'causeway.fail_reason': failReason }),
    }),
    ...(deposits.length === 0
      ? []
      : [span(traced, 'wait for the deposit', ROOT, [request.createdAt, firstSeen], false)]),
    ...deposits.map((deposit) => depositSpan(traced, deposit)),
    ...legs.map((leg) => legSpan(traced, leg, endedAt)),
    ...traced.keys.flatMap((key) => attemptSpans(traced, key)),
  ].map((one) => ({ ...one, attributes: { ...one.attributes, 'causeway.request_id': id } }));
}

function depositSpan(traced: TracedRequest, { fundingKey, chainId, seenAt, state, ...row }: DepositRow): TraceSpan {
  const own = traced.legs.filter((leg) => leg.fundingKey === fundingKey).map(({ createdAt }) => createdAt);
  const decidedAt = own.length === 0 ? seenAt : Math.min(...own);
  return span(
    traced,
    'deposit',
    ROOT,
    [seenAt, decidedAt],
    state === 'vanished',
    {
      ...{ 'causeway.chain_id': chainId, 'causeway.tx_hash': row.transactionHash, 'causeway.decision': row.decision },
    },
    fundingKey,
  );
}

function legSpan(traced: TracedRequest, leg: LegRow, endedAt: number): TraceSpan {
  const { id, kind, chainId, signer, state, createdAt, includedAt, reason } = leg;
  const isFailed = includedAt === null && ['closed', 'void'].includes(state);
  return span(
    traced,
    kind,
    ROOT,
    [createdAt, includedAt ?? Math.max(createdAt, endedAt)],
    isFailed,
    {
      ...{ 'causeway.chain_id': chainId, 'causeway.signer': signer, 'causeway.state': state },
      ...(reason === null ? {} : { 'causeway.reason': reason }),
    },
    id,
  );
}

/** A transaction may pay legs of other requests too: those are not named. */
function attemptSpans(traced: TracedRequest, { key, attempts }: OpenKey): readonly TraceSpan[] {
  return attempts.flatMap(({ hash, chainId, n, state, signedAt, sentAt, legIds }) => {
    const leg = traced.legs.find(({ id }) => legIds.includes(id));
    if (leg === undefined) return [];
    const includedAt = key.includedHash === hash ? leg.includedAt : null;
    const attributes = {
      'causeway.chain_id': chainId,
      'causeway.tx_hash': hash,
      'causeway.attempt': n,
      'causeway.state': state,
    };
    const end = includedAt ?? sentAt ?? signedAt;
    return [
      span(traced, 'transaction', `${leg.kind}/${leg.id}`, [signedAt, end], false, attributes, `${leg.id}/${hash}`),
    ];
  });
}

function span(
  { request }: Pick<TracedRequest, 'request'>,
  name: string,
  parent: string | undefined,
  [startedAt, endedAt]: readonly [number, number],
  failed: boolean,
  attributes: Readonly<Record<string, SpanAttribute>> = {},
  key?: string,
): TraceSpan {
  return {
    name,
    traceId: traceIdOf(request.id),
    spanId: spanIdOf(request.id, key === undefined ? name : `${name}/${key}`),
    ...(parent === undefined ? {} : { parentId: spanIdOf(request.id, parent) }),
    startedAt,
    // Clocks of two processes may differ.
    endedAt: Math.max(startedAt, endedAt),
    failed,
    attributes,
  };
}
