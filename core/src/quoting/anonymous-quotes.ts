import { type ApiError, laterError } from '../errors/api-error.js';
import type { QuoteCaller } from './ask.js';
import type { QuotingDeps } from './quoting-deps.js';

/** What others added and cleaning took away is counted anew after this long, and sooner while callers are refused. */
const COUNT_MS = 60_000;
const COUNT_FULL_MS = 5_000;

type Deps = Pick<QuotingDeps, 'store' | 'clock' | 'policy' | 'log'>;

/**
 * How many unpaid quotes of callers without a key are kept, all together: beyond the budget only callers with a key are
 * quoted, until cleaning has made room. Counted in memory between two counts of the database, each of which reads no more of
 * an index than the budget has entries.
 *
 * Quotes that were paid count until cleaning first meets them. Processes of one database learn of each other's at the next
 * count, and quotes asked for at the same time may all be let in, so the budget may be passed by what one minute brings.
 */
export class AnonymousQuotes {
  readonly #deps: Deps;
  #kept = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws on infrastructure failure while nothing was ever counted. */
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
    if (this.#kept < most) return undefined;
    const seconds = COUNT_FULL_MS / 1_000;
    return laterError(
      'SERVICE_UNAVAILABLE',
      `Too many quotes are unpaid: callers with an API key are served, others may try again in ${seconds} s`,
      seconds,
    );
  }

  /** One more was promised. */
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
    // What was promised meanwhile may be in it or not: counted twice at worst, until the next time.
    this.#kept = found + (this.#kept - before);
    this.#countedAt = this.#deps.clock.monotonic();
  }
}
