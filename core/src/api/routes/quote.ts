import type { RequestId } from '../../contract/ids.js';
import { ApiError } from '../../errors/api-error.js';
import type { QuoteAnswer } from '../../quoting/answer.js';
import type { QuoteCaller } from '../../quoting/ask.js';
import { createFillTimes } from '../../quoting/fill-times.js';
import { createQuoter } from '../../quoting/quoter.js';
import type { Stage } from '../../quoting/stage.js';
import type { UserBalances } from '../../quoting/user-balances.js';
import { quoteSpan } from '../../tracing/trace-recorder.js';
import type { ApiDeps } from '../api.js';
import {
  IDEMPOTENCY_ERRORS,
  Idempotency,
  type IdempotencyHeaders,
  idempotencyHeaders,
} from '../idempotency/idempotency.js';
import { grantedChains, mayDo } from '../keys.js';
import { type Answer, type Call, type Caller, ok, type Route, route } from '../route.js';
import type { TypeOf } from '../schema.js';
import { QUOTE_BODY } from '../schemas/quote.js';
import { PRICE_ANSWER, QUOTE_ANSWER } from '../schemas/quote-answer.js';
import { QUOTE_ERRORS } from '../schemas/quote-errors.js';
import { crowdsOf, partyOf } from '../server/gate.js';

/** `POST /quote/v2`, `/quote` with the same body, and `/price`. Success is exactly 200. */
export function quoteRoutes(deps: ApiDeps, balances: UserBalances | undefined): readonly Route[] {
  const quoter = createQuoter({
    ...deps,
    sponsors: deps.store,
    fillTimes: createFillTimes(deps),
    ...(balances ? { balances } : {}),
  });
  const shared = {
    method: 'POST',
    tags: ['Quotes'],
    rate: 'quotes',
    scope: 'quote',
    access: 'open',
    body: QUOTE_BODY,
    errors: QUOTE_ERRORS,
  } as const;
  const idempotency = new Idempotency(deps);
  const ask = async ({ body, caller, headers }: Call<unknown, TypeOf<typeof QUOTE_BODY>, IdempotencyHeaders>) => {
    const by = asker(caller);
    const key = headers['Idempotency-Key'];
    if (key === undefined || body.useDepositAddress !== true) return quoter.quote(body, by);
    const asked = { operation: 'quote', caller, key, body };
    return idempotency.once<QuoteAnswer>(asked, (keeping) => quoter.quote(body, by, keeping));
  };
  const quote = {
    ...shared,
    summary: 'Quote a transfer',
    description:
      'The price of a transfer, its result, and the steps that start it. A quote creates no obligation until the deposit.',
    answers: { 200: QUOTE_ANSWER },
    takesHeaders: idempotencyHeaders(
      'With `useDepositAddress`: a repeated call with the same key and body gets the same response, and creates no second address.',
    ),
    errors: [...QUOTE_ERRORS, ...IDEMPOTENCY_ERRORS],
    handle: async (call: Call<unknown, TypeOf<typeof QUOTE_BODY>, IdempotencyHeaders>) =>
      answered(await counted(deps, traced(deps, ask, call))),
  };
  return [
    route({ ...quote, path: '/quote/v2', operationId: 'quoteV2' }),
    route({
      ...quote,
      path: '/quote',
      operationId: 'quote',
      summary: 'Quote a transfer, under the older path',
      deprecated: true,
    }),
    route({
      ...shared,
      path: '/price',
      operationId: 'price',
      summary: 'Price a transfer',
      description:
        'Cost and result of a quote with the same body, and the same refusals. Nothing is promised or stored: there are no steps and no request.',
      answers: { 200: PRICE_ANSWER },
      handle: async ({ body, caller }) => answered(await quoter.price(body, asker(caller))),
    }),
  ];
}

function asker({ key, address }: Caller): QuoteCaller {
  return {
    keyId: key?.id ?? null,
    party: partyOf(key, address),
    crowds: crowdsOf(key, address),
    // Who may quote for others need not be allowed to spend their balance.
    ...(key && mayDo(key, 'execute') ? { integratorId: key.integratorId } : {}),
    granted: grantedChains(key).map((uuid) => uuid.toLowerCase()),
  };
}

/** Costs nothing without a tracer. */
async function traced<C>(
  { tracers = [], clock }: ApiDeps,
  ask: (call: C) => Promise<Stage<QuoteAnswer>>,
  call: C,
): Promise<Stage<QuoteAnswer>> {
  if (tracers.length === 0) return ask(call);
  const begin = clock.now();
  const answer = await ask(call);
  const requestId = answer instanceof ApiError ? undefined : answer.steps[0]?.requestId;
  if (requestId === undefined) return answer;
  const span = quoteSpan(requestId as RequestId, begin, clock.now());
  for (const tracer of tracers) if (tracer.samples(span.traceId)) tracer.record([span]);
  return answer;
}

/** Counts outcomes of quotes. Labels are catalogue codes, so that clients cannot create new ones. */
async function counted<T extends object>({ metrics }: ApiDeps, work: Promise<Stage<T>>): Promise<Stage<T>> {
  const count = (result: string) => metrics.count('quotes', 'Quotes by result: ok, or the error code', { result });
  try {
    const result = await work;
    count(result instanceof ApiError ? result.code : 'ok');
    return result;
  } catch (error) {
    count(error instanceof ApiError ? error.code : 'UNKNOWN_ERROR');
    throw error;
  }
}

function answered(result: Stage<object>): Answer | ApiError {
  return result instanceof ApiError ? result : ok(result);
}
