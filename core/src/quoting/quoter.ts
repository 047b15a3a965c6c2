import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { AddressCodec } from '../domain/order-id.js';
import { type QuoteAnswer, quoteAnswer } from './answer.js';
import type { QuoteAsk, QuoteCaller } from './ask.js';
import { type QuoteFacts, quoteBody, quoteRow } from './body.js';
import { readMarket } from './market.js';
import { type Pricing, price, refuseBeyondLimits } from './pricing.js';
import { addressCodec, promiseOrder } from './promise.js';
import type { QuotingDeps } from './quoting-deps.js';
import { type Route, RouteTable } from './route.js';
import { refused, type Stage } from './stage.js';
import { refuseTransfer } from './transfer-check.js';
import { validate } from './validate.js';

export interface Quoter {
  /** The promise, durable when this resolves; or the refusal. Rejects only on infrastructure failure. */
  quote(ask: QuoteAsk, caller: QuoteCaller): Promise<Stage<QuoteAnswer>>;
}

/**
 * Quoting as a chain of small stages: validate, find the route, read the market, price, limits, order and its id, steps,
 * persist. All but the last answer from memory (and a simulated transfer for tokens flagged for it).
 */
export function createQuoter(deps: QuotingDeps): Quoter {
  const routes = new RouteTable(deps.policy);
  const codec = addressCodec(deps.chains);
  return {
    quote: async (ask, caller) => {
      const facts = decide(ask, routes, codec, deps);
      if (refused(facts)) return facts;
      const rejected = await refuseTransfer(facts, deps.clock);
      if (rejected) return rejected;
      const { chain, currency } = facts.route.origin;
      const steps = chain.depositSteps({
        payer: facts.ask.user,
        currency: currency.address,
        amount: facts.pricing.amounts.amountIn,
        orderId: facts.promised.orderId,
      });
      await persist(facts, caller, deps);
      return quoteAnswer(facts, steps);
    },
  };
}

function decide(ask: QuoteAsk, routes: RouteTable, codec: AddressCodec, deps: QuotingDeps): Stage<QuoteFacts> {
  const valid = validate(ask, deps);
  if (refused(valid)) return valid;
  const route = routes.find(ask, valid);
  if (refused(route)) return route;
  const market = readMarket(route, deps);
  if (refused(market)) return market;
  const pricing = price(valid, route, market);
  if (refused(pricing)) return pricing;
  const beyond = refuseBeyondLimits(pricing, route, deps);
  if (beyond) return beyond;
  const promised = promiseOrder(valid, route, pricing, deps, codec);
  return { ask: valid, route, market, pricing, promised, timeEstimate: timeEstimate(route, pricing) };
}

/** The blocks that a deposit of this value waits for, its own block and the fill's. */
function timeEstimate(route: Route, pricing: Pricing): number {
  const origin: ChainAdapter = route.origin.chain;
  const blocks = origin.acceptDepth(pricing.valueMicroUsd) + 1;
  return Math.ceil((blocks * origin.facts.blockTimeMs + route.destination.chain.facts.blockTimeMs) / 1000);
}

async function persist(facts: QuoteFacts, caller: QuoteCaller, deps: QuotingDeps): Promise<void> {
  const row = quoteRow(facts, quoteBody(facts, deps.policy), caller, deps.policy);
  const outcome = await deps.store.apply({
    name: 'quoting.persist',
    changes: [{ op: 'insert', table: 'quotes', row }],
  });
  if (!outcome.ok) throw new Error(`a new quote met a conflict on ${outcome.conflict.table}/${outcome.conflict.key}`);
}
