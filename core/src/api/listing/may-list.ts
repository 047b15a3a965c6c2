import { type ApiError, apiError } from '../../errors/api-error.js';
import type { ApiOptions } from '../api.js';
import type { Caller } from '../route.js';

export function mayList(
  query: { readonly user?: string; readonly id?: string },
  caller: Caller,
  { anonymousRead }: Pick<ApiOptions, 'anonymousRead'>,
): ApiError | undefined {
  if (caller.key || caller.isOperator()) return undefined;
  const anonymous = anonymousRead === 'by-user-or-id';
  if (anonymous && (query.user !== undefined || query.id !== undefined)) return undefined;
  return apiError('UNAUTHORIZED', anonymous ? 'Without an API key, name a user or an id' : undefined);
}
