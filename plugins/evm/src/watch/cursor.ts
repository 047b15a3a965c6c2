import type { Hex } from '@causeway/core';

export interface Mark {
  readonly number: number;
  readonly hash: Hex;
}

/**
 * Processed blocks, ascending: the newest DENSE ones, every STRIDE-th below, down to the newest final one. Reorgs are
 * detected at these. A sparse mark costs at most a rescan of STRIDE blocks, which repeats observations and loses
 * none.
 */
export interface Cursor {
  readonly marks: readonly Mark[];
  /** Deposits up to this height were read a second time, in final blocks. */
  readonly settled: number;
}

const DENSE = 64;
const STRIDE = 32;
const MAX_MARKS = 2048;

export function tip(cursor: Cursor): Mark {
  const last = cursor.marks[cursor.marks.length - 1];
  if (last === undefined) throw new Error('a cursor has at least one mark');
  return last;
}

/** Heights to mark after processing up to `to`, within (`from`, `to`]. */
export function marksWanted(from: number, to: number, finalized: number): number[] {
  const wanted: number[] = [];
  for (let n = from + 1; n <= to; n += 1) {
    if (n === to || (n >= finalized && (n > to - DENSE || n % STRIDE === 0))) wanted.push(n);
  }
  return wanted;
}

/** Drops marks that no reorg can reach any more, keeping one at or below `finalized`. */
export function extend(cursor: Cursor, added: readonly Mark[], finalized: number): Cursor {
  const all = [...cursor.marks, ...added];
  const newest = all[all.length - 1]?.number ?? 0;
  let floor = 0;
  for (let n = 0; n < all.length; n += 1) if ((all[n]?.number ?? 0) <= finalized) floor = n;
  const marks = all.filter(
    ({ number }, n) => n >= floor && (n === floor || number > newest - DENSE || number % STRIDE === 0),
  );
  return {
    ...cursor,
    marks: marks.length > MAX_MARKS ? [...marks.slice(0, 1), ...marks.slice(marks.length - MAX_MARKS)] : marks,
  };
}

export function rewind(cursor: Cursor, to: number): Cursor {
  return { ...cursor, marks: cursor.marks.filter(({ number }) => number <= to) };
}

export function writeCursor(cursor: Cursor): string {
  const { marks, settled } = cursor;
  return JSON.stringify({ v: 1, marks: marks.map(({ number, hash }) => [number, hash]), settled });
}

/** @throws for malformed text: a cursor is durable state and never guessed. */
export function readCursor(text: string): Cursor {
  const parsed = JSON.parse(text) as { v?: unknown; marks?: unknown; settled?: unknown };
  if (parsed.v !== 1 || !Array.isArray(parsed.marks) || parsed.marks.length === 0) {
    throw new Error('not a deposit cursor of an EVM chain');
  }
  const marks = (parsed.marks as [number, Hex][]).map(([number, hash]) => ({ number, hash }));
  // Older cursors lack the field; their oldest mark is the newest block that was final.
  return { marks, settled: typeof parsed.settled === 'number' ? parsed.settled : (marks[0]?.number ?? 0) };
}
