import type { HttpClient } from '@causeway/core/rpc';
import {
  type Anchor,
  historyPage,
  type Listed,
  type Page,
  type PageWish,
  PlaceLostError,
  SIGNATURES_PAGE,
} from './page.js';
import { above, isLoaded, joined, type Loaded, type Stretch, type Unlisted, withPage } from './stretch.js';

/** Final slots are listed completely only after this many more: nodes index with a delay. */
export const OVERLAP_SLOTS = 32;
/** The newest slots are listed again each time, for the same reason. */
const REREAD_SLOTS = 8;
/** Newly final slots are listed in groups: it takes more calls. */
const MIN_SLOTS_PER_READ = 8;
/** Limit of entries that are not final: the chain's own capacity in that time. */
const MAX_IN_WINDOW = 200_000;

export interface RollOptions {
  /** Others are dropped when listed. */
  readonly keeps: (entry: Listed) => boolean;
  /** Each list must come from a node at `asOf`, and entries that are not final are listed again each time. */
  readonly exact?: boolean;
}

export interface Look {
  readonly height: number;
  readonly final: number;
  /** Slot that the listing node must have reached; for final lists, at least the final slot. */
  readonly asOf?: number;
}

interface Walk extends Look {
  readonly next: Anchor;
  /** Entries final for `OVERLAP_SLOTS`, and the newest final one. */
  readonly firm: readonly Listed[];
  readonly newest: Anchor | undefined;
}

/** Immutable, so that lists from an incomplete node can be rolled back. */
interface RollState {
  /** Nothing at or below is needed. */
  readonly floor: number;
  /** Slots above the floor and up to here are in stretches. */
  readonly firm: number;
  /** Ascending. */
  readonly stretches: readonly Stretch[];
  /** Newest slot whose entries were listed with all above `firm`. */
  readonly top: number;
  readonly walk: Walk | undefined;
  /** In a slot up to `firm`: newer entries are listed. */
  readonly until: Anchor | undefined;
}

/**
 * Each page is listed once.
 *
 * Invariant: slots up to `listedTo` were listed without a gap once final for `OVERLAP_SLOTS`. The newer `window` is as good as
 * the newest list: entries may vanish. Listed pages survive a later failure.
 */
export class Roll {
  readonly #account: string;
  readonly #options: RollOptions;
  #state: RollState;
  /** Above the stretches, by signature; may hold reverted entries. */
  readonly window = new Map<string, Listed>();

  constructor(account: string, floor: number, options: RollOptions) {
    this.#account = account;
    this.#options = options;
    this.#state = { floor, firm: floor, stretches: [], top: -1, walk: undefined, until: undefined };
  }

  /** For `restore`: opaque. */
  get state(): RollState {
    return this.#state;
  }

  /** Rolls back later lists. The window is simply listed again. */
  restore(state: RollState): void {
    this.#state = state;
  }

  /** Slots up to which the final list is complete and buffered. */
  get listedTo(): number {
    return this.#state.stretches.find((each) => !isLoaded(each))?.lo ?? this.#state.firm;
  }

  get firm(): number {
    return this.#state.firm;
  }

  /** Slots up to which the list is complete and buffered, including entries not final. */
  get listedNow(): number {
    const { stretches, firm, top } = this.#state;
    return stretches.find((each) => !isLoaded(each))?.lo ?? Math.max(firm, top);
  }

  get size(): number {
    return this.#loaded().reduce((sum, { entries }) => sum + entries.length, 0);
  }

