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

type IsBefore = (entry: HistoryEntry) => boolean;

/**
 * What touched an account in slots above `above`, newest first, as far as a node has it confirmed. What a node threw away
 * is missing without a word: see `keptAbove`, to be asked before and after.
 *
 * @param isBefore tells of an entry that is older than what is asked for.
 * @throws RpcError, TransportError; never leaves something out in silence.
 */
export async function historyAbove(
  rpc: HttpClient,
  account: string,
  above: number,
  isBefore: IsBefore = () => false,
): Promise<readonly HistoryEntry[]> {
  return list(rpc, account, above, isBefore);
}

/**
 * The same, of a node that has reached a slot at least: where what is not there counts. A list does not say how new it is,
 * and behind the name that told of the slot another node may answer.
 *
 * Asked twice: with `minContextSlot` a node that is behind refuses; but one kind of node, the local one, takes it for the
 * oldest slot that it shall list, and has the rest in the plain answer.
 *
 * @throws RpcError where it is behind, and as `historyAbove`.
 */
export async function historyAsOf(
  rpc: HttpClient,
  account: string,
  asOf: number,
  above: number,
  isBefore: IsBefore = () => false,
): Promise<readonly HistoryEntry[]> {
  const lists = await Promise.all([list(rpc, account, above, isBefore), list(rpc, account, above, isBefore, asOf)]);
  const bySignature = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  return [...bySignature.values()].sort((a, b) => b.slot - a.slot);
}

async function list(
  rpc: HttpClient,
  account: string,
  above: number,
  isBefore: IsBefore,
  asOf?: number,
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let before: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
      ...(asOf === undefined ? {} : { minContextSlot: asOf }),
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
