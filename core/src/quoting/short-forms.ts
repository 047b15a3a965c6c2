import { carriedForm } from '../domain/short-order.js';
import { laterError } from '../errors/api-error.js';
import type { QuoteFacts } from './body.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';

const MAX_DRAWS = 3;
const RETRY_AFTER_S = 1;

/** Whether deposits on the origin carry only the first bytes of the order id. */
export function hasShortForms({ origin }: Route): boolean {
  return origin.chain.facts.orderIdBytes !== undefined;
}

/**
 * A deposit that matches two orders funds neither. Concurrent draws in two processes are not covered.
 *
 * @param draw makes the order with a new salt.
 * @throws on infrastructure failure.
 */
export async function distinguished(
  draw: () => QuoteFacts,
  { store }: Pick<QuotingDeps, 'store'>,
): Promise<Stage<QuoteFacts>> {
  for (let n = 0; n < MAX_DRAWS; n += 1) {
    const facts = draw();
    const form = carriedForm(facts.route.origin.chain.facts, facts.promised.orderId);
    // guard: short-id-promised-once
    if ((await store.ordersByPrefix([form])).length === 0) return facts;
  }
  return laterError('SERVICE_UNAVAILABLE', 'No order with a distinct id could be made', RETRY_AFTER_S);
}
