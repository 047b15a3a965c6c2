import type { Examples } from './example.js';

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export const NONCE_MAPPING_EXAMPLES: Examples = {
  authorize: {
    parameters: { signature: `0x${'12'.repeat(64)}1b` },
    body: {
      type: 'nonce-mapping',
      walletChainId: 31_337,
      wallet: PAYER,
      depositor: PAYER,
      nonce: 7,
      id: `0x${'5f'.repeat(32)}`,
      signatureChainId: 31_337,
    },
    answer: { message: 'The nonce is mapped' },
  },
};
