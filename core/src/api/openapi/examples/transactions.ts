import type { Examples } from './example.js';
import { amount, DEPOSIT_HASH, ETHER, REQUEST_ID } from './shared.js';

export const TRANSACTION_EXAMPLES: Examples = {
  indexTransaction: {
    body: { chainId: 31337, txHash: DEPOSIT_HASH, requestId: REQUEST_ID },
    answer: { message: 'Success' },
  },
  singleTransaction: {
    body: { requestId: REQUEST_ID, chainId: 31337, txHash: DEPOSIT_HASH },
    answer: { message: 'Success' },
  },
  appFeeBalances: {
    parameters: { wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    answer: {
      balances: [
        {
          ...amount(ETHER, '1000000000000000', '0.001', '3.000000'),
          ...{ claimableAmount: '600000000000000', pendingAmount: '400000000000000' },
          pendingUntil: '2026-01-01T00:15:00.000Z',
        },
      ],
      totalBalanceUsd: 3,
      outstandingFastFillBalanceUsd: 0,
      availableBalanceUsd: 1.8,
    },
  },
};
