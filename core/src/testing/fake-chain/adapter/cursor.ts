/** A processed block. */
export interface Mark {
  readonly height: number;
  readonly id: string;
}

/** Processed blocks that a reorg can still reach, ascending, from the newest final one on. */
export interface Cursor {
  readonly marks: readonly Mark[];
  /** Funding keys of deposits that wait for inclusion, on chains that show them. */
  readonly waiting: readonly string[];
}

export function writeCursor({ marks, waiting }: Cursor): string {
  const blocks = marks.map(({ height, id }) => `${height}=${id}`).join(' ');
  return waiting.length === 0 ? blocks : `${blocks};${waiting.join(' ')}`;
}

/** @throws when the text is not a cursor of this adapter: a cursor is durable state, never guessed around. */
export function readCursor(text: string): Cursor {
  const [blocks = '', waiting] = text.split(';');
  const marks = blocks.split(' ').map((mark) => {
    const [height = '', id = ''] = mark.split('=');
    if (!/^\d+$/.test(height) || id === '') throw new Error('not a deposit cursor of a fake chain');
    return { height: Number(height), id };
  });
  return { marks, waiting: waiting === undefined ? [] : waiting.split(' ') };
}
