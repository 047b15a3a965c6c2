import type { Hex } from '@causeway/core';
import type { QuoteBody } from '../../../core/src/domain/quote.js';
import type { RequestType } from '../../../core/src/domain/request-type.js';

export interface Side {
  readonly chainId: number;
  readonly chain: string;
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface BodyFacts {
  readonly id: Hex;
  readonly orderId: Hex;
  readonly user: string;
  readonly recipient: string;
  readonly origin: Side;
  readonly destination: Side;
  readonly requestType: RequestType;
  readonly features: readonly string[];
  readonly createdAt: number;
}

const SOLVER = `0x${'5'.repeat(40)}`;
const ROUTER = `0x${'e'.repeat(40)}`;
const EXTRA: Hex = `0x${ROUTER.slice(2).padStart(64, '0')}`;

export function bodyOf(facts: BodyFacts): QuoteBody {
  const { id, orderId, user, recipient, origin, destination, createdAt } = facts;
  const amountIn = `1${'0'.repeat(origin.decimals)}`;
  const amountOut = `9${'9'.repeat(destination.decimals - 1)}`;
  const minimumAmount = `9${'8'.repeat(destination.decimals - 1)}`;
  const deadline = Math.floor(createdAt / 1_000) + 600;
  const plain = ({ chainId, currency, symbol, decimals }: Side) => ({ chainId, currency, symbol, decimals });
  return {
    version: 1,
    requestId: id,
    orderId,
    tradeType: 'EXACT_INPUT',
    requestType: facts.requestType,
    user,
    recipient,
    refundTo: null,
    refundRecipient: user,
    origin: plain(origin),
    destination: plain(destination),
    amountIn,
    amountOut,
    minimumAmount,
    slippageBps: 50,
    terms: {
      inDecimals: origin.decimals,
      outDecimals: destination.decimals,
      inUsd: '1',
      outUsd: '1',
      relayerGas: '0',
      serviceBps: 5,
      serviceFloor: '0',
      appFees: facts.features.includes('app_fees') ? [{ recipient: ROUTER, bps: 10 }] : [],
    },
    fees: { gas: '60000000000000', relayerGas: '0', relayerService: '500', app: '0' },
    order: {
      version: 'v1',
      solverChainId: 'bench-0',
      solver: SOLVER,
      salt: id,
      inputs: [
        {
          payment: { chainId: origin.chain, currency: origin.currency, amount: amountIn, weight: '1' },
          refunds: [
            {
              chainId: origin.chain,
              recipient: user,
              currency: origin.currency,
              minimumAmount: '0',
              deadline,
              extraData: '0x',
            },
          ],
        },
      ],
      output: {
        chainId: destination.chain,
        payments: [{ recipient, currency: destination.currency, minimumAmount, expectedAmount: amountOut }],
        calls: [],
        deadline,
        extraData: EXTRA,
      },
      fees: [],
    },
    expiresAt: createdAt + 30_000,
    deadlineAt: createdAt + 600_000,
    ttlAt: null,
    timeEstimate: 3,
    features: facts.features,
    referrer: null,
    forceRefund: false,
  };
}
