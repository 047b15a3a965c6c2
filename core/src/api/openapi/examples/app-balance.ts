import type { Examples } from './example.js';

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const INTEGRATOR = 'int_f0b826dec31c92eb';
const SUMS = { balance: '25000000', reserved: '120000', available: '24880000' };
const LISTED = { integratorId: INTEGRATOR, name: 'Example wallet', fundingAddress: WALLET, ...SUMS };
const EVENT = {
  id: 'credit:int_f0b826dec31c92eb:first-top-up',
  ...{ context: 'credit', amount: '25000000', amountUsd: '25.0', requestId: null, chainId: null, currency: null },
  ...{ txHash: null, reason: 'Start of the contract', createdAt: '2026-11-28T02:00:00.000Z' },
} as const;
const KEY = {
  keyId: 'key_3oqATEce1eWh',
  policy: { maxPerCall: '500000', maxPerDay: '20000000' },
  used: { day: '120000', month: '120000' },
};
const CHANGE = {
  integratorId: INTEGRATOR,
  amount: '25000000',
  reason: 'Start of the contract',
  changeId: 'first-top-up',
};
const CHANGED = { body: CHANGE, answer: { balance: LISTED, alreadyDone: false } };

/** Written by hand. */
export const APP_BALANCE_EXAMPLES: Examples = {
  balanceEvents: {
    parameters: { wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    answer: { wallet: WALLET, balances: [{ currency: 'USD', ...SUMS }], events: [EVENT] },
  },
  appBalance: {
    answer: {
      integratorId: INTEGRATOR,
      ...SUMS,
      isLow: false,
      fundingAddress: WALLET,
      deposits: {
        orderId: `0x${'3c'.repeat(32)}`,
        currencies: [
          { chainId: 8453, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', symbol: 'USDC', decimals: 6 },
        ],
      },
      keys: [KEY],
    },
  },
  linkFundingAddress: {
    body: { fundingAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    answer: {
      fundingAddress: WALLET,
      message:
        'Link this account to an integrator, whose balance its deposits without an order fund.\n\nService: 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266\nIntegrator: int_f0b826dec31c92eb\nChange: 1\nAccount: 0x70997970c51812dc3a010c7d01b50e0d17dc79c8\nTime: 2026-11-28T02:00:00.000Z',
      time: '2026-11-28T02:00:00.000Z',
      expiresAt: '2026-11-28T02:10:00.000Z',
    },
  },
  setSponsorPolicy: { body: { policy: { maxPerCall: '500000', maxPerDay: '20000000' } }, answer: KEY },
  adminBalances: { answer: { balances: [LISTED] } },
  adminBalance: { parameters: { integratorId: INTEGRATOR }, answer: { balance: LISTED, events: [EVENT] } },
  adminCreditBalance: CHANGED,
  adminDebitBalance: CHANGED,
  adminWithdrawBalance: CHANGED,
};
