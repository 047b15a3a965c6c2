import type { UnixMs } from '@causeway/core';
import { type HttpClient, TransportError } from '@causeway/core/rpc';
import { isSignature } from './addresses.js';

/** A transaction in the history of an account, as the list of signatures names it. */
export interface HistoryEntry {
  readonly signature: string;
  readonly slot: number;
  readonly ok: boolean;
  /** Null where the node does not tell. */
  readonly timestamp: UnixMs | null;
  /** Texts of its memos; null where it has none. */
  readonly memo: string | null;
}

interface RawEntry {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
  readonly memo: string | null;
  readonly blockTime?: number | null;
}

/** Most that a node lists at once. */
const PAGE = 1_000;
/** A list without an end is a node that repeats itself. */
const MOST_PAGES = 10_000;

/**
 * What touched an account in slots above `above`, newest first, as far as a node has it confirmed. What a node threw away
 * is missing without a word: see `keptAbove`, to be asked afterwards.
 *
 * @param isBefore tells of an entry that is older than what is asked for.
 * @throws RpcError, TransportError; never leaves something out in silence.
 */
export async function historyAbove(
  rpc: HttpClient,
  account: string,
  above: number,
  isBefore: (entry: HistoryEntry) => boolean = () => false,
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let before: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,

      ...(before === undefined ? {} : { before }),
    };
    const listed = await rpc.request<readonly RawEntry[]>('getSignaturesForAddress', [account, options]);
    for (const raw of listed) {
      const entry = entryOf(raw);
      if (entry.slot <= above || isBefore(entry)) return entries;
      entries.push(entry);
      before = entry.signature;
    }
    if (listed.length < PAGE) return entries;
  }
  throw new TransportError(`the history of ${account} has no end`, 'malformed');
}

function entryOf({ signature, slot, err, memo, blockTime }: RawEntry): HistoryEntry {
  if (typeof signature !== 'string' || !isSignature(signature) || !Number.isSafeInteger(slot)) {
    throw new TransportError('a signature came back malformed', 'malformed');
  }
  const timestamp = typeof blockTime === 'number' ? blockTime * 1_000 : null;
  return { signature, slot, ok: err === null, timestamp, memo: memo ?? null };
}

const MEMO = /\[\d+\] ([^;]*)/g;

/** Single memos of an entry: nodes write them as `[length] text`, with `; ` between two. */
export function memosIn({ memo }: Pick<HistoryEntry, 'memo'>): readonly string[] {
  return memo === null ? [] : [...memo.matchAll(MEMO)].map(([, text = '']) => text.trim());
}
