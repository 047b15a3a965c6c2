import { type ApiError, laterError } from '../errors/api-error.js';
import type { QuoteCaller } from './ask.js';
import type { QuotingDeps } from './quoting-deps.js';

/** Maximum age of a count; refusals trigger a new one sooner. */
const COUNT_MS = 60_000;
const COUNT_FULL_MS = 5_000;

type Deps = Pick<QuotingDeps, 'store' | 'clock' | 'policy' | 'log'>;

/**
 * Beyond the budget only callers with a key are quoted, until pruning. Approximate: paid quotes count until pruning,
 * and other processes' quotes and concurrent ones may exceed the budget by about a minute's worth.
 */
export class AnonymousQuotes {
  readonly #deps: Deps;
  #kept = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws on infrastructure failure before the first count. */
  async refuse({ keyId }: Pick<QuoteCaller, 'keyId'>): Promise<ApiError | undefined> {
    const { most } = this.#deps.policy.anonymousQuotes;
    if (keyId !== null || most === null) return undefined;
    const age = this.#deps.clock.monotonic() - this.#countedAt;
    if (age >= (this.#kept < most ? COUNT_MS : COUNT_FULL_MS)) {
      const counting = this.#count(most);
      if (age === Number.POSITIVE_INFINITY) await counting;
      else
        counting.catch((error: unknown) => this.#deps.log.warn({ err: error }, 'unpaid quotes could not be counted'));
    }
    // guard: anonymous-quotes-budget
    if (this.#kept < most) return undefined;
    const seconds = COUNT_FULL_MS / 1_000;
    return laterError(
      'SERVICE_UNAVAILABLE',
      `Too many quotes are unpaid: callers with an API key are served, others may try again in ${seconds} s`,
      seconds,
    );
  }

  add({ keyId }: Pick<QuoteCaller, 'keyId'>): void {
    if (keyId === null) this.#kept += 1;
  }

  #count(most: number): Promise<void> {
    this.#counting ??= this.#read(most).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #read(most: number): Promise<void> {
    const before = this.#kept;
    const found = await this.#deps.store.unpaidQuotes(most);
    // Quotes promised during the count may be counted twice until the next one.
    this.#kept = found + (this.#kept - before);
    this.#countedAt = this.#deps.clock.monotonic();
  }
}
