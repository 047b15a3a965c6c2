import type { ChainAdapter } from '../contract/chain-adapter.js';
import { account } from '../domain/accounts.js';
import { equityPosting } from '../domain/postings.js';
import { noteCompared } from './comparisons.js';
import { commit, type WorkContext } from './context.js';
import { laneId } from './lanes.js';
import { UnitOfWork } from './unit-of-work.js';

/**
 * Makes sure that a lane has a row and each of its pots an opening balance, and compares it with its chain.
 *
 * Invariant (G15): a signer whose chain position is past its ledger position was used by something this ledger does
 * not know, such as the part of a database that a restore lost. Its lane halts: nothing is signed, and "nothing was
 * ever signed" is not believed either.
 *
 * @returns false when another change of the lane came in between, so that nothing was compared.
 * @throws on infrastructure failure; the caller tries again, and the lane's work waits.
 */
export async function openLane(context: WorkContext, chain: ChainAdapter, signer: string): Promise<boolean> {
  const chainId = chain.facts.id;
  const id = laneId(chainId, signer);
  // The chain first: what this ledger signs meanwhile must not look like more than it knows.
  const known = (await context.store.lane(chainId, signer)) !== undefined;
  const position = await chain.lanePosition(signer, known ? 'pool' : undefined);
  const lane = await context.store.lane(chainId, signer);
  const unit = new UnitOfWork();
  if (!lane) {
    const row = {
      id,
      version: 1,
      chainId,
      signer,
      position,
      halted: null,
    };
    unit.insert('lanes', row);
  } else {
    const ahead = chain.positionAhead(position, lane.position);
    const halted = ahead ? `chain position ${position} is past the ledger's ${lane.position}` : null;
    unit.load('lanes', lane);
    if (halted !== lane.halted) unit.update('lanes', id, { halted });
    if (halted) {
      context.alerts.raise(
        `halted:${id}`,
        'A lane is halted: its signer was used by something this ledger does not know',
        { chainId, signer, halted },
      );
      context.log.error({ chainId, signer, halted }, 'lane halted');
    } else {
      context.alerts.clear(`halted:${id}`);
    }
  }
  await noteCompared(context, unit, id);
  if (!(await commit(context, 'engine.lane.open', unit)).ok) return false;
  for (const currency of currenciesOf(chain)) {
    await openPot(context, chain, account.inventory(chainId, signer, currency), 'lane', signer, currency);
  }
  return true;
}

/** Gives the pots of a chain's depository an opening balance. Before the first deposit is seen, and for new currencies. */
export async function openDepository(context: WorkContext, chain: ChainAdapter): Promise<void> {
  const { id, depository } = chain.facts;
  for (const currency of currenciesOf(chain)) {
    await openPot(context, chain, account.depository(id, currency), 'depository', depository, currency);
  }
}

export function currenciesOf(chain: ChainAdapter): ReadonlySet<string> {
  return new Set([chain.facts.currency, ...chain.currencies()].map((currency) => currency.address));
}

/** Books what a pot held before the books began; once per pot, because the group id is unique. */
async function openPot(
  context: WorkContext,
  chain: ChainAdapter,
  name: string,
  pot: 'lane' | 'depository',
  owner: string,
  currency: string,
): Promise<void> {
  const key = `opened:${name}`;
  if (await context.store.meta(key)) return;
  const booked = (await context.store.pots(name)).some((pot) => pot.account === name);
  if (booked) return;
  // Read with nothing of ours in flight: the pot is new to the books, so no leg and no deposit can have changed it.
  const amount = await chain.potBalance(pot, owner, currency);
  const unit = new UnitOfWork();
  unit.insert('meta', { key, version: 1, value: amount.toString() });
  const meta = { groupId: `opening:${name}`, requestId: null, legId: null, createdAt: context.clock.now() };
  unit.post(equityPosting(meta, name, 'opening', chain.facts.id, currency, amount));
  await commit(context, 'engine.pot.open', unit);
}
