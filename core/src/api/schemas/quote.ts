import type { Schema } from '../route.js';

const address: Schema = { type: 'string', minLength: 1, maxLength: 256 };
const text: Schema = { type: 'string', maxLength: 1024 };
const flag: Schema = { type: 'boolean' };
const names: Schema = { type: 'array', maxItems: 256, items: { type: 'string', maxLength: 256 } };
const count: Schema = { type: 'integer', minimum: 0 };
const chainId: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/**
 * Body of `POST /quote/v2` and `/quote`. Known fields are checked, unknown ones pass (clients.md, rule 6). The slippage
 * fields are left to quoting, because what is wrong with them has an error code of its own.
 */
export const QUOTE_BODY: Schema = {
  type: 'object',
  required: [
    'user',
    'originChainId',
    'destinationChainId',
    'originCurrency',
    'destinationCurrency',
    'amount',
    'tradeType',
  ],
  properties: {
    user: address,
    recipient: address,
    originChainId: chainId,
    destinationChainId: chainId,
    originCurrency: address,
    destinationCurrency: address,
    amount: { type: 'string', maxLength: 256 },
    tradeType: { type: 'string', enum: ['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'] },
    refundTo: address,
    recoveryAddress: address,
    referrer: text,
    referrerAddress: text,
    includeProtocolData: flag,
    ttl: { type: 'integer', minimum: 1, maximum: 31_536_000 },
    appFees: {
      type: 'array',
      maxItems: 16,
      items: {
        type: 'object',
        required: ['recipient', 'fee'],
        properties: { recipient: address, fee: { type: ['string', 'integer'], maxLength: 8 } },
      },
    },
    txs: {
      type: 'array',
      maxItems: 256,
      items: {
        type: 'object',
        required: ['to', 'value', 'data'],
        properties: { to: address, value: text, data: { type: 'string' } },
      },
    },
    txsGasLimit: count,
    authorizationList: { type: 'array', maxItems: 64, items: { type: 'object' } },
    additionalData: { type: 'object' },
    refundOnOrigin: flag,
    topupGas: flag,
    topupGasAmount: text,
    enableTrueExactOutput: flag,
    explicitDeposit: flag,
    useExternalLiquidity: flag,
    useFallbacks: flag,
    usePermit: flag,
    permitExpiry: count,
    useDepositAddress: flag,
    strict: flag,
    gasLimitForDepositSpecifiedTxs: count,
    forceSolverExecution: flag,
    subsidizeFees: flag,
    subsidizeRent: flag,
    sponsoredFeeComponents: {
      type: 'array',
      maxItems: 16,
      items: { type: 'string', enum: ['execution', 'swap', 'relay', 'platform', 'app', 'rent'] },
    },
    maxSubsidizationAmount: text,
    includedSwapSources: names,
    excludedSwapSources: names,
    includedOriginSwapSources: names,
    includedDestinationSwapSources: names,
    originGasOverhead: { type: ['integer', 'string'], minimum: 0, maxLength: 78, pattern: '^[0-9]+$' },
    depositFeePayer: address,
    maxRouteLength: count,
    useSharedAccounts: flag,
    includeComputeUnitLimit: flag,
    overridePriceImpact: flag,
    disableSwapProviderPreference: flag,
    disableOriginSwaps: flag,
    fixedRate: text,
  },
};
