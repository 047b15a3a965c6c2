import type { Examples } from './example.js';
import { DEPOSIT_HASH, NATIVE, REQUEST_ID, USER } from './shared.js';

export const SIGNATURE_EXAMPLES: Examples = {
  requestSignature: {
    parameters: { id: REQUEST_ID },
    answer: {
      requestData: {
        id: REQUEST_ID,
        orderId: '0xa3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
        status: 'success',
        user: USER,
        recipient: USER,
        quoted: {
          input: { chainId: 31337, currency: NATIVE, amount: '1000000000000000000' },
          output: { chainId: 31338, currency: NATIVE, amount: '999499777863824000' },
        },
        actual: {
          input: { chainId: 31337, currency: NATIVE, amount: '1000000000000000000' },
          output: { chainId: 31338, currency: NATIVE, amount: '999499777863824000' },
        },
        inTxs: [{ chainId: 31337, txHash: DEPOSIT_HASH, status: 'success' }],
        outTxs: [
          {
            chainId: 31338,
            txHash: '0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c',
            status: 'success',
          },
        ],
        failReason: null,
        refundFailReason: null,
        createdAt: '2026-11-23T07:00:06.921Z',
        updatedAt: '2026-11-23T07:00:08.014Z',
      },
      signer: '0xc8005fa5bdd02b6cc3e63a49e35b457371d31575',
      signature:
        '0xa8533ec6c4577c40509a04113222405bb64107ce5ab5dea2f286275dea0aaffe4d60781819a8fa39940d6a8f25d76d64b9d51e39aa043a928ff1450c2178207c1b',
    },
  },
};
