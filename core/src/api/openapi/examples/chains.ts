import { KNOWN_VM_TYPES } from '../../../contract/ids.js';
import type { Examples } from './example.js';
import { NATIVE } from './shared.js';

export const CHAIN_EXAMPLES: Examples = {
  chains: {
    answer: {
      chains: [
        {
          id: 31337,
          name: 'local-a',
          displayName: 'Local A',
          vmType: KNOWN_VM_TYPES[0],
          httpRpcUrl: 'http://127.0.0.1:8545',
          wsRpcUrl: 'ws://127.0.0.1:8545',
          explorerUrl: '',
          explorerName: '',
          explorerPaths: { transaction: '/tx/', address: '/address/', token: '/token/' },
          explorerQueryParams: null,
          iconUrl: '',
          logoUrl: '',
          brandColor: null,
          tags: [],
          baseChainId: null,
          partialDisableLimit: 0,
          tokenSupport: 'Limited',
          withdrawalFee: 0,
          depositFee: 0,
          surgeEnabled: false,
          currency: { id: 'eth', symbol: 'ETH', name: 'Ether', address: NATIVE, decimals: 18, supportsBridging: true },
          erc20Currencies: [
            {
              id: 'usdc',
              symbol: 'USDC',
              name: 'USD Coin',
              address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
              decimals: 6,
              supportsBridging: true,
              supportsPermit: false,
              withdrawalFee: 0,
              depositFee: 0,
              surgeEnabled: false,
            },
          ],
          featuredTokens: [
            { id: 'eth', symbol: 'ETH', name: 'Ether', address: NATIVE, decimals: 18, metadata: { logoURI: '' } },
          ],
          solverCurrencies: [{ id: 'eth', symbol: 'ETH', name: 'Ether', address: NATIVE, decimals: 18 }],
          solverAddresses: ['0xbd208210db972d09c8f40d4c1b40f9c3c8372220'],
          contracts: {
            depository: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a',
            router: '0x55a3ef4845846556253f0aad4219e5f2f155328e',
          },
          protocol: { v2: { chainId: 'local-a', depository: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a' } },
          depositEnabled: true,
          disabled: false,
          blockProductionLagging: false,
          statusMessage: null,
        },
      ],
    },
  },
  chainHealth: { parameters: { chainId: 31337 }, answer: { healthy: true } },
  chainLiquidity: {
    parameters: { chainId: 31338 },
    answer: {
      liquidity: [
        {
          chainId: 31338,
          currencyId: 'eth',
          symbol: 'ETH',
          address: NATIVE,
          decimals: 18,
          balance: '999998001730978110120894',
          amountUsd: '2999994005.192934',
        },
        {
          chainId: 31338,
          currencyId: 'usdc',
          symbol: 'USDC',
          address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
          decimals: 6,
          balance: '100000000000000',
          amountUsd: '100000000.000000',
        },
      ],
    },
  },
  swapSources: { parameters: { chainId: 31337 }, answer: { sources: [] } },
  routeConfigV2: {
    parameters: { originChainId: 31337, destinationChainId: 31338, user: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
    answer: {
      enabled: true,
      user: { balance: '10000000000000000000000', maxBridgeAmount: '333333333333333333333' },
      fee: '5',
      solver: {
        address: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220',
        balance: '999998001730978110120894',
        capacityPerRequest: '333333333333333333333',
      },
      supportsExternalLiquidity: false,
    },
  },
};
