/**
 * A message signed after this position lands above `final`. One signed before it saw no head above `height`, so it
 * cannot land once that height is long past.
 */
export interface Position {
  /** Newest final slot. */
  readonly final: number;
  /** Block height of the head. */
  readonly height: number;
}

/** Blocks that a message stays valid after the block of its blockhash. */
export const VALID_BLOCKS = 150;
/** Blocks by which a signing process's head may be ahead of the queried provider. */
export const LAG_BLOCKS = 32;

const TEXT = /^(\d+)\/(\d+)$/;

export function writePosition({ final, height }: Position): string {
  return `${final}/${height}`;
}

/** @throws on what is no position of this family. */
export function readPosition(text: string): Position {
  const [, final, height] = TEXT.exec(text) ?? [];
  if (final === undefined || height === undefined) throw new Error(`no position of a lane: ${text}`);
  return { final: Number(final), height: Number(height) };
}

/** Whether a message signed up to a position may still land, given a final block height. */
export function mayStillLand(position: Position, finalHeight: number): boolean {
  return finalHeight <= position.height + VALID_BLOCKS + LAG_BLOCKS;
}
