import { depositoryHolds } from '../../capabilities/deposit-addresses/swept.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { CursorRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import type { WorkContext } from '../base/context.js';
import type { Arrival } from '../base/lately-final.js';

/** After so many batches, the watcher has read past an earlier balance. */
const SETTLING_BATCHES = 2;
const POLL_INTERVAL_MS = 250;
const MAX_POLLS = 40;

export interface Reading {
  readonly cursor: CursorRow;
  /** Of the cursor after the balances were read: deposits written before may belong to an older head. */
  readonly version: number;
  readonly height: number;
  readonly pots: readonly { readonly currency: string; readonly books: bigint; readonly holds: bigint }[];
}

/**
 * Undefined while the watcher is behind the head.
 *
 * Read order: cursor, books, chain, so that each covers at least what the one before does.
 */
export async function readDepository(
  context: WorkContext,
  chain: ChainAdapter,
  currencies: Iterable<string>,
): Promise<Reading | undefined> {
  const { id } = chain.facts;
  const cursor = await context.store.cursor(id);
  // While it catches up, deposits in between are neither booked nor above its head.
  if (!cursor || (context.read.get(id) ?? Number.NEGATIVE_INFINITY) < cursor.headHeight) return undefined;
  const pots = [];
  for (const currency of currencies) {
    const books = await context.store.pot(account.depository(id, currency));
    pots.push({ currency, books, holds: await depositoryHolds(context, chain, currency) });
  }
  const height = chain.status().head?.value ?? 0;
  return { cursor, pots, height, version: (await context.store.cursor(id))?.version ?? cursor.version };
}

/**
 * Deposits above the books' height at a reading. `notYet` until the watcher passed the chain's height then; `again`
 * where too many arrived to be listed.
 */
export async function camePast(
  context: WorkContext,
  chainId: ChainId,
  reading: Reading,
): Promise<readonly Arrival[] | 'notYet' | 'again'> {
  if (!(await caughtUp(context, chainId, reading))) return 'notYet';
  const { headHeight } = reading.cursor;
  // In this order: a deposit that becomes final in between is in both lists, never in none.
  const unfinal = await context.store.depositsAbove(chainId, headHeight);
  const final = context.latelyFinal.above(chainId, headHeight);
  if (final === undefined) return 'again';
  const known = new Set(unfinal.map(({ fundingKey }) => fundingKey));
  return [...unfinal, ...final.filter(({ fundingKey }) => !known.has(fundingKey))];
}

async function caughtUp(context: WorkContext, chainId: ChainId, { version, height }: Reading): Promise<boolean> {
  for (let looks = 0; looks < MAX_POLLS && !context.stopping.aborted; looks += 1) {
    const now = await context.store.cursor(chainId);
    const isRead = (context.read.get(chainId) ?? Number.NEGATIVE_INFINITY) >= height;
    if (now && isRead && now.version >= version + SETTLING_BATCHES) return true;
    await context.clock.sleep(POLL_INTERVAL_MS, context.stopping);
  }
  return false;
}
