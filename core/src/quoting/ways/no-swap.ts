import { type ApiError, apiError } from '../../errors/api-error.js';

export function noSwap(
  reason = 'no source of liquidity serves it',
  field: 'originCurrency' | 'destinationCurrency' | 'useExternalLiquidity' = 'destinationCurrency',
): ApiError {
  const where = field === 'originCurrency' ? 'from' : 'to';
  return apiError('NO_SWAP_ROUTES_FOUND', `No swap leads ${where} this currency: ${reason}`, { field, reason });
}
