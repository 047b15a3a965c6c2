import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { hasInventory } from '../base/lanes.js';

const MAX_OPEN_KEYS = 5_000;

/**
 * Native coin, smallest unit, that a depository owes to no deposit, less what signed, unincluded transactions take. A
 * lane on the depository's account pays fees from nothing else (G12).
 */
export async function solverCoinInDepository(
  { store }: Pick<EngineContext, 'store'>,
  chain: ChainAdapter,
): Promise<bigint> {
  const { id, currency } = chain.facts;
  const vaults = chain.lanes.filter((lane) => !hasInventory(lane));
  // Before the balances: what lands between the two reads is subtracted twice, and never not at all.
  const open = await Promise.all(vaults.map(({ signer }) => store.openKeys(id, signer, MAX_OPEN_KEYS)));
  const [held, ...liabilities] = await Promise.all([
    store.pot(account.depository(id, currency.address)),
    store.pot(account.owed(id, currency.address)),
    store.pot(account.held(id, currency.address)),
  ]);
  // A deposit that vanished after its fill lowers the liability; the depository is not fuller.
  const owed = liabilities.reduce((sum, amount) => (amount < 0n ? sum - amount : sum), 0n);
  const leaving = open
    .flat()
    .filter(({ key }) => key.includedHash === null)
    .flatMap(({ legs }) => legs)
    .reduce((sum, leg) => sum + solverCoinTakenBy(chain, leg, leg.amount) + feeOf(chain, leg), 0n);
  return held - owed - leaving;
}

/** Without its fee, smallest unit; negative where it refunds less than is owed, e.g. for gas. */
export function solverCoinTakenBy(
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
