import type { ChainAdapter } from '../contract/chain-adapter.js';
import { account } from '../domain/accounts.js';
import { equityPosting } from '../domain/postings.js';
import { commit, type WorkContext } from './context.js';
import { camePast, type Reading, readDepository } from './depository-reading.js';
import { currenciesOf } from './open-lanes.js';
import { UnitOfWork } from './unit-of-work.js';
import { microUsdOf } from './value.js';

/** Beyond twice its finality, a chain shows nothing that its watcher has not told of. */
const MARGIN_MS = 60_000;

interface Surplus {
  readonly since: number;
  /** Least that was found since then. */
  readonly least: bigint;
}

/**
 * Books what came into a depository and belongs to nobody's deposit: dust that is not worth a request, and what arrives by no
 * transfer that the chain's watcher knows. One posting per currency and round, however many transfers there were.
 *
 * Invariant: it is booked once it has lasted for longer than any deposit takes from the chain into the books, and never more
 * than the least that was there in all that time. Books that say too little leave it for later; nothing here is ever owed.
 */
export class UnclaimedWatch {
  readonly #surplus = new Map<string, Surplus>();
  #reading: Reading | undefined;

  async round(context: WorkContext, chain: ChainAdapter): Promise<void> {
    const { id } = chain.facts;
    // While sends of ours may be unknown, nobody knows what the books should say.
    const halted = (await context.store.lanes()).some((lane) => lane.chainId === id && lane.halted !== null);
    if (halted || !context.compared(id)) {
      this.#surplus.clear();
      this.#reading = undefined;
      return;
    }
    this.#reading ??= await readDepository(context, chain, currenciesOf(chain));
    const reading = this.#reading;
    if (!reading) return;
    const later = await camePast(context, id, reading);
    if (later === 'notYet') return;
    this.#reading = undefined;
    if (later === 'again') return;
    const waiting = await context.store.unconfirmed(id, MOST_WAITING);
    for (const { currency, books, holds } of reading.pots) {
      const coming = [...later, ...waiting].reduce(
        (sum, row) => (row.currency === currency ? sum + row.amount : sum),
        0n,
      );
      await this.#note(context, chain, currency, holds - books - coming);
    }
  }

  async #note(context: WorkContext, chain: ChainAdapter, currency: string, surplus: bigint): Promise<void> {
    const { id, finalityMs } = chain.facts;
    const now = context.clock.monotonic();
    if (surplus <= 0n) {
      this.#surplus.delete(currency);
      return;
    }
    const before = this.#surplus.get(currency);
    const least = before && before.least < surplus ? before.least : surplus;
    const since = before?.since ?? now;
    if (now - since <= 2 * finalityMs + MARGIN_MS) {
      this.#surplus.set(currency, { since, least });
      return;
    }
    this.#surplus.delete(currency);
    await book(context, chain, currency, least);
    if (microUsdOf(context, id, currency, least) < context.policy.limits.dustMicroUsd) return;
    context.log.warn({ chainId: id, currency, amount: least.toString() }, 'money arrived that belongs to no deposit');
    context.metrics.count('unclaimed_inflows', 'Inflows into depositories that belong to no deposit', { chain: id });
  }
}

const MOST_WAITING = 5_000;

async function book(context: WorkContext, chain: ChainAdapter, currency: string, amount: bigint): Promise<void> {
  const { id } = chain.facts;
  const unit = new UnitOfWork();
  const pot = account.depository(id, currency);
  const meta = {
    groupId: `unclaimed:${pot}:${context.random.hex(8)}`,
    requestId: null,
    legId: null,
    createdAt: context.clock.now(),
  };
  unit.post(equityPosting(meta, pot, 'unclaimed', id, currency, amount));
  await commit(context, 'engine.unclaimed', unit);
}
