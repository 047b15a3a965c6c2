import { depositAddressStage } from '../capabilities/deposit-addresses/quote.js';
import { sponsorStage } from '../capabilities/sponsorship/ask-sponsor.js';
import type { PlanStep } from './plan.js';
import { deliveryOf, type PlanStage } from './plan-stage.js';
import { topUpStage } from './top-up.js';

const swapOrigin: PlanStage = {
  serves: (feature, { origin: { capabilities } }) =>
    feature === 'useExternalLiquidity' && capabilities.payerSwaps?.deposits !== undefined,
  add: ({ swapIn }) =>
    swapIn === undefined
      ? []
      : [
          {
            kind: 'swapOrigin',
            source: swapIn.found.source.id,
            amountIn: swapIn.amount,
            lossMicroUsd: swapIn.lossMicroUsd,
          },
        ],
};

const takeDeposit: PlanStage = {
  serves(feature, { origin: { capabilities } }) {
    if (feature === 'originChainId') return capabilities.payerUtxos !== false;
    if (feature === 'explicitDeposit') return capabilities.transferDeposits !== undefined;
    if (feature === 'useNonceMapping') return capabilities.nonceMappings !== undefined;
    if (feature === 'usePermit') return capabilities.permits !== undefined;
    return feature === 'depositFeePayer' && capabilities.depositFeePayer === true;
  },
  add({ route: { origin }, market, pricing, own }) {
    const { chain } = origin;
    // An own execution ends with its block.
    const leastMs = own ? 0 : chain.acceptDepth(pricing.valueMicroUsd) * chain.facts.blockTimeMs;
    return [
      {
        kind: 'deposit',
        end: origin,
        amount: pricing.amounts.amountIn,
        payerCost: market.depositCost,
        ms: leastMs + chain.facts.blockTimeMs,
        leastMs,
      },
    ];
  },
};

const takeFees: PlanStage = {
  add({ pricing: { amounts } }) {
    const steps: PlanStep[] = [
      { kind: 'fee', component: 'relayerGas', amount: amounts.relayerGas },
      { kind: 'fee', component: 'relayerService', amount: amounts.relayerService },
    ];
    for (const amount of amounts.app) steps.push({ kind: 'fee', component: 'app', amount });
    return steps;
  },
};

const swapDestination: PlanStage = {
  serves: (feature, { destination }) =>
    feature === 'useExternalLiquidity' &&
    (destination.capabilities.destinationCalls ?? destination.capabilities.payerSwaps) !== undefined,
  add: ({ swap, pricing }) =>
    swap === undefined
      ? []
      : [
          {
            kind: 'swapDestination',
            source: swap.found.source.id,
            amountIn: pricing.amounts.amountOut,
            lossMicroUsd: swap.lossMicroUsd,
          },
        ],
};

const pay: PlanStage = {
  add(priced) {
    const { end, amount, least } = deliveryOf(priced);
    const { blockTimeMs } = end.chain.facts;
    const done = priced.own ? { ms: 0, lossMicroUsd: priced.own.lossMicroUsd } : { ms: blockTimeMs };
    return [{ kind: 'payment', end, recipient: priced.ask.recipient, amount, least, ...done }];
  },
};

const makeCalls: PlanStage = {
  serves(feature, { destination: { capabilities } }) {
    if (feature === 'txs') return capabilities.destinationCalls !== undefined;
    return feature === 'authorizationList' && capabilities.authorizations !== undefined;
  },
  add: ({ ask: { calls } }) => (calls.encoded.length === 0 ? [] : [{ kind: 'calls', calls: calls.encoded }]),
};

export const PLAN_STAGES: readonly PlanStage[] = [
  depositAddressStage,
  sponsorStage,
  swapOrigin,
  takeDeposit,
  takeFees,
  swapDestination,
  pay,
  makeCalls,
  topUpStage,
];
