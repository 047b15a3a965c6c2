import { type Hex, writtenOrderId } from '@causeway/core';
import { type HttpClient, Portions, TransportError } from '@causeway/core/rpc';
import { isSignature } from '../addresses.js';

export interface Listed {
  readonly signature: string;
  readonly slot: number;
  readonly ok: boolean;
  /** Orders and use keys named by its memos, which anyone can write. */
  readonly ids: readonly Hex[];
}

/** A place in a history: `before` it are older entries. */
export type Anchor = Pick<Listed, 'signature' | 'slot'>;

interface RawEntry {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
  readonly memo?: string | null;
}

/** A node's limit per list. */
export const SIGNATURES_PAGE = 1_000;
const PORTIONS = new Portions(SIGNATURES_PAGE);
/**
 * 64 zero bytes, which sign no transaction. The local node, under load, once listed it and showed a transaction with
 * another signature for it.
 */
const NO_SIGNATURE = '1'.repeat(64);
/** The node has not reached `minContextSlot`. */
export const BEHIND = -32016;

export interface PageWish {
  /** Undefined: from the newest on. */
  readonly before: Anchor | undefined;
  /** Excluded, with everything older. A node that does not know it sends everything. */
  readonly until?: Anchor | undefined;
  /** The listing node must have reached this slot. */
  readonly asOf?: number | undefined;
}

export interface Page {
  readonly entries: readonly Listed[];
  /** Where older entries continue; undefined where there are none, down to `until`. */
  readonly next: Anchor | undefined;
}

/**
 * Pruned entries are missing silently: call `keptAbove` before and after.
 *
 * Invariant: no `next` means no older entries. A node that does not know `before` answers as if nothing were older,
 * and several nodes may share one name. So a page before a place is requested twice from a node that has reached its
 * slot: with `minContextSlot`, which a lagging node refuses, and plainly, because the local node treats it as the
 * oldest slot to list. A place that was reverted ends nothing.
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
    const reported = await Promise.all([list({}), ...(least === undefined ? [] : [list({ minContextSlot: least })])]);
    return { reported, limit };
  };
  const { reported, limit } = await PORTIONS.ask(rpc, SIGNATURES_PAGE, ask, ({ code }) => code === BEHIND);
  const lists = reported.reverse().map(listOf);
  const full = lists.find(({ length }) => length >= limit);
  if (full === undefined && before !== undefined) await expectKnown(rpc, before);
  const bySignature = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  bySignature.delete(NO_SIGNATURE);
  const entries = [...bySignature.values()].sort((a, b) => b.slot - a.slot);
  return { entries, next: full?.at(-1) };
}

/** The place to continue from left the chain, or the node does not know it. */
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

/** Nodes write memos as `[length] text`, separated by `; `. */
function memosIn(memo: string): readonly string[] {
  return [...memo.matchAll(MEMO)].map(([, text = '']) => text.trim());
}
