/** A processed block. */
export interface Mark {
  readonly height: number;
  readonly id: string;
}

/** A deposit that was told of and is not in a block, on chains that show such. */
export interface Waiting {
  readonly fundingKey: string;
  readonly orderId: string | null;
  /** Outputs that it, and what it descends from and waits, too, would have to spend. */
  readonly needs: readonly string[];
  /** Names of those that it descends from. */
  readonly family: readonly string[];
  /** The block that has a rival; null while none has. */
  readonly rival: Mark | null;
}

/** Processed blocks that a reorg can still reach, ascending, from the newest final one on. */
export interface Cursor {
  readonly marks: readonly Mark[];
  readonly waiting: readonly Waiting[];
}

export function writeCursor({ marks, waiting }: Cursor): string {
  const blocks = marks.map(({ height, id }) => `${height}=${id}`).join(' ');
  return waiting.length === 0 ? blocks : `${blocks};${JSON.stringify(waiting)}`;
}

/** @throws when the text is not a cursor of this adapter: a cursor is durable state, never guessed around. */
export function readCursor(text: string): Cursor {
  const end = text.indexOf(';');
  const blocks = end < 0 ? text : text.slice(0, end);
  const marks = blocks.split(' ').map((mark) => {
    const [height = '', id = ''] = mark.split('=');
    if (!/^\d+$/.test(height) || id === '') throw new Error('not a deposit cursor of a fake chain');
    return { height: Number(height), id };
  });
  return { marks, waiting: end < 0 ? [] : (JSON.parse(text.slice(end + 1)) as Waiting[]) };
}
