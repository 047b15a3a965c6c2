import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { account } from '../../domain/accounts.js';
import { equityPosting } from '../../domain/postings.js';
import type { WorkContext } from '../base/context.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { currenciesOf } from '../books/open-pots.js';
import { microUsdOf } from '../books/value.js';
import { camePast, type Reading, readDepository } from './depository-reading.js';
import { SurplusNotes } from './surplus-notes.js';

/** Beyond twice the finality, the watcher has reported all that a chain shows. */
const MARGIN_MS = 60_000;

/**
 * Books dust and money that arrived by no known transfer, one posting per currency and round.
 *
 * Invariant: booked after longer than any deposit takes from the chain into the books, and only the minimum amount
 * present in that time. Nothing here is ever owed.
 */
export class UnclaimedWatch {
  readonly #notes = new SurplusNotes();
  /** Last completed look, monotonic. */
  #lookedAt: number | undefined;
  #reading: Reading | undefined;

  async round(context: WorkContext, chain: ChainAdapter): Promise<void> {
    const { id } = chain.facts;
    // With unknown sends, the right book balance is unknown.
    const halted = (await context.store.lanes()).some((lane) => lane.chainId === id && lane.halted !== null);
    if (halted || !context.compared(id)) {
      this.#lookedAt = undefined;
      this.#reading = undefined;
      for (const currency of halted ? currenciesOf(chain) : [])
        await this.#notes.end(context, account.depository(id, currency));
      return;
    }
    this.#reading ??= await readDepository(context, chain, currenciesOf(chain));
    const reading = this.#reading;
    if (!reading) return;
    const later = await camePast(context, id, reading);
    if (later === 'notYet') return;
    this.#reading = undefined;
    if (later === 'again') return;
    const now = context.clock.monotonic();
    const passed = now - (this.#lookedAt ?? now);
    this.#lookedAt = now;
    const waiting = await context.store.unconfirmed(id, MAX_UNCONFIRMED_ROWS);
    for (const { currency, books, holds } of reading.pots) {
      const coming = [...later, ...waiting].reduce(
        (sum, row) => (row.currency === currency ? sum + row.amount : sum),
        0n,
      );
      // Unconfirmed deposits may exceed the surplus for minutes; that invalidates no earlier reading.
      if (coming > 0n && holds > books && holds - books <= coming) continue;
      await this.#note(context, chain, currency, holds - books - coming, passed);
    }
  }

  /** @param passed since the last look, milliseconds. */
  async #note(context: WorkContext, chain: ChainAdapter, currency: string, surplus: bigint, passed: number) {
    const { id, finalityMs } = chain.facts;
    const pot = account.depository(id, currency);
    if (surplus <= 0n) return this.#notes.end(context, pot);
    const before = await this.#notes.of(context, pot);
    const least = before && before.least < surplus ? before.least : surplus;
    const forMs = before ? before.forMs + passed : 0;
    // guard: settled-surplus
    if (forMs <= 2 * finalityMs + MARGIN_MS) return this.#notes.keep(context, pot, { least, forMs });
    await this.#notes.end(context, pot, posting(context, id, currency, least));
    if (microUsdOf(context, id, currency, least) < context.policy.limits.dustMicroUsd) return;
    context.log.warn({ chainId: id, currency, amount: least.toString() }, 'money arrived that belongs to no deposit');
    context.metrics.count('unclaimed_inflows', 'Inflows into depositories that belong to no deposit', { chain: id });
  }
}

const MAX_UNCONFIRMED_ROWS = 5_000;

function posting(context: WorkContext, chainId: ChainId, currency: string, amount: bigint): UnitOfWork {
  const unit = new UnitOfWork();
  const pot = account.depository(chainId, currency);
  const groupId = `unclaimed:${pot}:${context.random.hex(8)}`;
  const meta = { groupId, requestId: null, legId: null, createdAt: context.clock.now() };
  unit.post(equityPosting(meta, pot, 'unclaimed', chainId, currency, amount));
  return unit;
}
