import type { Anchor, Listed, Page } from './page.js';

/** Final slots above `lo` up to `hi`. Two neighbours may share a slot where a page ended. */
export interface Stretch {
  readonly lo: number;
  readonly hi: number;
  /** Upper end of its list. Undefined: from the newest. */
  readonly before: Anchor | undefined;
  readonly entries: readonly Listed[] | undefined;
  readonly scanned: boolean;
}

export type Unlisted = Stretch & { readonly entries: undefined };
export type Loaded = Stretch & { readonly entries: readonly Listed[] };

export function isLoaded(stretch: Stretch): stretch is Loaded {
  return stretch.entries !== undefined;
}

/**
 * The stretch after a page: complete, or split into the listed and the lower rest.
 *
 * @param kept the entries of the page that count.
 */
export function withPage(stretch: Unlisted, { next }: Page, kept: readonly Listed[]): readonly Stretch[] {
  const { lo, hi } = stretch;
  const entries = kept.filter(({ slot }) => slot > lo && slot <= hi);
  if (next === undefined || next.slot <= lo) return [{ ...stretch, entries, scanned: true }];
  // Nothing of it yet: more than a page lies above.
  if (next.slot > hi) return [{ ...stretch, before: next }];
  const rest = { ...stretch, hi: next.slot, before: next };
  return [rest, { ...stretch, lo: next.slot - 1, entries, scanned: true }];
}

export function above(slot: number, stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.flatMap((each) => {
    if (each.hi <= slot) return [];
    if (each.lo >= slot) return [each];
    return [{ ...each, lo: slot, ...(isLoaded(each) && { entries: each.entries.filter((one) => one.slot > slot) }) }];
  });
}

export function joined(lower: Stretch | undefined, upper: Stretch, most: number): readonly Stretch[] {
  if (lower === undefined) return [upper];
  if (!isLoaded(lower) || !isLoaded(upper) || lower.entries.length + upper.entries.length > most) return [lower, upper];
  return [{ ...upper, lo: lower.lo, entries: [...upper.entries, ...lower.entries] }];
}
