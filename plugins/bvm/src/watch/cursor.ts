import type { OrderId } from '@causeway/core';
import { orderIdOf } from '../addresses.js';

export interface Mark {
  readonly height: number;
  readonly id: string;
}

export interface Waiting {
  readonly txid: string;
  readonly vouts: readonly (readonly number[])[];
  readonly orderId: OrderId | null;
  /** It pays a deposit address. */
  readonly addressed: boolean;
  /** Satoshis of these outputs; 0 in older cursors. */
  readonly amount: bigint;
  /**
   * Outputs that it and its unconfirmed ancestors spend, as `outpointText`. It can only confirm while no other
   * transaction spends any of these.
   */
  readonly needs: readonly string[];
  readonly family: readonly string[];
  /** Unix milliseconds since it left every mempool; null while present. */
  readonly absentSince: number | null;
  /** Block with a conflicting transaction, until that is final; null: none. */
  readonly rival: Mark | null;
}

/**
 * Marks are processed blocks, ascending: all from the newest final one on, sparser below. Reorgs are detected at
 * these. A gap costs at most reading some blocks again, which repeats observations and loses none.
 */
export interface Cursor {
  readonly marks: readonly Mark[];
  readonly waiting: readonly Waiting[];
}

/** Depth of the oldest mark. */
const MAX_MARK_DEPTH = 4_096;

export function tip({ marks }: Pick<Cursor, 'marks'>): Mark {
  const last = marks[marks.length - 1];
  if (last === undefined) throw new Error('a cursor has at least one mark');
  return last;
}

/** Thinned out: four per doubling of the depth, all above finality. */
export function extended(marks: readonly Mark[], added: readonly Mark[], finalized: number): readonly Mark[] {
  const all = [...marks, ...added];
  const newest = all[all.length - 1]?.height ?? 0;
  const anchor = all.findLast(({ height }) => height <= finalized);
  return all.filter((mark) => {
    if (mark === anchor || mark.height >= finalized) return true;
    const depth = newest - mark.height;
    return depth <= MAX_MARK_DEPTH && mark.height % strideAt(depth) === 0;
  });
}

function strideAt(depth: number): number {
  return depth < 8 ? 1 : 2 ** (Math.floor(Math.log2(depth)) - 2);
}

interface WaitingText {
  readonly t: string;
  readonly v: readonly (number | readonly number[])[];
  readonly i: string | null;
  /** Absent: pays no deposit address. */
  readonly d?: 1;
  readonly m?: string;
  readonly n: string;
  readonly f: string;
  readonly a: number | null;
  /** Absent: no conflict. */
  readonly r?: readonly [number, string];
}

export function writeCursor({ marks, waiting }: Cursor): string {
  const texts = waiting.map(
    ({ txid, vouts, orderId, addressed, amount, needs, family, absentSince, rival }): WaitingText => ({
      t: txid,
      v: vouts.map((one) => (one.length === 1 ? (one[0] ?? 0) : one)),
      i: orderId,
      ...(addressed ? { d: 1 } : {}),
      m: amount.toString(),
      n: Buffer.from(needs.join(''), 'latin1').toString('base64'),
      f: Buffer.from(family.join(''), 'hex').toString('base64'),
      a: absentSince,
      ...(rival === null ? {} : { r: [rival.height, rival.id] as const }),
    }),
  );
  return JSON.stringify({ v: 1, marks: marks.map(({ height, id }) => [height, id]), waiting: texts });
}

/** @throws for malformed text: a cursor is durable state and never guessed. */
export function readCursor(text: string): Cursor {
  const parsed = JSON.parse(text) as { v?: unknown; marks?: unknown; waiting?: unknown };
  if (parsed.v !== 1 || !Array.isArray(parsed.marks) || parsed.marks.length === 0 || !Array.isArray(parsed.waiting))
    throw new Error('not a deposit cursor of this family');
  return {
    marks: (parsed.marks as [number, string][]).map(([height, id]) => ({ height, id })),
    waiting: (parsed.waiting as WaitingText[]).map(({ t, v, i, d, m, n, f, a, r }) => ({
      txid: t,
      vouts: v.map((one) => (typeof one === 'number' ? [one] : one)),
      orderId: i === null ? null : (orderIdOf(i) ?? null),
      addressed: d === 1,
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
