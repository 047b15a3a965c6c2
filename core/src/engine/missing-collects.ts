import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { ChainId } from '../contract/ids.js';
import type { CursorRow } from '../contract/store-rows.js';
import { account } from '../domain/accounts.js';
import type { WorkContext } from './context.js';
import { countedAt } from './foreign-fills.js';
import { currenciesOf } from './open-lanes.js';

/** Batches of the watcher after which it has asked for a head later than that of a balance read before. */
const BATCHES = 2;
const LOOK_MS = 250;
const MOST_LOOKS = 40;

/** What the depository held, and what the books then said, as far as the watcher had come. */
interface Reading {
  readonly cursor: CursorRow;
  /** Version of the cursor once the balances were read: what was written until then may stand for an older head. */
  readonly version: number;
  readonly pots: readonly { readonly currency: string; readonly books: bigint; readonly holds: bigint }[];
}

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
    this.#reading ??= await read(context, chain, open);
    const reading = this.#reading;
    if (!reading) return;
    const now = await caughtUp(context, chain.facts.id, reading.version);
    if (!now) return;
    this.#reading = undefined;
    // What is final by now is not among the deposits above that height: then it is read again.
    if (now.finalHeight > reading.cursor.headHeight) return;
    const later = await context.store.depositsAbove(chain.facts.id, reading.cursor.headHeight);
    for (const { currency, books, holds } of reading.pots) {
      const came = later.reduce((sum, row) => (row.currency === currency ? sum + row.amount : sum), 0n);
      if (holds >= books + came) this.#whole.add(currency);
      else
        context.log.warn({ chainId: chain.facts.id, currency, missing: `${books + came - holds}` }, 'not collecting');
    }
  }
}

/** The cursor before the books, so that they have all it covers; the books before the chain, which has all they have. */
async function read(
  context: WorkContext,
  chain: ChainAdapter,
  currencies: readonly string[],
): Promise<Reading | undefined> {
  const { id, depository } = chain.facts;
  const cursor = await context.store.cursor(id);
  if (!cursor) return undefined;
  const pots = [];
  for (const currency of currencies) {
    const books = await context.store.pot(account.depository(id, currency));
    pots.push({ currency, books, holds: await chain.potBalance('depository', depository, currency) });
  }
  return { cursor, pots, version: (await context.store.cursor(id))?.version ?? cursor.version };
}

/** The cursor once the watcher has come past what the chain showed at a reading; undefined while it has not. */
async function caughtUp(context: WorkContext, chainId: ChainId, version: number): Promise<CursorRow | undefined> {
  for (let looks = 0; looks < MOST_LOOKS && !context.stopping.aborted; looks += 1) {
    const now = await context.store.cursor(chainId);
    if (now && now.version >= version + BATCHES) return now;
    await context.clock.sleep(LOOK_MS, context.stopping);
  }
  return undefined;
}
