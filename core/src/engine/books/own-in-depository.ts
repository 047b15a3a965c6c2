import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { hasInventory } from '../base/lanes.js';

const MOST_OPEN = 5_000;

/**
 * Native coin, smallest unit, that a depository holds and that no deposit is owed, by the books, less what transactions take of it
 * that are signed and in no block yet. A lane whose signer is the depository's account pays its fees from this and from nothing
 * else (G12).
 */
export async function ownInDepository({ store }: Pick<EngineContext, 'store'>, chain: ChainAdapter): Promise<bigint> {
  const { id, currency } = chain.facts;
  const vaults = chain.lanes.filter((lane) => !hasInventory(lane));
  const [open, held, ...liabilities] = await Promise.all([
    Promise.all(vaults.map(({ signer }) => store.openKeys(id, signer, MOST_OPEN))),
    store.pot(account.depository(id, currency.address)),
    store.pot(account.owed(id, currency.address)),
    store.pot(account.held(id, currency.address)),
  ]);
  // A deposit that vanished after its fill makes the liability look smaller than it is, not the depository fuller.
  const owed = liabilities.reduce((sum, amount) => (amount < 0n ? sum - amount : sum), 0n);
  const leaving = open
    .flat()
    .filter(({ key }) => key.includedHash === null)
    .flatMap(({ legs }) => legs)
    .reduce((sum, leg) => sum + ownTakenBy(chain, leg, leg.amount) + feeOf(chain, leg), 0n);
  return held - owed - leaving;
}

/**
 * What a leg takes of a depository's own native coin, smallest unit, without its fee: all that it moves where no deposit is owed
 * that; below zero where it pays back less than its deposit is owed, as for the gas of doing so.
 */
export function ownTakenBy(
  { facts }: Pick<ChainAdapter, 'facts'>,
  { currency, covers }: Pick<LegRow, 'currency' | 'covers'>,
  amount: bigint,
): bigint {
  return currency === facts.currency.address ? amount - covers : 0n;
}

function feeOf(chain: ChainAdapter, leg: LegRow): bigint {
  const cost = chain.legCost(factsOf(leg).sentAs, leg.currency);
  return cost?.most ?? cost?.native ?? 0n;
}
