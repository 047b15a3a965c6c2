import { describe, expect, it } from 'vitest';
import { ApiError, apiError, invalidRequest, payloadTooLarge } from '../../src/errors/api-error.js';
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.js';

/** Quote errors of the interface: code, status, retryable. */
const INTERFACE: readonly (readonly [ErrorCode, number, boolean])[] = [
  ['INVALID_ADDRESS', 400, false],
  ['INVALID_RECIPIENT', 400, false],
  ['INVALID_SLIPPAGE_TOLERANCE', 400, false],
  ['AMOUNT_TOO_LOW', 400, false],
  ['SOLANA_TX_TOO_LARGE', 400, false],
  ['DESTINATION_TX_FAILED', 400, false],
  ['REQUEST_TIMED_OUT', 503, true],
  ['RPC_HTTP_ERROR', 503, true],
  ['SERVICE_UNAVAILABLE', 503, true],
  ['PRICE_FETCH_FAILED', 503, true],
  ['UNSUPPORTED_CURRENCY', 400, false],
  ['UNKNOWN_ERROR', 500, false],
];

const CLIENTS = [
  'CHAIN_DISABLED',
  'EXTRA_TXS_NOT_SUPPORTED',
  'FORBIDDEN',
  'INSUFFICIENT_FUNDS',
  'INSUFFICIENT_LIQUIDITY',
  'INVALID_EXTRA_TXS',
  'INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS',
  'INVALID_INPUT_CURRENCY',
  'INVALID_OUTPUT_CURRENCY',
  'NO_INTERNAL_SWAP_ROUTES_FOUND',
  'NO_QUOTES',
  'NO_SWAP_ROUTES_FOUND',
  'ROUTE_TEMPORARILY_RESTRICTED',
  'SANCTIONED_CURRENCY',
  'SANCTIONED_WALLET_ADDRESS',
  'SWAP_IMPACT_TOO_HIGH',
  'UNAUTHORIZED',
  'UNSUPPORTED_CHAIN',
  'UNSUPPORTED_EXECUTION_TYPE',
  'UNSUPPORTED_ROUTE',
  'USER_RECIPIENT_MISMATCH',
  'ERC20_ROUTER_ADDRESS_NOT_FOUND',
  'SWAP_QUOTE_FAILED',
  'PERMIT_FAILED',
];

/** The service's additions. */
const HOUSE: readonly (readonly [ErrorCode, number])[] = [
  ['INVALID_REQUEST', 400],
  ['REQUEST_NOT_FOUND', 404],
  ['NOT_FOUND', 404],
  ['METHOD_NOT_ALLOWED', 405],
  ['RATE_LIMITED', 429],
  ['SPONSOR_BALANCE_TOO_LOW', 400],
];

describe('the error catalogue', () => {
  it.each(INTERFACE)('answers %s with %s, retriable %s', (code, status, retriable) => {
    expect(ERROR_CATALOGUE[code]).toMatchObject({ status, retriable });
  });

  it.each(HOUSE)('answers %s with %s', (code, status) => {
    expect(ERROR_CATALOGUE[code].status).toBe(status);
  });

  it('has exactly the codes of the interface, of its clients, and of the house', () => {
    const known = [...INTERFACE.map(([code]) => code), ...CLIENTS, ...HOUSE.map(([code]) => code)];
    expect(Object.keys(ERROR_CATALOGUE).sort()).toEqual([...known].sort());
  });

  it('separates who is asked from what is asked', () => {
    expect(ERROR_CATALOGUE.UNAUTHORIZED.status).toBe(401);
    expect(ERROR_CATALOGUE.FORBIDDEN.status).toBe(403);
    for (const code of CLIENTS) {
      const { status } = ERROR_CATALOGUE[code as ErrorCode];
      if (code !== 'UNAUTHORIZED' && code !== 'FORBIDDEN') expect(status).toBe(400);
    }
  });
});

describe('ApiError', () => {
  it('becomes the body that clients read', () => {
    expect(apiError('PRICE_FETCH_FAILED').toBody()).toEqual({
      message: ERROR_CATALOGUE.PRICE_FETCH_FAILED.message,
      errorCode: 'PRICE_FETCH_FAILED',
      statusCode: 503,
      retriable: true,
    });
    expect(apiError('AMOUNT_TOO_LOW', 'Too low by 1', { least: '5' }).toBody()).toEqual({
      message: 'Too low by 1',
      errorCode: 'AMOUNT_TOO_LOW',
      statusCode: 400,
      retriable: false,
      errorData: { least: '5' },
    });
  });

  it('names the field and the reason of malformed input', () => {
    const error = invalidRequest('amount', 'must be digits');
    expect(error).toBeInstanceOf(ApiError);
    expect(error.toBody()).toMatchObject({
      errorCode: 'INVALID_REQUEST',
      statusCode: 400,
      errorData: { field: 'amount', reason: 'must be digits' },
    });
  });

  it('reports a large body by its status', () => {
    expect(payloadTooLarge(262_144).toBody()).toMatchObject({ errorCode: 'INVALID_REQUEST', statusCode: 413 });
  });
});
