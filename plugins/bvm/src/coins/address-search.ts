import type { Clock } from '@causeway/core';
import type { AddedScript } from '../watch/deposit-addresses.js';
import type { Scan } from './scan.js';

export interface AddressSearchDeps {
  /** Undefined after a failure, once a retry makes sense. */
  readonly scan: (scripts: readonly string[]) => Promise<Scan | undefined>;
  readonly onFound: () => void;
  readonly clock: Clock;
}

export interface FoundScan {
  readonly scan: Scan;
  /** The searched scripts, by address. */
  readonly searched: ReadonlyMap<string, Searched>;
}

export interface Searched extends AddedScript {
  /** Blocks above this height were read after it was known. */
  readonly knownAbove: number;
}

/** Scripts per search, each some 60 bytes of the request. */
export const MAX_SEARCHED_ADDRESSES = 100_000;
/** After a search that probably finds nothing, the pause is this many times as long as the search was. */
const PAUSE_FACTOR = 60;
const MIN_PAUSE_MS = 2_000;
/** Longest sleep between searches. */
const MAX_SEARCH_MS = 3_600_000;

/**
 * Searches the set of unspent outputs for transfers that reached deposit addresses before these were watched: after a
 * start, and after an address of an older ledger was recovered.
 *
 * Addresses with recorded transfers are searched at once, because their balance is unknown until then. New ones, which
 * are probably empty, are searched together and rarely.
 */
export class AddressSearch {
  readonly #deps: AddressSearchDeps;
  readonly #stop = new AbortController();
  /** Scripts that still have to be searched. */
  readonly #open = new Map<string, Searched>();
  #urgent = 0;
  #wake = new AbortController();
  #notBefore = Number.NEGATIVE_INFINITY;
  #found: FoundScan | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: AddressSearchDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#done;
  }

  /** All recorded transfers that are unspent were found. */
  get isComplete(): boolean {
    return this.#urgent === 0;
  }

  isOpen(script: string): boolean {
    return this.#open.has(script);
  }

  /** The result to merge into the followed outputs. */
  get found(): FoundScan | undefined {
    return this.#found;
  }

  /** @param knownAbove as in `Searched`. */
  add(added: readonly AddedScript[], knownAbove: number): void {
    for (const one of added) {
      this.#remove(one.script);
      if (one.isRecorded) this.#urgent += 1;
      this.#open.set(one.script, { ...one, knownAbove });
    }
    if (added.length > 0) this.#wake.abort();
  }

  merged(): void {
    for (const { script } of this.#found?.searched.values() ?? []) this.#remove(script);
    this.#found = undefined;
    this.#wake.abort();
  }

  /** Drops the result: its block is not followed any more. */
  drop(): void {
    this.#found = undefined;
    this.#wake.abort();
  }

  #remove(script: string): void {
    if (this.#open.get(script)?.isRecorded) this.#urgent -= 1;
    this.#open.delete(script);
  }

  async #run(): Promise<void> {
    const { clock, scan, onFound } = this.#deps;
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const wait = this.#found !== undefined ? Number.POSITIVE_INFINITY : this.#wait();
      if (wait > 0) {
        await clock.sleep(Math.min(wait, MAX_SEARCH_MS), this.#wake.signal);
        continue;
      }
      const chosen = this.#chosen();
      const begun = clock.monotonic();
      const result = await scan(chosen.map(({ script }) => script));
      const ended = clock.monotonic();
      this.#notBefore = ended + Math.max(MIN_PAUSE_MS, (ended - begun) * PAUSE_FACTOR);
      if (result === undefined) continue;
      this.#found = { scan: result, searched: new Map(chosen.map((one) => [one.address, one])) };
      onFound();
    }
  }

  #wait(): number {
    if (this.#open.size === 0) return Number.POSITIVE_INFINITY;
    return this.#urgent > 0 ? 0 : this.#notBefore - this.#deps.clock.monotonic();
  }

  /** Those with recorded transfers first. */
  #chosen(): readonly Searched[] {
    const all = [...this.#open.values()];
    const urgent = all.filter(({ isRecorded }) => isRecorded);
    return [...urgent, ...all.filter(({ isRecorded }) => !isRecorded)].slice(0, MAX_SEARCHED_ADDRESSES);
  }
}
