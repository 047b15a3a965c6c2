/** How far deposits were read. */
export interface Cursor {
  /** Everything in slots up to here was read, and read again when it was final. */
  readonly settled: number;
  /** Everything in slots up to here was read once. */
  readonly seen: number;
}

export function writeCursor({ settled, seen }: Cursor): string {
  return JSON.stringify({ v: 1, settled, seen });
}

/** @throws when the text is not a cursor of this adapter: a cursor is durable state, never guessed around. */
export function readCursor(text: string): Cursor {
  const { v, settled, seen } = JSON.parse(text) as { v?: unknown; settled?: unknown; seen?: unknown };
  if (v !== 1 || !isSlot(settled) || !isSlot(seen) || seen < settled) {
    throw new Error('not a deposit cursor of this family');
  }
  return { settled, seen };
}

function isSlot(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
