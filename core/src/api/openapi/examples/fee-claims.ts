import type { Examples } from './example.js';

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const CURRENCY = {
  chainId: 31_337,
  address: '0xb9356f066eb713ca8838122900f8392fdfed75c1',
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  metadata: { logoURI: '', verified: true, isNative: false },
};
const CLAIM_ID = `0x${'4c'.repeat(32)}`;
const CLAIM = { chainId: 31_337, wallet: WALLET, currency: CURRENCY.address, recipient: WALLET, amount: '25000000' };
const BODY = { kind: 'claim', requestId: CLAIM_ID, claim: CLAIM };

function sum(amount: string, whole: string, usd: string) {
  return { currency: CURRENCY, amount, amountFormatted: whole, amountUsd: usd, minimumAmount: amount };
}

const WHOLE = sum('25000000', '25.0', '25.000000');

export const FEE_CLAIM_EXAMPLES: Examples = {
  claimAppFees: {
    parameters: { wallet: WALLET },
    body: { chainId: CLAIM.chainId, currency: CLAIM.currency, recipient: CLAIM.recipient },
    answer: {
      steps: [
        {
          id: 'authorize',
          action: 'Sign the claim',
          description: `Claims 25.0 USDC of app fees; 24.996 USDC goes to ${WALLET} at the network fee of now`,
          kind: 'signature',
          requestId: CLAIM_ID,
          items: [
            {
              status: 'incomplete',
              data: {
                sign: { signatureKind: 'eip191', message: CLAIM_ID },
                post: { endpoint: '/execute/permits', method: 'POST', body: BODY },
              },
            },
          ],
        },
      ],
      details: {
        amount: WHOLE,
        fee: sum('4000', '0.004', '0.004000'),
        currencyOut: sum('24996000', '24.996', '24.996000'),
        recipient: WALLET,
      },
    },
  },
  executePermits: {
    parameters: { signature: `0x${'12'.repeat(64)}1b` },
    body: BODY,
    answer: { message: 'The claim is accepted, and is being paid' },
  },
  appFeeClaims: {
    parameters: { wallet: WALLET },
    answer: {
      claims: [
        {
          claimId: CLAIM_ID,
          wallet: WALLET,
          recipient: WALLET,
          currency: WHOLE,
          txHash: `0x${'7a'.repeat(32)}`,
          status: 'success',
          createdAt: '2026-11-24T12:00:00.000Z',
        },
      ],
    },
  },
};
