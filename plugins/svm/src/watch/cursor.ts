/** How far deposits were read. */
export interface Cursor {
  /** Everything in slots up to here was read, once it had been final for a while. */
  readonly settled: number;
  /** Nothing in a slot above was told of. */
  readonly seen: number;
  /** Newest final slot of a told batch: deposits told in slots up to here are never taken back. */
  readonly final: number;
  /** When that was, Unix milliseconds; 0: not known. */
  readonly finalTime: number;
}

export function writeCursor({ settled, seen, final, finalTime }: Cursor): string {
  return JSON.stringify({ v: 2, settled, seen, final, finalTime });
}

/** @throws when the text is not a cursor of this adapter: a cursor is durable state, never guessed around. */
export function readCursor(text: string): Cursor {
  const { v, ...rest } = JSON.parse(text) as { v?: unknown } & Partial<Record<keyof Cursor, unknown>>;
  // The first version told of no final slot: nothing above what it had settled is safe.
  const { settled, seen, final, finalTime } = v === 1 ? { ...rest, final: rest.settled, finalTime: 0 } : rest;
  const isKnown = v === 1 || v === 2;
  if (!isKnown || !isCount(settled) || !isCount(seen) || !isCount(final) || !isCount(finalTime) || seen < settled) {
    throw new Error('not a deposit cursor of this family');
  }
  return { settled, seen, final, finalTime };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
