import type { HttpClient } from '@causeway/core/rpc';
import { type Anchor, historyPage, type Listed, PAGE, type Page, type PageWish, PlaceLostError } from './page.js';
import { above, isLoaded, joined, type Loaded, type Stretch, type Unlisted, withPage } from './stretch.js';

/** Final slots are listed for good only when they were final for so long: a node may index what it has a little later. */
export const OVERLAP_SLOTS = 32;
/** The newest slots are listed again each time, for the same reason. */
const AGAIN_SLOTS = 8;
/** What has become final is listed for good when there are so many slots of it: that takes more calls. */
const TOGETHER = 8;
/** More is not kept of what is not final: as much as the chain itself takes in that time. */
const MOST_IN_WINDOW = 200_000;

export interface RollOptions {
  /** What counts; the rest is forgotten as soon as it is listed. */
  readonly keeps: (entry: Listed) => boolean;
  /** Each list is to be one of a node that has reached `asOf`, and what is not final is listed anew each time. */
  readonly exact?: boolean;
}

/** What is listed is of this head. */
export interface Look {
  /** Newest slot, and newest final one, as the node told before it is asked for a list. */
  readonly height: number;
  readonly final: number;
  /** Slot that the listing node must have reached; for entries that are listed for good, at least the final slot. */
  readonly asOf?: number;
}

/** A way down from the newest entry; it goes on where a call failed. */
interface Walk extends Look {
  readonly next: Anchor;
  /** Entries that are final for long enough, and the newest of all that are. */
  readonly firm: readonly Listed[];
  readonly newest: Anchor | undefined;
}

/** All that listing has come to. A value: what turns out to have been listed by a node that lacked something is put back. */
interface RollState {
  /** Nothing at or below is asked for any more. */
  readonly floor: number;
  /** Slots above the floor and up to here are in stretches. */
  readonly firm: number;
  /** Ascending. */
  readonly stretches: readonly Stretch[];
  /** Newest slot whose entries were listed with all above `firm`. */
  readonly top: number;
  readonly walk: Walk | undefined;
  /** In a slot up to `firm`: what is newer is listed. */
  readonly until: Anchor | undefined;
}

/**
 * What touched an account above a slot, listed page by page, and each page once, for as long as it is not settled.
 *
 * Invariant: what is `listedTo` was listed, without a gap, once it had been final for some time. What is newer, in `window`,
 * is as good as the newest list: it may vanish. Each page that was listed stays so when a later call fails.
 */
export class Roll {
  readonly #account: string;
  readonly #options: RollOptions;
  #state: RollState;
  /** Above the stretches, by signature. What left the chain may still be in here. */
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

  /** Takes back the entries listed since. Entries of the window are merely listed again. */
  restore(state: RollState): void {
    this.#state = state;
  }

  /** Slots up to which everything is listed for good, and is here. */
  get listedTo(): number {
    return this.#state.stretches.find((each) => !isLoaded(each))?.lo ?? this.#state.firm;
  }

  get firm(): number {
    return this.#state.firm;
  }

  /** Slots up to which everything is listed, and is here: for good, or as good as the newest list. */
  get listedNow(): number {
    const { stretches, firm, top } = this.#state;
    return stretches.find((each) => !isLoaded(each))?.lo ?? Math.max(firm, top);
  }

  /** Entries in stretches. */
  get size(): number {
    return this.#loaded().reduce((sum, { entries }) => sum + entries.length, 0);
  }

