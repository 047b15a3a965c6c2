import type { Examples } from './example.js';
import { REQUEST_ID } from './shared.js';

export const GASLESS_EXAMPLES: Examples = {
  execute: {
    body: {
      executionKind: 'rawCalls',
      data: {
        chainId: 31_337,
        to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        data: '0xa9059cbb0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00000000000000000000000000000000000000000000000000000000000f4240',
        value: '0',
      },
      executionOptions: { referrer: 'shop.example', subsidizeFees: true },
    },
    answer: { message: 'The call is accepted', requestId: REQUEST_ID },
  },
  fastFill: {
    body: { requestId: REQUEST_ID, maxFillAmountUsd: '100' },
    answer: { message: 'The fast fill is queued' },
  },
};
