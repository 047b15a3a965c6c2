import type { EngineContext } from '../base/context.js';
import { isPaused } from '../base/pauses.js';

/** Maximum count of each kind; further rows are not counted. */
const MAX_ROWS = 1_000;

/**
 * What this service still has to do: requests that are not settled, deposits and payments that are owed, and transactions
 * that are not final. Zero: all promises so far are kept. Holds, app fees and app balances wait for others and do not count.
 */
export async function openWork({ store, chains }: Pick<EngineContext, 'store' | 'chains'>): Promise<number> {
  let count = (await store.unsettled(MAX_ROWS)).filter(
    ({ fundingKey, status }) => fundingKey !== null || status !== 'waiting',
  ).length;
  // Among others, excesses that wait for the finality of a deposit whose request is settled.
  count += (await store.pots('owed:')).filter(({ amount }) => amount < 0n).length;
  for (const { facts, lanes } of chains.values())
    for (const { signer } of lanes) {
      count += await store.waiting(facts.id, signer, MAX_ROWS);
      count += (await store.openKeys(facts.id, signer, MAX_ROWS)).filter(({ key }) => key.includedHash !== null).length;
    }
  return count;
}

/** Pauses in force; while the service is drained, also of all new quotes. What is owed is paid all the same. */
export function pauseOfQuotes(
  context: EngineContext,
  origin: number,
  destination: number,
): 'all' | 'chain' | 'route' | null {
  return context.draining === true ? 'all' : isPaused(context, origin, destination);
}
