/**
 * A place in a chain's history. A message signed from there on lands in a slot above `final`; a message signed before had seen
 * no head above `height`, and so cannot land once that height is long past.
 */
export interface Position {
  /** Newest final slot. */
  readonly final: number;
  /** Block height of the head. */
  readonly height: number;
}

/** Blocks that a message stays valid for after the block whose hash it carries. */
export const VALID_BLOCKS = 150;
/** Blocks by which the head known to a signing process may have been ahead of the provider that is asked. */
export const LAG_BLOCKS = 32;

const TEXT = /^(\d+)\/(\d+)$/;

export function writePosition({ final, height }: Position): string {
  return `${final}/${height}`;
}

/** @throws on what no lane of this family stands at. */
export function readPosition(text: string): Position {
  const [, final, height] = TEXT.exec(text) ?? [];
  if (final === undefined || height === undefined) throw new Error(`no position of a lane: ${text}`);
  return { final: Number(final), height: Number(height) };
}

/** Whether something that was signed up to a position may still land, as far as a final block of this height tells. */
export function mayStillLand(position: Position, finalHeight: number): boolean {
  return finalHeight <= position.height + VALID_BLOCKS + LAG_BLOCKS;
}