  *entries(): Generator<Listed> {
    for (const { entries } of this.#loaded()) yield* entries;
    yield* this.window.values();
  }

  /** Whether slots above `low` up to `high` are completely listed. */
  covers(low: number, high: number): boolean {
    const { stretches, top, walk } = this.#state;
    const open = stretches.some((each) => !isLoaded(each) && each.lo < high && each.hi > low);
    return !open && walk === undefined && top >= high;
  }

  /**
   * Invariant: the final list comes from a node that has reached the final slot, whichever node answers under the
   * provider's name.
   * @throws as `historyPage`; entries listed by then stay.
   */
  async front(rpc: HttpClient, look: Look): Promise<void> {
    if (this.window.size >= MAX_IN_WINDOW && this.#state.walk === undefined) return this.#raise(look, undefined);
    let walk: Walk | undefined = this.#state.walk;
    if (walk === undefined && this.#options.exact) this.window.clear();
    const isDue = look.final - OVERLAP_SLOTS - this.#state.firm >= MIN_SLOTS_PER_READ;
    const begun = { ...look, ...(isDue && look.asOf === undefined && { asOf: look.final }) };
    for (;;) {
      const { asOf } = walk ?? begun;
      const first = walk === undefined && { until: this.#state.until };
      const page = await this.#ask(rpc, { before: walk?.next, asOf, ...first }, () => {
        this.#state = { ...this.#state, walk: undefined };
      });
      const taken = this.#take(walk ?? { ...begun, firm: [], newest: undefined }, page);
      const { firm } = this.#state;
      const { next } = page;
      if (next === undefined || next.slot <= firm) this.#done(taken, true);
      else if (next.slot <= this.#stop(taken)) this.#done(taken, false);
      else {
        walk = { ...taken, next };
        this.#state = { ...this.#state, walk };
        continue;
      }
      // A walk interrupted earlier does not cover later entries.
      if (this.#options.exact && taken.final < look.final) return this.front(rpc, look);
      return;
    }
  }

  /** Lower end of the walk: older slots are listed already, or as final ones. */
  #stop({ final }: Look): number {
    const { firm, top } = this.#state;
    return Math.max(firm, final - OVERLAP_SLOTS, this.#options.exact ? -1 : top - REREAD_SLOTS);
  }

  #take<T extends Omit<Walk, 'next'>>(walk: T, { entries }: Page): T {
    const edge = walk.final - OVERLAP_SLOTS;
    const kept = entries.filter((one) => one.slot > this.#state.firm && this.#options.keeps(one));
    for (const one of kept) this.window.set(one.signature, one);
    const newest = walk.newest ?? entries.find(({ slot }) => slot <= edge);
    return { ...walk, newest, firm: [...walk.firm, ...kept.filter(({ slot }) => slot <= edge)] };
  }

  #done({ height, final, asOf, firm, newest }: Omit<Walk, 'next'>, whole: boolean): void {
    if (asOf !== undefined) this.#raise({ height, final }, whole ? firm : undefined, newest);
    this.#state = { ...this.#state, walk: undefined, top: Math.max(this.#state.top, height) };
  }

  /** Turns slots final for `OVERLAP_SLOTS` into a stretch. @param entries all of them, where known. */
  #raise({ final }: Look, entries: readonly Listed[] | undefined, newest?: Anchor): void {
    const { firm: lo, stretches, top, until } = this.#state;
    const hi = final - OVERLAP_SLOTS;
    if (hi - lo < MIN_SLOTS_PER_READ) return;
    // Its newest slots may have been listed too early; unlisted parts are listed again.
    const stretch = { lo, hi, before: this.#anchorAbove(hi), entries, scanned: entries !== undefined || hi <= top };
    const lower = stretches.at(-1);
    this.#state = {
      ...this.#state,
      firm: hi,
      stretches: [...stretches.slice(0, -1), ...joined(lower, stretch, SIGNATURES_PAGE)],
      until: newest ?? until,
    };
    for (const [signature, { slot }] of this.window) if (slot <= hi) this.window.delete(signature);
  }

  #anchorAbove(slot: number): Anchor | undefined {
    let found: Anchor | undefined;
    for (const one of this.window.values()) if (one.slot > slot && (found?.slot ?? one.slot) >= one.slot) found = one;
    return found;
  }

  /** Next final part to list: never listed ones, newest first; then the lowest. */
  unlisted(): Unlisted | undefined {
    const open = this.#state.stretches.filter((each): each is Unlisted => !isLoaded(each));
    return open.findLast(({ scanned }) => !scanned) ?? open[0];
  }

  /** Lists one page of it. @throws as `historyPage`. */
  async load(rpc: HttpClient, stretch: Unlisted, { final, asOf = final }: Look): Promise<void> {
    const page = await this.#ask(rpc, { before: stretch.before, asOf }, () => {
      this.#put(stretch, [{ ...stretch, before: undefined }]);
    });
    const parts = withPage(stretch, page, page.entries.filter(this.#options.keeps));
    this.#put(stretch, parts);
  }

  /** @param onLost the starting place was reverted: restarts from the newest entry. */
  async #ask(rpc: HttpClient, wish: PageWish, onLost: () => void): Promise<Page> {
    try {
      return await historyPage(rpc, this.#account, wish);
    } catch (error) {
      if (error instanceof PlaceLostError) onLost();
      throw error;
    }
  }

  /** Drops the newest buffered final entries, to be listed again. @returns how many. */
  forget(): number {
    const newest = this.#loaded().findLast(({ entries }) => entries.length > 0);
    if (newest === undefined) return 0;
    this.#put(newest, [{ ...newest, entries: undefined }]);
    return newest.entries.length;
  }

  prune(isKept: (entry: Listed) => boolean): void {
    const stretches = this.#state.stretches.map((each) =>
      isLoaded(each) ? { ...each, entries: each.entries.filter(isKept) } : each,
    );
    this.#state = { ...this.#state, stretches };
  }

  /** Slots up to this one are no longer needed. */
  settle(slot: number): void {
    if (slot <= this.#state.floor) return;
    this.#state = { ...this.#state, floor: slot, stretches: above(slot, this.#state.stretches) };
  }

  #put(stretch: Stretch, parts: readonly Stretch[]): void {
    const stretches = this.#state.stretches.flatMap((each) => (each === stretch ? parts : [each]));
    this.#state = { ...this.#state, stretches };
  }

  #loaded(): readonly Loaded[] {
    return this.#state.stretches.filter(isLoaded);
  }
}
