import type { OrderId } from '@causeway/core';
import { orderIdOf } from '../addresses.js';

/** A processed block. */
export interface Mark {
  readonly height: number;
  readonly id: string;
}

/** A deposit that was told of and is not in a block yet. */
export interface Waiting {
  readonly txid: string;
  /** Its outputs that are deposits: one for each, or some that are one together. */
  readonly vouts: readonly (readonly number[])[];
  readonly orderId: OrderId | null;
  /** Satoshis of these outputs; 0 where an older version of this program told of it. */
  readonly amount: bigint;
  /**
   * What it spends, and what those spend that it descends from and that wait, too; as `outpointText`. It can only land
   * while nobody else has spent any of these.
   */
  readonly needs: readonly string[];
  /** Ids of the pool transactions that this transaction descends from. */
  readonly family: readonly string[];
  /** Since when it is in no pool, Unix milliseconds; null while it is. */
  readonly absentSince: number | null;
  /** The block that has a rival of it, until that is final; null while none has. */
  readonly rival: Mark | null;
}

/**
 * How far deposits were read.
 *
 * Marks are processed blocks, ascending: all from the newest final one on, fewer and fewer below. The last one is how far
 * processing has come; the others are where a reorg can be met. A gap between marks costs at most reading some blocks
 * again, which repeats observations and loses none.
 */
export interface Cursor {
  readonly marks: readonly Mark[];
  readonly waiting: readonly Waiting[];
}

/** Below finality, marks are kept to this depth. */
const DEEPEST = 4_096;

export function tip({ marks }: Pick<Cursor, 'marks'>): Mark {
  const last = marks[marks.length - 1];
  if (last === undefined) throw new Error('a cursor has at least one mark');
  return last;
}

/** Marks with further ones, thinned out: four to each doubling of the depth, all of them above finality. */
export function extended(marks: readonly Mark[], added: readonly Mark[], finalized: number): readonly Mark[] {
  const all = [...marks, ...added];
  const newest = all[all.length - 1]?.height ?? 0;
  const anchor = all.findLast(({ height }) => height <= finalized);
  return all.filter((mark) => {
    if (mark === anchor || mark.height >= finalized) return true;
    const depth = newest - mark.height;
    return depth <= DEEPEST && mark.height % strideAt(depth) === 0;
  });
}

function strideAt(depth: number): number {
  return depth < 8 ? 1 : 2 ** (Math.floor(Math.log2(depth)) - 2);
}

interface WaitingText {
  readonly t: string;
  readonly v: readonly (number | readonly number[])[];
  readonly i: string | null;
  /** Absent in older cursors. */
  readonly m?: string;
  readonly n: string;
  readonly f: string;
  readonly a: number | null;
  /** Absent: no block has a rival. */
  readonly r?: readonly [number, string];
}

export function writeCursor({ marks, waiting }: Cursor): string {
  const texts = waiting.map(
    ({ txid, vouts, orderId, amount, needs, family, absentSince, rival }): WaitingText => ({
      t: txid,
      v: vouts.map((one) => (one.length === 1 ? (one[0] ?? 0) : one)),
      i: orderId,
      m: amount.toString(),
      n: Buffer.from(needs.join(''), 'latin1').toString('base64'),
      f: Buffer.from(family.join(''), 'hex').toString('base64'),
      a: absentSince,
      ...(rival === null ? {} : { r: [rival.height, rival.id] as const }),
    }),
  );
  return JSON.stringify({ v: 1, marks: marks.map(({ height, id }) => [height, id]), waiting: texts });
}

/** @throws when the text is not a cursor of this adapter: a cursor is durable state, never guessed around. */
export function readCursor(text: string): Cursor {
  const parsed = JSON.parse(text) as { v?: unknown; marks?: unknown; waiting?: unknown };
  if (parsed.v !== 1 || !Array.isArray(parsed.marks) || parsed.marks.length === 0 || !Array.isArray(parsed.waiting))
    throw new Error('not a deposit cursor of this family');
  return {
    marks: (parsed.marks as [number, string][]).map(([height, id]) => ({ height, id })),
    waiting: (parsed.waiting as WaitingText[]).map(({ t, v, i, m, n, f, a, r }) => ({
      txid: t,
      vouts: v.map((one) => (typeof one === 'number' ? [one] : one)),
      orderId: i === null ? null : (orderIdOf(i) ?? null),
      amount: BigInt(m ?? 0),
      needs: chunks(Buffer.from(n, 'base64').toString('latin1'), 36),
      family: chunks(Buffer.from(f, 'base64').toString('hex'), 64),
      absentSince: a,
      rival: r === undefined ? null : { height: r[0], id: r[1] },
    })),
  };
}

function chunks(text: string, length: number): string[] {
  return Array.from({ length: text.length / length }, (_, n) => text.slice(n * length, (n + 1) * length));
}
