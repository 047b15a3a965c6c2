interface Entry {
  readonly status: number;
  /** An unchanged retry may succeed later. */
  readonly retriable: boolean;
  readonly message: string;
}

/**
 * Every `errorCode` of the REST interface, and others that public clients know (decision 22). Where the interface
 * defines no status, this service does.
 */
export const ERROR_CATALOGUE = {
  AMOUNT_TOO_LOW: { status: 400, retriable: false, message: 'The amount is too low' },
  CHAIN_DISABLED: { status: 400, retriable: true, message: 'The chain is paused' },
  DESTINATION_TX_FAILED: { status: 400, retriable: false, message: 'The destination transaction would fail' },
  ERC20_ROUTER_ADDRESS_NOT_FOUND: { status: 400, retriable: false, message: 'The chain has no router contract' },
  EXTRA_TXS_NOT_SUPPORTED: { status: 400, retriable: false, message: 'The destination chain executes no calls' },
  FORBIDDEN: { status: 403, retriable: false, message: 'The API key may not do this' },
  INSUFFICIENT_FUNDS: { status: 400, retriable: false, message: 'The payer holds less than the amount' },
  INSUFFICIENT_LIQUIDITY: {
    status: 400,
    retriable: true,
    message: 'The solver holds too little of the output currency',
  },
  INVALID_ADDRESS: {
    status: 400,
    retriable: false,
    message: 'The recipient is not an address of the destination chain',
  },
  INVALID_EXTRA_TXS: { status: 400, retriable: false, message: 'The calls do not add up to the amount' },
  INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS: {
    status: 400,
    retriable: false,
    message: 'The gas limit of the calls is not valid',
  },
  INVALID_INPUT_CURRENCY: { status: 400, retriable: false, message: 'The origin currency is not known on its chain' },
  INVALID_OUTPUT_CURRENCY: {
    status: 400,
    retriable: false,
    message: 'The destination currency is not known on its chain',
  },
  INVALID_RECIPIENT: { status: 400, retriable: false, message: 'The recipient is a token contract' },
  INVALID_REQUEST: { status: 400, retriable: false, message: 'The request is not valid' },
  INVALID_SLIPPAGE_TOLERANCE: {
    status: 400,
    retriable: false,
    message: 'The slippage tolerance must be an integer string from 0 to 10000',
  },
  METHOD_NOT_ALLOWED: { status: 405, retriable: false, message: 'The method is not allowed here' },
  NOT_FOUND: { status: 404, retriable: false, message: 'Nothing is served under this path' },
  NO_INTERNAL_SWAP_ROUTES_FOUND: {
    status: 400,
    retriable: false,
    message: 'No swap route was found inside the service',
  },
  NO_QUOTES: { status: 400, retriable: false, message: 'No quote is available for this pair' },
  NO_SWAP_ROUTES_FOUND: { status: 400, retriable: false, message: 'No swap route was found' },
  PERMIT_FAILED: { status: 400, retriable: false, message: 'The permit was refused' },
  PRICE_FETCH_FAILED: { status: 503, retriable: true, message: 'A price is not available now' },
  RATE_LIMITED: { status: 429, retriable: true, message: 'Too many requests' },
  REQUEST_NOT_FOUND: { status: 404, retriable: false, message: 'No request has this id' },
  REQUEST_TIMED_OUT: { status: 503, retriable: true, message: 'An upstream service did not answer in time' },
  ROUTE_TEMPORARILY_RESTRICTED: { status: 400, retriable: true, message: 'The route is paused' },
  RPC_HTTP_ERROR: { status: 503, retriable: true, message: 'An upstream RPC failed' },
  SANCTIONED_CURRENCY: { status: 400, retriable: false, message: 'The currency is not served' },
  SANCTIONED_WALLET_ADDRESS: { status: 400, retriable: false, message: 'The address is not served' },
  SERVICE_UNAVAILABLE: { status: 503, retriable: true, message: 'The service is not available now' },
  SOLANA_TX_TOO_LARGE: { status: 400, retriable: false, message: 'The deposit transaction is too large' },
  SPONSOR_BALANCE_TOO_LOW: { status: 400, retriable: false, message: 'The app balance does not cover the fees' },
  SWAP_IMPACT_TOO_HIGH: { status: 400, retriable: false, message: 'The price impact is too high' },
  SWAP_QUOTE_FAILED: { status: 400, retriable: true, message: 'The swap could not be quoted' },
  UNAUTHORIZED: { status: 401, retriable: false, message: 'A valid API key is required' },
  UNKNOWN_ERROR: { status: 500, retriable: false, message: 'An unexpected error occurred' },
  UNSUPPORTED_CHAIN: { status: 400, retriable: false, message: 'The chain is not served' },
  UNSUPPORTED_CURRENCY: { status: 400, retriable: false, message: 'The token pair cannot be priced' },
  UNSUPPORTED_EXECUTION_TYPE: { status: 400, retriable: false, message: 'This kind of execution is not served' },
  UNSUPPORTED_ROUTE: { status: 400, retriable: false, message: 'The route is not served' },
  USER_RECIPIENT_MISMATCH: { status: 400, retriable: false, message: 'The recipient must be the user here' },
} as const satisfies Readonly<Record<string, Entry>>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
