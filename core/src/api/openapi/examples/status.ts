import type { Examples } from './example.js';
import { DEPOSIT_HASH, REQUEST_ID } from './shared.js';

export const STATUS_EXAMPLES: Examples = {
  statusV3: {
    parameters: { requestId: REQUEST_ID },
    answer: {
      status: 'success',
      inTxHashes: [DEPOSIT_HASH],
      txHashes: ['0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c'],
      updatedAt: 1795417208014,
      quoteCreatedAt: 1795417206921,
      originChainId: 31337,
      destinationChainId: 31338,
      failReason: 'N/A',
      refundFailReason: 'N/A',
      details: null,
    },
  },
  statusV2: {
    parameters: { requestId: REQUEST_ID },
    answer: {
      details: null,
      inTxHashes: [DEPOSIT_HASH],
      txHashes: ['0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c'],
      time: 1795417208014,
      originChainId: 31337,
      destinationChainId: 31338,
      status: 'success',
      quoteCreatedAt: 1795417206921,
    },
  },
  status: {
    parameters: { requestId: REQUEST_ID },
    answer: {
      details: null,
      inTxHashes: [DEPOSIT_HASH],
      txHashes: ['0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c'],
      time: 1795417208014,
      originChainId: 31337,
      destinationChainId: 31338,
      status: 'success',
    },
  },
};
