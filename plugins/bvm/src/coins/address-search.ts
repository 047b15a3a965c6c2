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
  /** That were searched for. */
  readonly scripts: readonly string[];
}

/** Scripts per search: bounds the request, of some 60 bytes each. */
export const MOST_SEARCHED = 100_000;
/** A node searches for nothing that is probably there for at most this fraction of the time. */
const PART = 60;
const LEAST_PAUSE_MS = 2_000;
/** Of one sleep. */
const LONGEST_MS = 3_600_000;

/**
 * Searches the set of unspent outputs for what had arrived at deposit addresses before they were watched: after a start,
 * and where an address of an older ledger turns up again.
 *
 * Addresses with recorded transfers are searched at once, because the balance is unknown until then. New ones, which have
 * nothing, are searched together and rarely.
 */
export class AddressSearch {
  readonly #deps: AddressSearchDeps;
  readonly #stop = new AbortController();
  /** By script; true: has recorded transfers. */
  readonly #open = new Map<string, boolean>();
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

  /** To be merged into what is followed. */
  get found(): FoundScan | undefined {
    return this.#found;
  }

  add(added: readonly AddedScript[]): void {
    for (const { script, isRecorded } of added) {
      const before = this.#open.get(script);
      if (isRecorded && before !== true) this.#urgent += 1;
      this.#open.set(script, isRecorded || before === true);
    }
    if (added.length > 0) this.#wake.abort();
  }

  merged(): void {
    for (const script of this.#found?.scripts ?? []) {
      if (this.#open.get(script)) this.#urgent -= 1;
      this.#open.delete(script);
    }
    this.#found = undefined;
    this.#wake.abort();
  }

  /** Its block is not followed any more. */
  drop(): void {
    this.#found = undefined;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { clock, scan, onFound } = this.#deps;
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const wait = this.#found !== undefined ? Number.POSITIVE_INFINITY : this.#wait();
      if (wait > 0) {
        await clock.sleep(Math.min(wait, LONGEST_MS), this.#wake.signal);
        continue;
      }
      const scripts = this.#chosen();
      const begun = clock.monotonic();
      const result = await scan(scripts);
      const ended = clock.monotonic();
      this.#notBefore = ended + Math.max(LEAST_PAUSE_MS, (ended - begun) * PART);
      if (result === undefined) continue;
      this.#found = { scan: result, scripts };
      onFound();
    }
  }

  #wait(): number {
    if (this.#open.size === 0) return Number.POSITIVE_INFINITY;
    return this.#urgent > 0 ? 0 : this.#notBefore - this.#deps.clock.monotonic();
  }

  /** Those with recorded transfers first. */
  #chosen(): readonly string[] {
    const urgent = [...this.#open].flatMap(([script, isRecorded]) => (isRecorded ? [script] : []));
    const others = [...this.#open].flatMap(([script, isRecorded]) => (isRecorded ? [] : [script]));
    return [...urgent, ...others].slice(0, MOST_SEARCHED);
  }
}
