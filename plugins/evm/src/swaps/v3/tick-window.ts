import type { Tick } from './concentrated-pool.js';

const TICKS_PER_WORD = 256;

export interface TickWindow {
  readonly tickSpacing: number;
  readonly ticks: readonly Tick[];
  /** Inclusive bitmap words. */
  readonly first: number;
  readonly last: number;
  readonly stale: ReadonlySet<number>;
}

export interface WindowGap {
  readonly kept: TickWindow;
  readonly words: readonly number[];
}

/**
 * A known window stays while the price is near its middle; otherwise the overlap stays.
 *
 * @param words on either side of the price.
 */
export function gapAt(tick: number, tickSpacing: number, words: number, known: TickWindow | undefined): WindowGap {
  const word = Math.floor(Math.floor(tick / tickSpacing) / TICKS_PER_WORD);
  if (known !== undefined && Math.abs((known.first + known.last) / 2 - word) <= words / 2)
    return { kept: known, words: [] };
  const [first, last] = [word - words, word + words];
  const isKnown = (at: number) => known !== undefined && at >= known.first && at <= known.last;
  const wanted = Array.from({ length: last - first + 1 }, (_, n) => first + n);
  const kept = within({ tickSpacing, ticks: known?.ticks ?? [], first, last, stale: known?.stale ?? new Set() });
  return { kept, words: wanted.filter((at) => !isKnown(at)) };
}

export function ticksIn(word: number, bits: bigint, tickSpacing: number): readonly number[] {
  const found: number[] = [];
  for (let bit = 0; bits >> BigInt(bit) > 0n; bit += 1)
    if ((bits >> BigInt(bit)) & 1n) found.push((word * TICKS_PER_WORD + bit) * tickSpacing);
  return found;
}

/** `undefined`: no longer initialised. */
export function withTicks(window: TickWindow, read: ReadonlyMap<number, bigint | undefined>): TickWindow {
  const ticks = window.ticks.filter(({ index }) => !read.has(index));
  for (const [index, liquidityNet] of read) if (liquidityNet !== undefined) ticks.push({ index, liquidityNet });
  ticks.sort((a, b) => a.index - b.index);
  return { ...window, ticks, stale: new Set([...window.stale].filter((index) => !read.has(index))) };
}

export function withStale(window: TickWindow, changed: Iterable<number>): TickWindow {
  return within({ ...window, stale: new Set([...window.stale, ...changed]) });
}

export function boundsOf({ first, last, tickSpacing }: TickWindow): {
  readonly lowest: number;
  readonly highest: number;
} {
  return {
    lowest: first * TICKS_PER_WORD * tickSpacing,
    highest: (last * TICKS_PER_WORD + TICKS_PER_WORD - 1) * tickSpacing,
  };
}

function within(window: TickWindow): TickWindow {
  const { lowest, highest } = boundsOf(window);
  const isIn = (index: number) => index >= lowest && index <= highest;
  const ticks = window.ticks.filter(({ index }) => isIn(index));
  return { ...window, ticks, stale: new Set([...window.stale].filter(isIn)) };
}
