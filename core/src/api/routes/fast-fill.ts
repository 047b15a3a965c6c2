import { askFastFill } from '../../capabilities/fast-fill/ask-fast-fill.js';
import type { RequestId } from '../../contract/ids.js';
import { parseUnits } from '../../domain/money.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { type Call, ok, type Route, route } from '../route.js';
import type { TypeOf } from '../schema.js';
import { MESSAGE } from '../schemas/common.js';
import { FAST_FILL_BODY } from '../schemas/fast-fill.js';

const MICRO_DECIMALS = 6;

/** `POST /fast-fill`: a fill before the deposit is deep enough, at the risk of the key's app balance. */
export function fastFillRoute(deps: Pick<ApiDeps, 'store' | 'clock' | 'random'>): Route {
  return route({
    method: 'POST',
    path: '/fast-fill',
    operationId: 'fastFill',
    summary: 'Fill before the deposit is deep enough',
    description:
      'The value at risk is reserved in the app balance of the API key when the fill is decided. It is free again once the deposit is ' +
      'final, and taken where a reorg removed the deposit after its fill was signed. Without enough balance the request waits for depth as ever.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    scope: 'execute',
    body: FAST_FILL_BODY,
    answers: { 200: MESSAGE },
    errors: ['FORBIDDEN', 'REQUEST_NOT_FOUND', 'SPONSOR_BALANCE_TOO_LOW', ['INVALID_REQUEST', 409]],
    handle: async ({ caller, body }: Call<unknown, TypeOf<typeof FAST_FILL_BODY>>) => {
      if (!caller.key) return apiError('UNAUTHORIZED');
      const { solverInputCurrencyAmount: least, maxFillAmountUsd: most } = body;
      const micro = most === undefined ? null : parseUnits(String(most), MICRO_DECIMALS);
      if (micro?.ok === false) return invalidRequest('maxFillAmountUsd', micro.reason);
      const outcome = await askFastFill(
        deps.store,
        {
          requestId: body.requestId.toLowerCase() as RequestId,
          key: caller.key,
          least: least === undefined ? null : BigInt(least),
          most: micro === null ? null : micro.amount,
          reservation: deps.random.hex(32),
        },
        deps.clock.now(),
      );
      if (outcome instanceof ApiError) return outcome;
      return ok({ message: outcome === 'done' ? 'The request was decided already' : 'The fast fill is queued' });
    },
  });
}
