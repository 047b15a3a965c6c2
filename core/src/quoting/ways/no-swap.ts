import { type ApiError, apiError } from '../../errors/api-error.js';

export function noSwap(
  reason = 'no source of liquidity serves it',
  field: 'destinationCurrency' | 'useExternalLiquidity' = 'destinationCurrency',
): ApiError {
  return apiError('NO_SWAP_ROUTES_FOUND', `No swap leads to this currency: ${reason}`, { field, reason });
}
