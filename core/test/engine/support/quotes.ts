import type { QuoteBody } from '../../../src/domain/quote.js';
import { hex, orderId, requestId } from '../../../src/testing/store-fixtures.js';

export const ORIGIN = 901;
export const DESTINATION = 902;
export const NOW = 1_700_000_000_000;

/** 1 % fee; the rest converts one to one. */
export function quoteBody(n: number, overrides: Partial<QuoteBody> = {}): QuoteBody {
  const side = (chainId: number) => ({ chainId, currency: `coin-${chainId}`, symbol: 'COIN', decimals: 6 });
  return {
    version: 1,
    requestId: requestId(n),
    orderId: orderId(n),
    tradeType: 'EXACT_INPUT',
    requestType: 'Bridge',
    user: 'user',
    recipient: 'recipient',
    refundTo: null,
    refundRecipient: 'refund-recipient',
    origin: side(ORIGIN),
    destination: side(DESTINATION),
    amountIn: '100000',
    amountOut: '99000',
    minimumAmount: '98000',
    slippageBps: 100,
    terms: {
      inDecimals: 6,
      outDecimals: 6,
      inUsd: '1',
      outUsd: '1',
      relayerGas: '0',
      serviceBps: 100,
      serviceFloor: '0',
      appFees: [],
    },
    fees: { gas: '0', relayerGas: '0', relayerService: '1000', app: '0' },
    order: {
      version: 'v1',
      solverChainId: 'chain-901',
      solver: 'solver',
      salt: hex(0x5a, n),
      inputs: [{ payment: { chainId: 'chain-901', currency: 'coin-901', amount: '100000', weight: '1' }, refunds: [] }],
      output: { chainId: 'chain-902', payments: [], calls: [], deadline: 0, extraData: '0x' },
      fees: [],
    },
    expiresAt: NOW + 30_000,
    deadlineAt: NOW + 630_000,
    ttlAt: null,
    timeEstimate: 5,
    features: [],
    referrer: null,
    forceRefund: false,
    ...overrides,
  };
}
