import { type Hex, writtenOrderId } from '@causeway/core';
import { type HttpClient, Portions, TransportError } from '@causeway/core/rpc';
import { isSignature } from '../addresses.js';

/** A transaction in the history of an account, as lists of signatures name it; so short that many fit in memory. */
export interface Listed {
  readonly signature: string;
  readonly slot: number;
  readonly ok: boolean;
  /** What its memos name: orders, and once-only uses. Anybody can say it. */
  readonly ids: readonly Hex[];
}

/** A place in a history: what is listed `before` it is older. */
export type Anchor = Pick<Listed, 'signature' | 'slot'>;

interface RawEntry {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
  readonly memo?: string | null;
}

/** Most that a node lists at once. */
export const PAGE = 1_000;
const PORTIONS = new Portions(PAGE);
/** The node has not reached `minContextSlot`. */
const BEHIND = -32016;

export interface PageWish {
  /** Undefined: from the newest on. */
  readonly before: Anchor | undefined;
  /** Nothing that is as old as this is wanted. Of a node that does not know it, everything comes. */
  readonly until?: Anchor | undefined;
  /** The list is to be one of a node that has reached this slot. */
  readonly asOf?: number | undefined;
}

export interface Page {
  /** Newest first. */
  readonly entries: readonly Listed[];
  /** What comes after it is older than this; undefined where nothing does, down to `until`. */
  readonly next: Anchor | undefined;
}

/**
 * A part of what touched an account, as far as a node has it confirmed. What a node threw away is missing without a word: see
 * `keptAbove`, to be asked before and after.
 *
 * Invariant: where a page says that nothing older comes, nothing does. A node that has not heard yet of `before` answers as if
 * nothing were before it, and behind the name that told of it another node may answer. So what is listed before a place is asked
 * of a node that has reached its slot, twice: with `minContextSlot` a node that is behind refuses; but one kind of node, the
 * local one, takes it for the oldest slot that it shall list, and has the rest in the plain answer. And a place that the chain
 * has given up since ends nothing.
 *
 * @throws RpcError where a node is behind; PlaceLostError; TransportError.
 */
export async function historyPage(rpc: HttpClient, account: string, { before, until, asOf }: PageWish): Promise<Page> {
  const least = before === undefined ? asOf : Math.max(before.slot, asOf ?? 0);
  const plain = { commitment: 'confirmed', ...(before && { before: before.signature }) };
  const options = { ...plain, ...(until && { until: until.signature }) };
  const ask = async (limit: number) => {
    const list = (more: object) =>
      rpc.request<readonly RawEntry[]>('getSignaturesForAddress', [account, { ...options, limit, ...more }]);
    const told = await Promise.all([list({}), ...(least === undefined ? [] : [list({ minContextSlot: least })])]);
    return { told, limit };
  };
  const { told, limit } = await PORTIONS.ask(rpc, PAGE, ask, ({ code }) => code === BEHIND);
  const lists = told.reverse().map(listOf);
  const full = lists.find(({ length }) => length >= limit);
  if (full === undefined && before !== undefined) await expectKnown(rpc, before);
  const bySignature = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  const entries = [...bySignature.values()].sort((a, b) => b.slot - a.slot);
  return { entries, next: full?.at(-1) };
}

/** The place that a list was to go on from left the chain, or the node has never heard of it. */
export class PlaceLostError extends TransportError {
  constructor({ signature }: Anchor) {
    super(`${signature} was listed and is not there any more`, 'malformed');
  }
}

/** @throws PlaceLostError */
async function expectKnown(rpc: HttpClient, before: Anchor): Promise<void> {
  const params = [[before.signature], { searchTransactionHistory: true }];
  const { value } = await rpc.request<{ readonly value: readonly unknown[] }>('getSignatureStatuses', params);
  if (value[0] === null) throw new PlaceLostError(before);
}

function listOf(raw: unknown): readonly Listed[] {
  if (!Array.isArray(raw)) throw new TransportError('a list of signatures came back malformed', 'malformed');
  return (raw as readonly RawEntry[]).map(listed);
}

function listed({ signature, slot, err, memo }: RawEntry): Listed {
  if (typeof signature !== 'string' || !isSignature(signature) || !Number.isSafeInteger(slot)) {
    throw new TransportError('a signature came back malformed', 'malformed');
  }
  const memos = typeof memo === 'string' ? memosIn(memo) : [];
  const ids = memos.flatMap((text) => writtenOrderId(text) ?? []);
  return { signature, slot, ok: err === null, ids: ids.length === 0 ? NONE : ids };
}

const NONE: readonly Hex[] = Object.freeze([]);
const MEMO = /\[\d+\] ([^;]*)/g;

/** Single memos of an entry: nodes write them as `[length] text`, with `; ` between two. */
function memosIn(memo: string): readonly string[] {
  return [...memo.matchAll(MEMO)].map(([, text = '']) => text.trim());
}
