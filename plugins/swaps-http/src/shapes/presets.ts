import type { Shape } from './shape.js';

const ALIAS = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

export interface Preset extends Shape {
  readonly url: string;
}

const paraSwapPrices = (side: 'SELL' | 'BUY') =>
  `/prices?network={chainId}&srcToken={sellToken}&srcDecimals={sellDecimals}&destToken={buyToken}&destDecimals={buyDecimals}&amount={amount}&side=${side}&version=6.2`;

const PARASWAP_READS = {
  amountIn: '/priceRoute/srcAmount',
  amountOut: '/priceRoute/destAmount',
  spender: '/priceRoute/tokenTransferProxy',
  gas: '/priceRoute/gasCost',
  height: '/priceRoute/blockNumber',
} as const;

/** The limit is an amount, which avoids the rounding of a percentage. */
const paraSwapBuild = (srcAmount: string, destAmount: string) =>
  ({
    method: 'POST',
    path: '/transactions/{chainId}?ignoreChecks=true',
    body: {
      ...{ srcToken: '{sellToken}', srcDecimals: '{sellDecimals}', srcAmount },
      ...{ destToken: '{buyToken}', destDecimals: '{buyDecimals}', destAmount },
      ...{ userAddress: '{payer}', receiver: '{recipient}', priceRoute: 'answer:/priceRoute' },
    },
    read: { to: '/to', data: '/data', value: '/value' },
  }) as const;

export const PRESETS = {
  /** 0x v2, allowance holder: a price, then a firm quote. Pays the caller. Exact inputs only. */
  zeroEx: {
    url: 'https://api.0x.org',
    native: ALIAS,
    pays: 'payer',
    exactInput: {
      quote: {
        method: 'GET',
        path: '/swap/allowance-holder/price?chainId={chainId}&sellToken={sellToken}&buyToken={buyToken}&sellAmount={amount}',
        read: {
          ...{ amountIn: '/sellAmount', amountOut: '/buyAmount', gas: '/gas', height: '/blockNumber' },
          available: '/liquidityAvailable',
        },
      },
      build: {
        method: 'GET',
        path: '/swap/allowance-holder/quote?chainId={chainId}&sellToken={sellToken}&buyToken={buyToken}&sellAmount={amount}&taker={payer}&slippageBps={slippageBps}',
        read: {
          ...{ amountIn: '/sellAmount', amountOut: '/buyAmount', spender: '/allowanceTarget', height: '/blockNumber' },
          ...{ to: '/transaction/to', data: '/transaction/data', value: '/transaction/value' },
          ...{ gas: '/transaction/gas', available: '/liquidityAvailable' },
        },
      },
    },
  },
  /** 1inch v6: a quote, then a swap. It names no spender: list the one there is. Exact inputs only. */
  oneInch: {
    url: 'https://api.1inch.dev/swap/v6.0',
    native: ALIAS,
    pays: 'recipient',
    exactInput: {
      quote: {
        method: 'GET',
        path: '/{chainId}/quote?src={sellToken}&dst={buyToken}&amount={amount}&includeGas=true',
        read: { amountOut: '/dstAmount', gas: '/gas' },
      },
      build: {
        method: 'GET',
        path: '/{chainId}/swap?src={sellToken}&dst={buyToken}&amount={amount}&from={payer}&origin={payer}&receiver={recipient}&slippage={slippagePercent}&disableEstimate=true',
        read: { amountOut: '/dstAmount', to: '/tx/to', data: '/tx/data', value: '/tx/value', gas: '/tx/gas' },
      },
    },
  },
  /** ParaSwap API v5 with contracts 6.2: prices, then a transaction. Needs `decimals`. Exact inputs and outputs. */
  paraSwap: {
    url: 'https://api.paraswap.io',
    native: ALIAS,
    pays: 'recipient',
    exactInput: {
      quote: { method: 'GET', path: paraSwapPrices('SELL'), read: PARASWAP_READS },
      build: paraSwapBuild('{amount}', '{limit}'),
    },
    exactOutput: {
      quote: { method: 'GET', path: paraSwapPrices('BUY'), read: PARASWAP_READS },
      build: paraSwapBuild('{limit}', '{amount}'),
    },
  },
  /** KyberSwap v1: a route, then its encoding. Chains by name. Exact inputs only. */
  kyberSwap: {
    url: 'https://aggregator-api.kyberswap.com',
    native: ALIAS,
    pays: 'recipient',
    exactInput: {
      quote: {
        method: 'GET',
        path: '/{chain}/api/v1/routes?tokenIn={sellToken}&tokenOut={buyToken}&amountIn={amount}',
        read: {
          ...{ amountIn: '/data/routeSummary/amountIn', amountOut: '/data/routeSummary/amountOut' },
          ...{ gas: '/data/routeSummary/gas', error: '/code' },
        },
      },
      build: {
        method: 'POST',
        path: '/{chain}/api/v1/route/build',
        body: {
          ...{ routeSummary: 'answer:/data/routeSummary', sender: '{payer}', recipient: '{recipient}' },
          slippageTolerance: '{slippageBps}',
        },
        read: {
          ...{ amountIn: '/data/amountIn', amountOut: '/data/amountOut', gas: '/data/gas', error: '/code' },
          ...{ to: '/data/routerAddress', data: '/data/data', value: '/data/transactionValue' },
          spender: '/data/routerAddress',
        },
      },
    },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
