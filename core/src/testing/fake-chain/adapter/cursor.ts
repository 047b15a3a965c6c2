export interface Mark {
  readonly height: number;
  readonly id: string;
}

/** An observed deposit that is in no block. */
export interface Waiting {
  readonly fundingKey: string;
  readonly orderId: string | null;
  /** Deposit address that it pays. */
  readonly address?: string;
  readonly needs: readonly string[];
  readonly family: readonly string[];
  readonly rival: Mark | null;
}

/** Processed blocks that a reorg can still reach, ascending, from the newest final one. */
export interface Cursor {
  readonly marks: readonly Mark[];
  readonly waiting: readonly Waiting[];
}

export function writeCursor({ marks, waiting }: Cursor): string {
  const blocks = marks.map(({ height, id }) => `${height}=${id}`).join(' ');
  return waiting.length === 0 ? blocks : `${blocks};${JSON.stringify(waiting)}`;
}

/** @throws on foreign text: a cursor is durable state. */
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
