import type { ChainFacts } from '../../contract/chain-facts.js';
import type { Hex, RequestId, UnixMs } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { CallPromise, QuoteBody, QuoteSide } from '../../domain/quote.js';
import type { Sponsored } from '../sponsorship/app-balance.js';

export interface CallFacts {
  readonly requestId: RequestId;
  readonly orderId: Hex;
  readonly call: CallPromise;
  readonly chain: Pick<ChainFacts, 'id' | 'name' | 'currency'>;
  readonly solverChain: string;
  /** USD per whole native coin. */
  readonly usd: string;
  readonly callees: readonly string[];
  readonly referrer: string | null;
  readonly now: UnixMs;
  readonly deadlineAt: UnixMs;
}

/** The terms of a call as those of an order without money: both sides are the chain's coin, and the fee is sponsored. */
export function callBody({ call, chain, usd, callees, ...facts }: CallFacts): QuoteBody {
  const { address: currency, symbol, decimals } = chain.currency;
  const side: QuoteSide = { chainId: chain.id, currency, symbol, decimals };
  return {
    version: 1,
    requestId: facts.requestId,
    orderId: facts.orderId,
    tradeType: 'EXACT_INPUT',
    requestType: 'Call',
    user: call.to,
    recipient: call.to,
    refundTo: null,
    refundRecipient: call.to,
    origin: side,
    destination: side,
    amountIn: '0',
    amountOut: '0',
    minimumAmount: '0',
    slippageBps: 0,
    terms: {
      inDecimals: decimals,
      outDecimals: decimals,
      inUsd: usd,
      outUsd: usd,
      relayerGas: '0',
      serviceBps: 0,
      serviceFloor: '0',
      appFees: [],
    },
    fees: { gas: '0', relayerGas: '0', relayerService: '0', app: '0' },
    callees,
    order: {
      version: 'v1',
      solverChainId: facts.solverChain,
      solver: '',
      salt: '0x',
      inputs: [],
      output: { chainId: chain.name, payments: [], calls: [], deadline: 0, extraData: '0x' },
      fees: [],
    },
    expiresAt: facts.now,
    deadlineAt: facts.deadlineAt,
    ttlAt: null,
    timeEstimate: 0,
    features: ['gasless_execution'],
    referrer: facts.referrer,
    forceRefund: false,
    call,
  };
}

/** The terms of a quote whose deposit, or own execution, a call makes. */
export function quotedBody(quote: QuoteBody, call: CallPromise): QuoteBody {
  const feature = quote.payerSwap ? 'gasless_swap' : 'gasless_execution';
  return { ...quote, call, features: [feature, ...quote.features] };
}

export function isQuotedCall({ call, order }: Pick<QuoteBody, 'call' | 'order'>): boolean {
  return call !== undefined && order.inputs.length > 0;
}

/** @throws for a request that is no call. */
export function callOf({ id, body }: Pick<RequestRow, 'id' | 'body'>): CallPromise {
  const { call } = JSON.parse(body) as QuoteBody;
  if (call === undefined) throw new Error(`${id} is no call for others`);
  return call;
}

export function sponsoredOf(request: Pick<RequestRow, 'id' | 'body'>): Sponsored {
  const { integratorId, reserved, caps, reservation = request.id } = callOf(request);
  const counted = caps.map((account) => ({ account }));
  return { integratorId, requestId: reservation, shownAs: request.id, amount: BigInt(reserved), caps: counted };
}
