import type { Anchor, Listed, Page } from './page.js';

/**
 * Slots of a history, above `lo` and up to `hi`, that were final for long enough to be listed for good. A slot may be shared
 * by two neighbours, where a page ended in it.
 */
export interface Stretch {
  readonly lo: number;
  readonly hi: number;
  /** What it is listed from on; everything of it is older. Undefined: from the newest. */
  readonly before: Anchor | undefined;
  /** Undefined: to be listed, for the first time or again. */
  readonly entries: readonly Listed[] | undefined;
  /** It was listed once, though what came of it was forgotten. */
  readonly scanned: boolean;
}

export type Unlisted = Stretch & { readonly entries: undefined };
export type Loaded = Stretch & { readonly entries: readonly Listed[] };

export function isLoaded(stretch: Stretch): stretch is Loaded {
  return stretch.entries !== undefined;
}

/**
 * What becomes of a stretch with a page of it: all of it is listed, or what is left, below what is.
 *
 * @param kept the entries of the page that count.
 */
export function withPage(stretch: Unlisted, { next }: Page, kept: readonly Listed[]): readonly Stretch[] {
  const { lo, hi } = stretch;
  const entries = kept.filter(({ slot }) => slot > lo && slot <= hi);
  if (next === undefined || next.slot <= lo) return [{ ...stretch, entries, scanned: true }];
  // Nothing of it yet: between it and where it is listed from there was more than a page.
  if (next.slot > hi) return [{ ...stretch, before: next }];
  const rest = { ...stretch, hi: next.slot, before: next };
  return [rest, { ...stretch, lo: next.slot - 1, entries, scanned: true }];
}

/** Without what is at or below a slot. */
export function above(slot: number, stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.flatMap((each) => {
    if (each.hi <= slot) return [];
    if (each.lo >= slot) return [each];
    return [{ ...each, lo: slot, ...(isLoaded(each) && { entries: each.entries.filter((one) => one.slot > slot) }) }];
  });
}

/** Two neighbours as one, where both are listed and few. */
export function joined(lower: Stretch | undefined, upper: Stretch, most: number): readonly Stretch[] {
  if (lower === undefined) return [upper];
  if (!isLoaded(lower) || !isLoaded(upper) || lower.entries.length + upper.entries.length > most) return [lower, upper];
  return [{ ...upper, lo: lower.lo, entries: [...upper.entries, ...lower.entries] }];
}
