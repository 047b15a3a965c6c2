import { type ApiError, apiError, ApiError as Refused } from '../../errors/api-error.js';
import type { Refusal } from '../../events/endpoints/index.js';
import type { Caller } from '../route.js';

/** The integrator whose endpoints the caller manages; undefined: all. */
export function ownerOf(caller: Caller): { readonly integratorId: string | undefined } | ApiError {
  if (caller.isOperator()) return { integratorId: undefined };
  if (caller.key === null) return apiError('UNAUTHORIZED', 'Endpoints belong to an integrator: send an API key');
  return { integratorId: caller.key.integratorId };
}

const STATUS = { notFound: 404, conflict: 409, invalid: 400 } as const;

export function endpointRefusal({ code, field, message: reason }: Refusal): ApiError {
  if (code === 'unavailable') return apiError('SERVICE_UNAVAILABLE', reason);
  return new Refused('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, STATUS[code]);
}
