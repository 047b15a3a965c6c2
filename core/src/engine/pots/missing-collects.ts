import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { WorkContext } from '../base/context.js';
import { currenciesOf } from '../books/open-pots.js';
import { countedAt } from '../recovery/index.js';
import { camePast, type Reading, readDepository } from './depository-reading.js';

/**
 * Whether sends that this ledger lost took something out of a chain's depository, as collections do that were made
 * after a backup was taken.
 *
 * Invariant (G2, G15): what they took is missing for good, and nobody's deposit may stand in for it. A transfer that is
 * on the chain and not in the books yet would hide as much as it is worth; so a depository counts as whole only if it
 * held what the books said together with all that they took in since from blocks that they did not cover then. While
 * more lost sends may come to light, nothing is known. Once they are all known, what they took does not change any
 * more: it is enough to have found a pot whole once.
 *
 * Not guaranteed: a provider that is behind, so that its balance still has what went out since; a transfer that a reorg
 * takes away before the watcher saw it.
 */
export class MissingCollects {
  /** The resumptions that the rest was found after. */
  #since = '';
  readonly #whole = new Set<string>();
  #reading: Reading | undefined;

  /**
   * The currencies whose pots are known to be whole; 'all' where this ledger lost nothing. Waits for the watcher, and
   * no longer than a slow block may take.
   */
  async wholePots(context: WorkContext, chain: ChainAdapter): Promise<'all' | ReadonlySet<string>> {
    const { id } = chain.facts;
    // Before the lanes are read: a comparison marks its lane and halts it in one.
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
