import type { RequestId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { ApiKeyRow, RequestRow } from '../../contract/store-rows.js';
import { listingFacts } from '../../domain/listing-facts.js';
import { microUsdText } from '../../domain/money.js';
import type { QuoteBody } from '../../domain/quote.js';
import { judgePolicy } from '../../domain/sponsor-policy.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import { available, balanceTooLow } from '../sponsorship/app-balance.js';
import { policyOf } from '../sponsorship/policy.js';

export interface FastFillAsk {
  readonly requestId: RequestId;
  readonly key: Pick<ApiKeyRow, 'id' | 'integratorId'>;
  /** Deposits of less are not filled fast; smallest unit. */
  readonly least: bigint | null;
  /** Micro-USD; null: no bound. */
  readonly most: bigint | null;
  /** Names the reservation. */
  readonly reservation: RequestId;
}

type Reads = Pick<Store, 'apiKey' | 'apply' | 'deposits' | 'integrator' | 'pot' | 'request' | 'sponsorPolicy'>;

/** `queued`: its deposit is decided when it is read next. `done`: it is decided already. */
export async function askFastFill(store: Reads, ask: FastFillAsk, now: number): Promise<'queued' | 'done' | ApiError> {
  const { key, least, most } = ask;
  const integrator = await store.integrator(key.integratorId);
  // guard: fast-fills-need-a-linked-balance
  if (integrator === undefined || integrator.fundingAddress === null)
    return apiError('FORBIDDEN', 'The API key has no linked funding address, and so no app balance to risk');
  const request = await store.request(ask.requestId);
  // guard: fast-fills-of-own-requests
  if (request === undefined || !(await isOwn(store, request, key)))
    return apiError('REQUEST_NOT_FOUND', 'No request of this integrator has this id and a deposit');
  const [deposit] = request.fundingKey === null ? [] : await store.deposits([request.fundingKey]);
  if (deposit === undefined) return apiError('REQUEST_NOT_FOUND', 'No deposit of this request was seen yet');
  if (deposit.decision !== 'waiting' || deposit.state === 'final') return 'done';
  const body = JSON.parse(request.body) as QuoteBody;
  if (body.fastFill !== undefined) return underWay('A fast fill of this request is under way', false);
  if (body.unquoted || request.parentRequestId !== null)
    return invalidRequest('requestId', 'is of a transfer that is no deposit of a quote');
  if (least !== null && deposit.amount < least)
    return invalidRequest('solverInputCurrencyAmount', `is more than the ${deposit.amount} that was deposited`);
  const risk = BigInt(deposit.valueUsd);
  if (most !== null && risk > most)
    return invalidRequest('maxFillAmountUsd', `is less than the value at risk, ${microUsdText(risk)} USD`);
  if (risk === 0n) return invalidRequest('requestId', 'is of a deposit without a price, whose risk is not known');
  const { expiresAt, maxPerCall } = (await policyOf(store, key.id)) ?? {};
  const rules = {
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(maxPerCall === undefined ? {} : { maxPerCall }),
  };
  // The counters are not used: what is at risk is usually not spent.
  const refusal = judgePolicy(rules, { now, amount: risk, calls: [] }, { day: 0n, month: 0n, user: 0n });
  if (refusal) return apiError('FORBIDDEN', refusal.message, { rule: refusal.rule });
  if ((await available(store, key.integratorId)) < risk) return balanceTooLow('value at risk', risk);
  const { integratorId } = key;
  const fastFill = { integratorId, keyId: key.id, reservation: ask.reservation, state: 'asked' as const };
  const marked: QuoteBody = {
    ...body,
    features: [...body.features, 'fast_fill'],
    fastFill: {
      ...fastFill,
      ...(most === null ? {} : { most: most.toString() }),
      ...(least === null ? {} : { least: least.toString() }),
    },
  };
  const set = { body: JSON.stringify(marked), ...listingFacts(marked) };
  const { id, version } = request;
  const outcome = await store.apply({
    name: 'api.fastFill',
    changes: [
      { op: 'update', table: 'requests', key: { id }, version, set },
      // A decision since then did not see the mark.
      { op: 'require', table: 'deposits', key: { fundingKey: deposit.fundingKey }, version: deposit.version },
    ],
  });
  return outcome.ok ? 'queued' : underWay('The request is being changed: ask again', true);
}

function underWay(message: string, isRetriable: boolean): ApiError {
  return new ApiError('INVALID_REQUEST', message, undefined, 409, undefined, isRetriable);
}

async function isOwn(store: Reads, { keyId }: RequestRow, { integratorId }: FastFillAsk['key']): Promise<boolean> {
  const owner = keyId === null ? undefined : await store.apiKey(keyId);
  return owner?.integratorId === integratorId;
}
