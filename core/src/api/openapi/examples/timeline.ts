import type { Examples } from './example.js';
import { DEPOSIT_HASH, NATIVE, REQUEST_ID, USER } from './shared.js';

const ORDER_ID = '0x49290c1ca3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb348';
const FILL_HASH = '0x93b1ec6a5d0e45cb2f3c0d1f3b7ba9b0b63f9ea4a1be1c26f5cbd5e3bb0f6b6c';
const FUNDING = `31337:${DEPOSIT_HASH}:0`;
const SOLVER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

const ether = (chainId: number, amount: string, amountFormatted: string): object => ({
  ...{ chainId, currency: NATIVE, amount, amountFormatted, symbol: 'ETH' },
});
const [PAYS, GETS] = [ether(31_337, '1000000000000000000', '1.0'), ether(31_338, '999400000000000000', '0.9994')];
const FILL = { id: `fill:${ORDER_ID}`, for: 'fill', pays: GETS, recipient: USER, state: 'done' };
const PRICE = { source: 'prices', usd: '3000', at: 1795417203000 };
const NO_REASONS = { failReason: null, refundFailReason: null };

export const TIMELINE_EXAMPLES: Examples = {
  requestTimeline: {
    parameters: { id: REQUEST_ID },
    answer: {
      requestId: REQUEST_ID,
      status: 'success',
      parentRequestId: null,
      entries: [
        {
          at: 1795417205120,
          kind: 'quoted',
          text: 'quoted: 1.0 ETH on Local A for 0.9994 ETH on Local B',
          quoted: {
            pays: PAYS,
            gets: GETS,
            least: '994403000000000000',
            prices: {
              ...{ origin: '3000', destination: '3000' },
              sources: { origin: PRICE, destination: PRICE },
            },
            fees: { relayerGas: '100000000000000', relayerService: '500000000000000', app: '0' },
            slippageBps: 50,
            expiresAt: 1795417235120,
            deadlineAt: 1795417295120,
          },
        },
        {
          at: 1795417207310,
          kind: 'depositSeen',
          text: '1.0 ETH on Local A arrived and is final',
          deposit: {
            fundingKey: FUNDING,
            arrived: PAYS,
            txHash: DEPOSIT_HASH,
            depositor: USER,
            state: 'final',
            block: 110,
            valueUsd: '3000.000000',
            confirmations: null,
            neededConfirmations: 0,
          },
        },
        {
          at: 1795417207310,
          kind: 'status',
          text: 'status pending',
          change: { sequence: 1, status: 'pending', ...NO_REASONS },
        },
        {
          at: 1795417207330,
          kind: 'decided',
          text: 'the deposit was decided: fill',
          decision: { fundingKey: FUNDING, decision: 'fill', reason: null },
        },
        {
          at: 1795417207330,
          kind: 'owed',
          text: `0.9994 ETH on Local B is owed to ${USER} (fill; done now)`,
          payment: FILL,
        },
        {
          at: 1795417207390,
          kind: 'signed',
          text: `transaction ${FILL_HASH} was signed on Local B, attempt 1 under key 17 (final now)`,
          attempt: {
            payments: [FILL.id],
            chainId: 31_338,
            txHash: FILL_HASH,
            signer: SOLVER,
            key: '17',
            attempt: 1,
            state: 'final',
            block: 98,
            fee: '68012031002345',
          },
        },
        {
          at: 1795417208400,
          kind: 'included',
          text: `0.9994 ETH on Local B was paid to ${USER} by ${FILL_HASH}, which is final`,
          payment: FILL,
        },
        {
          at: 1795417208400,
          kind: 'status',
          text: 'status success',
          change: { sequence: 3, status: 'success', ...NO_REASONS },
        },
      ],
      truncated: false,
    },
  },
};