  *entries(): Generator<Listed> {
    for (const { entries } of this.#loaded()) yield* entries;
    yield* this.window.values();
  }

  /** Whether nothing of these slots, above one and up to another, is left to be listed. */
  covers(low: number, high: number): boolean {
    const { stretches, top, walk } = this.#state;
    const open = stretches.some((each) => !isLoaded(each) && each.lo < high && each.hi > low);
    return !open && walk === undefined && top >= high;
  }

  /**
   * Lists what is new, and now and then what has become final for good.
   *
   * Invariant: entries listed for good were listed by a node that has reached the final slot, whichever node answers behind
   * the provider's name.
   * @throws as `historyPage`; entries listed by then stay.
   */
  async front(rpc: HttpClient, look: Look): Promise<void> {
    if (this.window.size >= MOST_IN_WINDOW && this.#state.walk === undefined) return this.#raise(look, undefined);
    let walk: Walk | undefined = this.#state.walk;
    if (walk === undefined && this.#options.exact) this.window.clear();
    const isDue = look.final - OVERLAP_SLOTS - this.#state.firm >= TOGETHER;
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
      // One that began before, and was cut short, says nothing of what came since.
      if (this.#options.exact && taken.final < look.final) return this.front(rpc, look);
      return;
    }
  }

  /** Slot down to which the newest entries are walked: what is below was listed, or will be as what is final. */
  #stop({ final }: Look): number {
    const { firm, top } = this.#state;
    return Math.max(firm, final - OVERLAP_SLOTS, this.#options.exact ? -1 : top - AGAIN_SLOTS);
  }

  #take<T extends Omit<Walk, 'next'>>(walk: T, { entries }: Page): T {
    const edge = walk.final - OVERLAP_SLOTS;
    const kept = entries.filter((one) => one.slot > this.#state.firm && this.#options.keeps(one));
    for (const one of kept) this.window.set(one.signature, one);
    const newest = walk.newest ?? entries.find(({ slot }) => slot <= edge);
    return { ...walk, newest, firm: [...walk.firm, ...kept.filter(({ slot }) => slot <= edge)] };
  }

  /** @param whole it came down to what is listed for good. */
  #done({ height, final, asOf, firm, newest }: Omit<Walk, 'next'>, whole: boolean): void {
    if (asOf !== undefined) this.#raise({ height, final }, whole ? firm : undefined, newest);
    this.#state = { ...this.#state, walk: undefined, top: Math.max(this.#state.top, height) };
  }

  /** What has become final for long enough is a stretch from here on. @param entries all of them, where they are known. */
  #raise({ final }: Look, entries: readonly Listed[] | undefined, newest?: Anchor): void {
    const { firm: lo, stretches, top, until } = this.#state;
    const hi = final - OVERLAP_SLOTS;
    if (hi - lo < TOGETHER) return;
    // The newest slots of it may have been listed before they were whole; what is unlisted is listed again either way.
    const stretch = { lo, hi, before: this.#anchorAbove(hi), entries, scanned: entries !== undefined || hi <= top };
    const lower = stretches.at(-1);
    this.#state = {
      ...this.#state,
      firm: hi,
      stretches: [...stretches.slice(0, -1), ...joined(lower, stretch, PAGE)],
      until: newest ?? until,
    };
    for (const [signature, { slot }] of this.window) if (slot <= hi) this.window.delete(signature);
  }

  /** The oldest entry of the window above a slot. */
  #anchorAbove(slot: number): Anchor | undefined {
    let found: Anchor | undefined;
    for (const one of this.window.values()) if (one.slot > slot && (found?.slot ?? one.slot) >= one.slot) found = one;
    return found;
  }

  /** What is to be listed next of what is final: what never was, the newest of it first; then what is lowest. */
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

  /** @param onLost the place that it was to go on from left the chain: from the newest on it is found again. */
  async #ask(rpc: HttpClient, wish: PageWish, onLost: () => void): Promise<Page> {
    try {
      return await historyPage(rpc, this.#account, wish);
    } catch (error) {
      if (error instanceof PlaceLostError) onLost();
      throw error;
    }
  }

  /** Forgets the newest of what is listed for good and kept, to be listed again. @returns how many entries. */
  forget(): number {
    const newest = this.#loaded().findLast(({ entries }) => entries.length > 0);
    if (newest === undefined) return 0;
    this.#put(newest, [{ ...newest, entries: undefined }]);
    return newest.entries.length;
  }

  /** Keeps of what is listed for good only what is asked for; the rest counts as listed. */
  prune(isKept: (entry: Listed) => boolean): void {
    const stretches = this.#state.stretches.map((each) =>
      isLoaded(each) ? { ...each, entries: each.entries.filter(isKept) } : each,
    );
    this.#state = { ...this.#state, stretches };
  }

  /** Nothing up to a slot is needed any more. */
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
