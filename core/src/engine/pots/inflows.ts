import type { ChainAdapter } from '../../contract/chain-adapter.js';
import { account } from '../../domain/accounts.js';
import { equityPosting } from '../../domain/postings.js';
import { lanePot } from '../../domain/pots.js';
import { commit, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { UnitOfWork } from '../base/unit-of-work.js';

const READ_CONCURRENCY = 8;

/**
 * Books what an operator adds to a lane, without a restart.
 *
 * Invariant: a surplus is booked up to the smaller of two consecutive rounds in which no lane of the chain has a key
 * awaiting inclusion, so no own movement looks like an inflow. Third parties' transfers delay nothing. A shortfall is
 * never booked: the key was used elsewhere, which alerts an operator.
 */
export class InflowWatch {
  readonly #surplus = new Map<string, bigint>();

  async check(context: WorkContext, chain: ChainAdapter, signer: string): Promise<void> {
    const quiet = await this.#quiet(context, chain);
    if (quiet === null) return this.#surplus.clear();
    const currencies = new Set([chain.facts.currency, ...chain.currencies()].map((currency) => currency.address));
    // At once, as all of it must fall between two movements of the lanes.
    const surpluses = await inParallel([...currencies], READ_CONCURRENCY, async (currency) => {
      const pot = account.inventory(chain.facts.id, signer, currency);
      const ledger = await context.store.pot(pot);
      return { pot, currency, surplus: (await chain.potBalance(lanePot(signer), currency)) - ledger };
    });
    if ((await this.#quiet(context, chain)) !== quiet) return this.#surplus.clear();
    for (const { pot, currency, surplus } of surpluses) {
      this.#alert(context, pot, surplus);
      const seen = surplus > 0n ? surplus : 0n;
      const before = this.#surplus.get(pot) ?? 0n;
      const least = /* guard: smaller-surplus-of-two */ seen < before ? seen : before;
      if (least > 0n) await book(context, chain, pot, currency, least);
      if (seen > least) this.#surplus.set(pot, seen - least);
      else this.#surplus.delete(pot);
    }
  }

  /**
   * Null while a key awaits inclusion or a lane is halted: sends that a restored database forgot must not be booked
   * as inflows.
   */
  async #quiet({ store }: WorkContext, { facts, lanes }: ChainAdapter): Promise<string | null> {
    const positions: string[] = [];
    for (const { signer } of lanes) {
      const open = await store.openKeys(facts.id, signer, 5_000);
      const lane = await store.lane(facts.id, signer);
      if (!lane || lane.halted !== null || open.some(({ key }) => key.includedHash === null)) return null;
      positions.push(lane.position);
    }
    return positions.join(' ');
  }

  #alert(context: WorkContext, pot: string, surplus: bigint): void {
    const id = `shortfall:${pot}`;
    if (surplus >= 0n) context.alerts.clear(id);
    else context.alerts.raise(id, 'A lane holds less than the books say', { pot, missing: (-surplus).toString() });
  }
}

async function book(
  context: WorkContext,
  chain: ChainAdapter,
  pot: string,
  currency: string,
  amount: bigint,
): Promise<void> {
  const unit = new UnitOfWork();
  const groupId = `inflow:${pot}:${context.random.hex(8)}`;
  const meta = { groupId, requestId: null, legId: null, createdAt: context.clock.now() };
  unit.post(equityPosting(meta, pot, 'inflow', chain.facts.id, currency, amount));
  await commit(context, 'engine.inflow', unit);
  context.log.info({ pot, amount: amount.toString() }, 'an inflow was booked as inventory');
}
