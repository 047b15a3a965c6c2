import type { Examples } from './example.js';
import { NATIVE, REQUEST_ID, USER } from './shared.js';

const ADDRESS = '0x5b3f7ed0c1c8a2a4e4d6cbb7fd9a2f3b6e1d8c70';

export const DEPOSIT_ADDRESS_EXAMPLES: Examples = {
  depositAddresses: {
    parameters: { address: ADDRESS },
    answer: {
      depositAddress: ADDRESS,
      type: 'strict',
      requestId: REQUEST_ID,
      chainId: 31_337,
      createdAt: '2026-11-27T12:00:00.000Z',
      currency: NATIVE,
      refundTo: USER,
    },
  },
  reindexDepositAddress: {
    body: { chainId: 31_337, depositAddress: ADDRESS },
    answer: {
      message: 'The address is watched closely again',
      triggeredCurrencies: [{ currency: NATIVE, symbol: 'ETH', balance: '1000000000000000000' }],
      checkedCurrencies: 4,
      failedCurrencies: 0,
    },
  },
};
