import { KNOWN_VM_TYPES } from '../../../contract/ids.js';
import type { Examples } from './example.js';

export const CURRENCY_EXAMPLES: Examples = {
  findCurrenciesV2: {
    body: { chainIds: [31337], term: 'usdc', limit: 1 },
    answer: [
      {
        chainId: 31337,
        address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
        metadata: { logoURI: '', verified: true, isNative: false },
        vmType: KNOWN_VM_TYPES[0],
      },
    ],
  },
  currenciesV2: {
    parameters: { chainIds: '31337', term: 'usdc', limit: 1 },
    answer: [
      {
        chainId: 31337,
        address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
        metadata: { logoURI: '', verified: true, isNative: false },
        vmType: KNOWN_VM_TYPES[0],
      },
    ],
  },
  findCurrenciesV1: {
    body: { chainIds: [31337], term: 'usdc', limit: 1 },
    answer: [
      [
        {
          chainId: 31337,
          address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
          symbol: 'USDC',
          name: 'USD Coin',
          decimals: 6,
          metadata: { logoURI: '', verified: true, isNative: false },
          vmType: KNOWN_VM_TYPES[0],
          groupID: 'usd-coin',
        },
      ],
    ],
  },
  currenciesV1: {
    parameters: { chainIds: '31337', term: 'usdc', limit: 1 },
    answer: [
      [
        {
          chainId: 31337,
          address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
          symbol: 'USDC',
          name: 'USD Coin',
          decimals: 6,
          metadata: { logoURI: '', verified: true, isNative: false },
          vmType: KNOWN_VM_TYPES[0],
          groupID: 'usd-coin',
        },
      ],
    ],
  },
  tokenPrice: {
    parameters: { chainId: 31337, address: '0xb9356f066eb713ca8838122900f8392fdfed75c1' },
    answer: { price: 1 },
  },
  tokenPriceV2: {
    parameters: { chainId: 31337, address: '0xb9356f066eb713ca8838122900f8392fdfed75c1' },
    answer: { price: '1' },
  },
  chainCurrency: {
    parameters: { chainId: '31337', address: '0xb9356f066eb713ca8838122900f8392fdfed75c1' },
    answer: {
      chainId: 31337,
      address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      metadata: { logoURI: '', verified: true, isNative: false },
      vmType: KNOWN_VM_TYPES[0],
      price: 1,
      priceUpdatedAt: 1795417217438,
    },
  },
};
