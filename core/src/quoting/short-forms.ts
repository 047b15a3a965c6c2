import { carriedForm } from '../domain/short-order.js';
import { laterError } from '../errors/api-error.js';
import type { QuoteFacts } from './body.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';

/** Salts that are drawn for one quote. Twice the same form is as good as never met, unless what draws them is broken. */
const MOST_DRAWN = 3;
const AGAIN_SECONDS = 1;

/** Whether a deposit on the origin carries only the first bytes of its order's id. */
export function hasShortForms({ origin }: Route): boolean {
  return origin.chain.facts.orderIdBytes !== undefined;
}

/**
 * An order whose short form no other order has: a deposit that carries what two orders have is of neither. Two processes that draw
 * the same at the same moment are not kept apart.
 *
 * @param draw makes the order, with another salt each time.
 * @throws on infrastructure failure.
 */
export async function toldApart(
  draw: () => QuoteFacts,
  { store }: Pick<QuotingDeps, 'store'>,
): Promise<Stage<QuoteFacts>> {
  for (let n = 0; n < MOST_DRAWN; n += 1) {
    const facts = draw();
    const form = carriedForm(facts.route.origin.chain.facts, facts.promised.orderId);
    if ((await store.ordersByPrefix([form])).length === 0) return facts;
  }
  return laterError('SERVICE_UNAVAILABLE', 'No order could be told from those of others', AGAIN_SECONDS);
}
