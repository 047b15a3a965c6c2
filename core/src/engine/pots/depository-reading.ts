import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { CursorRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { depositoryPot } from '../../domain/pots.js';
import type { WorkContext } from '../base/context.js';
import type { Arrival } from '../base/lately-final.js';

/** Batches of the watcher after which it has asked for a head later than that of a balance read before. */
const BATCHES = 2;
const LOOK_MS = 250;
const MOST_LOOKS = 40;

/** What the depository held, and what the books then said, as far as the watcher had come. */
export interface Reading {
  readonly cursor: CursorRow;
  /** Version of the cursor after the balances were read: deposits written before then may belong to an older head. */
  readonly version: number;
  /** Height that the chain had by then. */
  readonly height: number;
  readonly pots: readonly { readonly currency: string; readonly books: bigint; readonly holds: bigint }[];
}

/**
 * Undefined while the watcher has not read up to the head.
 *
 * The cursor before the books, so that they have all it covers; the books before the chain, which has all they have.
 */
export async function readDepository(
  context: WorkContext,
  chain: ChainAdapter,
  currencies: Iterable<string>,
): Promise<Reading | undefined> {
  const { id, depository } = chain.facts;
  const cursor = await context.store.cursor(id);
  // While it catches up, what lies between is neither in the books nor above the head that it names.
  if (!cursor || (context.read.get(id) ?? Number.NEGATIVE_INFINITY) < cursor.headHeight) return undefined;
  const pots = [];
  for (const currency of currencies) {
    const books = await context.store.pot(account.depository(id, currency));
    pots.push({ currency, books, holds: await chain.potBalance(depositoryPot(depository), currency) });
  }
  const height = chain.status().head?.value ?? 0;
  return { cursor, pots, height, version: (await context.store.cursor(id))?.version ?? cursor.version };
}

/**
 * The deposits that came in above what the books had covered at a reading, once the watcher has come past what the chain
 * showed then. `notYet` while it has not; `again` where too many came to tell them all: then it is read again.
 */
export async function camePast(
  context: WorkContext,
  chainId: ChainId,
  reading: Reading,
): Promise<readonly Arrival[] | 'notYet' | 'again'> {
  if (!(await caughtUp(context, chainId, reading))) return 'notYet';
  const { headHeight } = reading.cursor;
  // In this order: what becomes final in between is in both lists, and never in none.
  const unfinal = await context.store.depositsAbove(chainId, headHeight);
  const final = context.latelyFinal.above(chainId, headHeight);
  if (final === undefined) return 'again';
  const known = new Set(unfinal.map(({ fundingKey }) => fundingKey));
  return [...unfinal, ...final.filter(({ fundingKey }) => !known.has(fundingKey))];
}

/** Waits for the watcher, and no longer than a slow block may take. */
async function caughtUp(context: WorkContext, chainId: ChainId, { version, height }: Reading): Promise<boolean> {
  for (let looks = 0; looks < MOST_LOOKS && !context.stopping.aborted; looks += 1) {
    const now = await context.store.cursor(chainId);
    const isRead = (context.read.get(chainId) ?? Number.NEGATIVE_INFINITY) >= height;
    if (now && isRead && now.version >= version + BATCHES) return true;
    await context.clock.sleep(LOOK_MS, context.stopping);
  }
  return false;
}
