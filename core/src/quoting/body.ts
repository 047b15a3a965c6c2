import type { OfferedMapping } from '../capabilities/nonce-mappings/quote.js';
import type { OfferedPermit } from '../capabilities/permits/quote.js';
import type { QuoteRow } from '../contract/store-rows.js';
import type { AddressPromise, QuoteBody } from '../domain/quote.js';
import type { QuoteCaller } from './ask.js';
import { depositOf, feeOf, type Plan } from './plan.js';
import type { Priced } from './plan-stage.js';
import type { PromisedOrder } from './promise.js';
import type { QuotingDeps } from './quoting-deps.js';
import { swapOutOf } from './ways/destination-swap.js';
import { swapInOf } from './ways/origin-swap.js';
import { payerTermsOf } from './ways/payer-steps.js';

/** Refunds any deposit, so that integrators can test refunds. Never on mainnet. */
const FORCE_REFUND = 'debug-force-refund';

export interface QuoteFacts extends Priced {
  readonly plan: Plan;
  readonly promised: PromisedOrder;
  /** Seconds from deposit to delivery. */
  readonly timeEstimate: number;
  /** Absent: the payer sends its deposit. */
  readonly permit?: OfferedPermit;
  /** Absent: the deposit names its order. */
  readonly mapping?: OfferedMapping;
  /** Absent: the deposit names its order. */
  readonly depositAddress?: AddressPromise;
}

export function quoteBody(facts: QuoteFacts, policy: QuotingDeps['policy']): QuoteBody {
  const { ask, route, pricing, plan, promised } = facts;
  const { amounts } = pricing;
  return {
    version: 1,
    requestId: promised.requestId,
    orderId: promised.orderId,
    tradeType: ask.tradeType,
    requestType: facts.asked.requestType,
    user: ask.user,
    recipient: ask.recipient,
    refundTo: ask.refundTo,
    refundRecipient: promised.refundRecipient,
    origin: route.origin.side,
    destination: route.destination.side,
    amountIn: amounts.amountIn.toString(),
    ...(pricing.sent === undefined ? {} : { sent: pricing.sent.toString() }),
    amountOut: amounts.amountOut.toString(),
    minimumAmount: pricing.minimum.toString(),
    ...(pricing.lateMinimum === null ? {} : { lateMinimumAmount: pricing.lateMinimum.toString() }),
    slippageBps: ask.slippageBps,
    terms: pricing.terms,
    ...(facts.market.sources === undefined ? {} : { prices: facts.market.sources }),
    fees: {
      gas: depositOf(plan).payerCost.toString(),
      relayerGas: feeOf(plan, 'relayerGas').toString(),
      relayerService: feeOf(plan, 'relayerService').toString(),
      app: feeOf(plan, 'app').toString(),
    },
    ...(facts.market.fillRent === undefined ? {} : { fillRent: facts.market.fillRent.toString() }),
    ...(facts.market.fillWork === undefined ? {} : { fillWork: facts.market.fillWork.toString() }),
    ...(ask.authorizations.length === 0 ? {} : { authorizations: ask.authorizations }),
    ...(ask.callees.length === 0 ? {} : { callees: [...new Set(ask.callees.map(({ address }) => address))] }),
    ...(pricing.topUp === undefined ? {} : { topUp: pricing.topUp.promise }),
    ...(pricing.spreadBps === 0 ? {} : { spreadBps: pricing.spreadBps }),
    ...(facts.swapIn === undefined ? {} : { swapIn: swapInOf(ask, facts.swapIn, amounts.amountIn) }),
    ...(facts.swap === undefined ? {} : { swapOut: swapOutOf(ask, facts.swap) }),
    ...(facts.own === undefined ? {} : { payerSwap: payerTermsOf(facts.own, pricing) }),
    ...(facts.depositAddress === undefined ? {} : { depositAddress: facts.depositAddress }),
    ...(facts.permit === undefined ? {} : { permit: facts.permit.promise }),
    ...(facts.sponsor === undefined ? {} : { sponsor: facts.sponsor }),
    order: promised.order,
    expiresAt: promised.expiresAt,
    deadlineAt: promised.deadlineAt,
    ttlAt: promised.ttlAt,
    timeEstimate: facts.timeEstimate,
    features: featuresOf(facts),
    referrer: ask.referrer,
    forceRefund: ask.referrer === FORCE_REFUND && policy.network !== 'mainnet',
    ...(promised.signature === undefined ? {} : { orderSignature: promised.signature }),
  };
}

function featuresOf({ ask, asked, pricing }: QuoteFacts): readonly string[] {
  return [
    ...(ask.permit === null ? [] : ['gasless_execution', ...(asked.sameGroup ? [] : ['gasless_swap'])]),
    ...(ask.address === null ? [] : ['deposit_address']),
    ...(pricing.topUp === undefined ? [] : ['gas_top_up']),
    ...(ask.fixedRate ? ['fixed_rate'] : []),
    ...(ask.appFees.length > 0 ? ['app_fees'] : []),
  ];
}

export function quoteRow(
  facts: QuoteFacts,
  body: QuoteBody,
  caller: QuoteCaller,
  policy: QuotingDeps['policy'],
): QuoteRow {
  const { promised } = facts;
  const value = facts.pricing.valueMicroUsd;
  return {
    id: promised.requestId,
    orderId: promised.orderId,
    createdAt: promised.createdAt,
    expiresAt: promised.expiresAt,
    deadlineAt: promised.deadlineAt,
    ttlAt: promised.ttlAt,
    user: body.user,
    recipient: body.recipient,
    originChainId: body.origin.chainId,
    destinationChainId: body.destination.chainId,
    network: policy.network,
    keyId: caller.keyId,
    referrer: body.referrer,
    parentRequestId: null,
    amountUsd: value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : Number.MAX_SAFE_INTEGER,
    body: JSON.stringify(body),
  };
}
