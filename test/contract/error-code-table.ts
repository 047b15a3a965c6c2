import type { ErrorCode } from '@causeway/core';

/** The producer of a code and the test that sees it; or why there is none yet. */
export type CodeRow = { readonly producer: string; readonly test: string } | { readonly later: string };

export const ERROR_CODE_TABLE: Readonly<Record<ErrorCode, CodeRow>> = {
  AMOUNT_TOO_LOW: { producer: 'core/src/quoting/tiny-swap.ts', test: 'test/contract/interface/quote-error-table.ts' },
  CHAIN_DISABLED: { producer: 'core/src/quoting/market.ts', test: 'core/test/api/quote-errors.test.ts' },
  DESTINATION_TX_FAILED: {
    producer: 'core/src/quoting/transfer-check.ts',
    test: 'test/contract/interface/quote-error-table.ts',
  },
  ERC20_ROUTER_ADDRESS_NOT_FOUND: { later: 'destination calls are not built' },
  EXTRA_TXS_NOT_SUPPORTED: { producer: 'core/src/quoting/unsupported.ts', test: 'core/test/api/quote-errors.test.ts' },
  FORBIDDEN: { producer: 'core/src/api/server/gate.ts', test: 'core/test/api/keys.test.ts' },
  INSUFFICIENT_FUNDS: { producer: 'core/src/quoting/stranded.ts', test: 'core/test/quoting/stranded.test.ts' },
  INSUFFICIENT_LIQUIDITY: { producer: 'core/src/quoting/pricing.ts', test: 'core/test/api/quote-errors.test.ts' },
  INVALID_ADDRESS: { producer: 'core/src/quoting/parties.ts', test: 'test/contract/interface/quote-error-table.ts' },
  INVALID_EXTRA_TXS: { producer: 'core/src/quoting/calls.ts', test: 'core/test/api/quote-fields.test.ts' },
  INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS: {
    producer: 'core/src/quoting/unsupported.ts',
    test: 'core/test/api/quote-fields.test.ts',
  },
  INVALID_INPUT_CURRENCY: { producer: 'core/src/quoting/route.ts', test: 'core/test/api/quote-fields.test.ts' },
  INVALID_OUTPUT_CURRENCY: { producer: 'core/src/quoting/route.ts', test: 'core/test/api/quote-fields.test.ts' },
  INVALID_RECIPIENT: { producer: 'core/src/quoting/parties.ts', test: 'test/contract/interface/quote-error-table.ts' },
  INVALID_REQUEST: { producer: 'core/src/errors/api-error.ts', test: 'core/test/api/bad-input.test.ts' },
  INVALID_SLIPPAGE_TOLERANCE: {
    producer: 'core/src/quoting/validate.ts',
    test: 'test/contract/interface/quote-error-table.ts',
  },
  METHOD_NOT_ALLOWED: { producer: 'core/src/api/server/create-api.ts', test: 'core/test/api/bad-input.test.ts' },
  NOT_FOUND: { producer: 'core/src/api/server/create-api.ts', test: 'core/test/api/bad-input.test.ts' },
  NO_INTERNAL_SWAP_ROUTES_FOUND: { later: 'quotes say NO_SWAP_ROUTES_FOUND' },
  NO_QUOTES: { producer: 'core/src/quoting/fixed-rate.ts', test: 'core/test/api/fixed-rate.test.ts' },
  NO_SWAP_ROUTES_FOUND: { producer: 'core/src/quoting/ways/no-swap.ts', test: 'core/test/quoting/swaps.test.ts' },
  PERMIT_FAILED: { producer: 'core/src/api/routes/submit-permit.ts', test: 'test/e2e/permits.test.ts' },
  PRICE_FETCH_FAILED: { producer: 'core/src/quoting/market.ts', test: 'test/contract/interface/quote-error-table.ts' },
  RATE_LIMITED: { producer: 'core/src/api/server/gate.ts', test: 'core/test/api/transport.test.ts' },
  REQUEST_NOT_FOUND: { producer: 'core/src/api/routes/status.ts', test: 'core/test/api/status.test.ts' },
  REQUEST_TIMED_OUT: {
    producer: 'core/src/quoting/transfer-check.ts',
    test: 'test/contract/interface/quote-error-table.ts',
  },
  ROUTE_TEMPORARILY_RESTRICTED: { producer: 'core/src/quoting/market.ts', test: 'core/test/api/quote-errors.test.ts' },
  RPC_HTTP_ERROR: {
    producer: 'core/src/quoting/transfer-check.ts',
    test: 'test/contract/interface/quote-error-table.ts',
  },
  SANCTIONED_CURRENCY: { later: 'currencies are not screened' },
  SANCTIONED_WALLET_ADDRESS: { producer: 'core/src/quoting/screened.ts', test: 'core/test/quoting/screened.test.ts' },
  SERVICE_UNAVAILABLE: { producer: 'core/src/quoting/market.ts', test: 'test/contract/interface/quote-error-table.ts' },
  SOLANA_TX_TOO_LARGE: { producer: 'core/src/quoting/quoter.ts', test: 'test/contract/interface/quote-error-table.ts' },
  SPONSOR_BALANCE_TOO_LOW: {
    producer: 'core/src/api/routes/execute.ts',
    test: 'test/contract/interface/execute-table.ts',
  },
  SWAP_IMPACT_TOO_HIGH: { producer: 'core/src/quoting/ways/by-swap.ts', test: 'core/test/quoting/swaps.test.ts' },
  SWAP_QUOTE_FAILED: { producer: 'core/src/quoting/ways/exchange.ts', test: 'core/test/quoting/swaps.test.ts' },
  UNAUTHORIZED: { producer: 'core/src/api/server/gate.ts', test: 'core/test/api/transport.test.ts' },
  UNKNOWN_ERROR: { producer: 'core/src/api/server/outer.ts', test: 'test/contract/interface/quote-error-table.ts' },
  UNSUPPORTED_CHAIN: { producer: 'core/src/quoting/validate.ts', test: 'core/test/api/quote-fields.test.ts' },
  UNSUPPORTED_CURRENCY: {
    producer: 'core/src/quoting/market.ts',
    test: 'test/contract/interface/quote-error-table.ts',
  },
  UNSUPPORTED_EXECUTION_TYPE: {
    producer: 'core/src/quoting/unsupported.ts',
    test: 'core/test/api/quote-fields.test.ts',
  },
  UNSUPPORTED_ROUTE: { producer: 'core/src/quoting/pricing.ts', test: 'core/test/quoting/quoter.test.ts' },
  USER_RECIPIENT_MISMATCH: { later: 'no flow is built whose recipient must be the user' },
};
