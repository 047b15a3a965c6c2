import type { ChainAdapter, ChainCodec } from '../../contract/chain-adapter.js';
import type { PotRef } from '../../contract/legs.js';
import { equityPosting } from '../../domain/postings.js';
import { accountOfPot, depositoryPot, lanePot } from '../../domain/pots.js';
import { commit, type WorkContext } from '../base/context.js';
import { UnitOfWork } from '../base/unit-of-work.js';

/** Before the first deposit is seen, and for new currencies. */
export async function openDepository(context: WorkContext, chain: ChainAdapter): Promise<void> {
  const { depository } = chain.facts;
  for (const currency of currenciesOf(chain)) {
    await openPot(context, chain, depositoryPot(depository), currency);
  }
}

/** Once the lane's row is durable, and for new currencies. */
export async function openInventory(context: WorkContext, chain: ChainAdapter, signer: string): Promise<void> {
  for (const currency of currenciesOf(chain)) {
    await openPot(context, chain, lanePot(signer), currency);
  }
}

export function currenciesOf(chain: ChainCodec): ReadonlySet<string> {
  return new Set([chain.facts.currency, ...chain.currencies()].map((currency) => currency.address));
}

/** Once per pot: the group id is unique. */
async function openPot(context: WorkContext, chain: ChainAdapter, pot: PotRef, currency: string): Promise<void> {
  const name = accountOfPot(chain.facts.id, pot, currency);
  const key = `opened:${name}`;
  if (await context.store.meta(key)) return;
  const booked = (await context.store.pots(name)).some((row) => row.account === name);
  if (booked) return;
  // The pot is new to the books: nothing of the service's is in flight.
  const amount = await chain.potBalance(pot, currency);
  const unit = new UnitOfWork();
  unit.insert('meta', { key, version: 1, value: amount.toString() });
  const meta = { groupId: `opening:${name}`, requestId: null, legId: null, createdAt: context.clock.now() };
  unit.post(equityPosting(meta, name, 'opening', chain.facts.id, currency, amount));
  await commit(context, 'engine.pot.open', unit);
}
