export interface Cursor {
  /** Slots up to here were completely read after they were final for `OVERLAP_SLOTS`. */
  readonly settled: number;
  /** No slot above was reported. */
  readonly seen: number;
  /** Newest final slot of a reported batch: deposits up to here are never reverted. */
  readonly final: number;
  /** Its time, Unix milliseconds; 0: unknown. */
  readonly finalTime: number;
}

export function writeCursor({ settled, seen, final, finalTime }: Cursor): string {
  return JSON.stringify({ v: 2, settled, seen, final, finalTime });
}

/** @throws when the text is no cursor of this adapter: durable state is never guessed. */
export function readCursor(text: string): Cursor {
  const { v, ...rest } = JSON.parse(text) as { v?: unknown } & Partial<Record<keyof Cursor, unknown>>;
  // Version 1 has no final slot: nothing above its settled slot is safe.
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
