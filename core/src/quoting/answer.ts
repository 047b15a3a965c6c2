import { mappingStep } from '../capabilities/nonce-mappings/quote.js';
import { permitStep } from '../capabilities/permits/quote.js';
import { sponsorView } from '../capabilities/sponsorship/outcome.js';
import type { DepositStep } from '../contract/deposits.js';
import type { OrderData } from '../domain/order.js';
import type { QuoteFacts } from './body.js';
import { type AmountView, amountView } from './currency-view.js';
import { type Details, details } from './details.js';
import { depositOf, feeOf } from './plan.js';
import { sentOf } from './plan-stage.js';

export interface StepView {
  readonly id: string;
  readonly action: string;
  readonly description: string;
  readonly kind: 'transaction' | 'signature';
  readonly requestId: string;
  /** Empty: not a quote with a deposit address. */
  readonly depositAddress: string;
  readonly items: readonly {
    readonly status: 'incomplete';
    readonly data: Readonly<Record<string, unknown>>;
    readonly check?: { readonly endpoint: string; readonly method: 'GET' };
  }[];
}

export interface QuoteAnswer {
  readonly steps: readonly StepView[];
  readonly fees: Readonly<
    Record<'gas' | 'relayer' | 'relayerGas' | 'relayerService' | 'app' | 'subsidized', AmountView>
  >;
  readonly details: Details;
  /** Absent: nothing is sponsored. */
  readonly feeSponsorship?: { readonly quoted: object };
  readonly protocol: {
    readonly v2: {
      readonly orderId: string;
      readonly hubType: 'onchain';
      readonly orderData: OrderData;
      readonly orderSignature?: string;
      readonly paymentDetails: {
        readonly chainId: string;
        readonly depository: string;
        readonly currency: string;
        readonly amount: string;
      };
    };
  };
}

export interface PriceAnswer {
  readonly fees: QuoteAnswer['fees'];
  readonly details: Omit<Details, 'route' | 'expiresAt' | 'deadlineAt'>;
}

/** @param balance of the payer in the origin currency, if known. */
export function quoteAnswer(
  facts: QuoteFacts,
  steps: readonly DepositStep[],
  balance: bigint | undefined,
): QuoteAnswer {
  const { plan, promised } = facts;
  const { chain, currency } = depositOf(plan).end;
  return {
    steps: [
      ...(facts.mapping === undefined
        ? []
        : [mappingStep(facts.mapping, promised.requestId, chain.facts.id, currency.symbol)]),
      ...steps.map((step) => stepView(step, promised.requestId, facts.depositAddress?.address ?? '')),
      ...(facts.permit === undefined ? [] : [permitStep(facts.permit, promised.requestId, facts.route)]),
    ],
    fees: feeViews(facts),
    details: details(facts, balance),
    ...sponsorView(facts),
    protocol: {
      v2: {
        orderId: promised.orderId,
        hubType: 'onchain',
        orderData: promised.order,
        ...(promised.signature === undefined ? {} : { orderSignature: promised.signature }),
        paymentDetails: {
          chainId: chain.facts.name,
          depository: chain.facts.depository,
          currency: currency.address,
          amount: sentOf(facts.pricing).toString(),
        },
      },
    },
  };
}

export function priceAnswer(facts: QuoteFacts, balance: bigint | undefined): PriceAnswer {
  const { route: _, expiresAt: _expiresAt, deadlineAt: _deadlineAt, ...rest } = details(facts, balance);
  return { fees: feeViews(facts), details: rest };
}

/** Approvals carry no `check`: a client would poll it forever and never send the deposit. */
function stepView(step: DepositStep, requestId: string, depositAddress: string): StepView {
  const check = { endpoint: `/intents/status/v3?requestId=${requestId}`, method: 'GET' } as const;
  return {
    id: step.id,
    action: step.action,
    description: step.description,
    kind: 'transaction',
    requestId,
    depositAddress,
    items: step.items.map((item) =>
      step.id === 'approve'
        ? { status: 'incomplete', data: item.data }
        : { status: 'incomplete', data: item.data, check },
    ),
  };
}

function feeViews({ route, market, plan, pricing }: QuoteFacts): QuoteAnswer['fees'] {
  const { view } = route.origin;
  const [relayerGas, relayerService] = [feeOf(plan, 'relayerGas'), feeOf(plan, 'relayerService')];
  const sponsored = pricing.amounts.sponsored ?? 0n;
  const inOrigin = (amount: bigint) => amountView(view, amount, market.inUsd);
  return {
    gas: amountView(route.nativeView, depositOf(plan).payerCost, market.originNativeUsd),
    relayer: inOrigin(relayerGas + relayerService),
    relayerGas: inOrigin(relayerGas),
    relayerService: inOrigin(relayerService),
    app: inOrigin(feeOf(plan, 'app')),
    subsidized: inOrigin(sponsored),
  };
}
