import { type ApiError, apiError } from '../../errors/api-error.js';

export function noSwap(
  reason = 'no source of liquidity serves it',
  field: 'originCurrency' | 'destinationCurrency' | 'useExternalLiquidity' = 'destinationCurrency',
): ApiError {
  const where = field === 'originCurrency' ? 'from' : 'to';
  return apiError('NO_SWAP_ROUTES_FOUND', `No swap leads ${where} this currency: ${reason}`, { field, reason });
}

/** @param reported the shortage that the closest source reports. */
export function tooMuch(reported: string): ApiError {
  const message = `There is too little liquidity for this amount: ${reported}. Ask for less, or for another currency`;
  return apiError('INSUFFICIENT_LIQUIDITY', message, { field: 'amount', reason: reported });
}
