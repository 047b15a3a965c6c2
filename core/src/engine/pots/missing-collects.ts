import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { WorkContext } from '../base/context.js';
import { currenciesOf } from '../books/open-pots.js';
import { countedAt } from '../recovery/index.js';
import { camePast, type Reading, readDepository } from './depository-reading.js';

/**
 * Whether lost sends, such as collects after the backup, took money out of a depository.
 *
 * Invariant (G2, G15): no other deposit may make up for what they took. Unbooked deposits on the chain would hide it,
 * so a pot is whole only if it held the booked amount plus all that came since from blocks not booked then. Unknown
 * while more lost sends may appear; after that, one successful check is enough.
 *
 * Not guaranteed: a lagging provider's balance; a transfer that a reorg removes before the watcher saw it.
 */
export class MissingCollects {
  /** Cached results hold for these resumptions. */
  #since = '';
  readonly #whole = new Set<string>();
  #reading: Reading | undefined;

  /**
   * Currencies whose pots are whole; 'all' where nothing was lost. Waits for the watcher, at most as long as a slow
   * block takes.
   */
  async wholePots(context: WorkContext, chain: ChainAdapter): Promise<'all' | ReadonlySet<string>> {
    const { id } = chain.facts;
    // Before the lanes are read: a comparison marks and halts its lane in one change set.
    const compared = context.compared(id);
    const lanes = (await context.store.lanes()).filter((lane) => lane.chainId === id);
    if (!compared || lanes.some((lane) => lane.halted !== null)) return new Set();
    const resumed = await Promise.all(lanes.map(async (lane) => `${lane.id} ${await countedAt(context, lane.id)}`));
    const since = resumed.filter((each) => !each.endsWith(' undefined')).join();
    if (since === '') return 'all';
    if (since !== this.#since) {
      this.#since = since;
      this.#whole.clear();
      this.#reading = undefined;
    }
    await this.#look(context, chain);
    return this.#whole;
  }

  async #look(context: WorkContext, chain: ChainAdapter): Promise<void> {
    const open = [...currenciesOf(chain)].filter((currency) => !this.#whole.has(currency));
    if (open.length === 0) return;
    this.#reading ??= await readDepository(context, chain, open);
    const reading = this.#reading;
    if (!reading) return;
    const later = await camePast(context, chain.facts.id, reading);
    if (later === 'notYet') return;
    this.#reading = undefined;
    if (later === 'again') return;
    for (const { currency, books, holds } of reading.pots) {
      const came = later.reduce((sum, row) => (row.currency === currency ? sum + row.amount : sum), 0n);
      if (holds >= books + came) this.#whole.add(currency);
      else
        context.log.warn({ chainId: chain.facts.id, currency, missing: `${books + came - holds}` }, 'not collecting');
    }
  }
}
