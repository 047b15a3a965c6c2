import type { Clock } from '../../contract/clock.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { type QuoteCaller, sharesOf } from '../../quoting/ask.js';

const DAY_MS = 86_400_000;
/** Callers that are counted; with more, counting begins again. */
const MAX_PARTIES = 100_000;

/**
 * Limits the deposit addresses of a caller per day: they are stored and watched for ever, and requesting one costs
 * nothing. Counted per process.
 */
export class AddressBudget {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #most: number | null;
  readonly #given = new Map<string, number>();
  #day = 0;

  /** @param most for one party in a UTC day; null: no limit. */
  constructor(clock: Pick<Clock, 'now'>, most: number | null) {
    this.#clock = clock;
    this.#most = most;
  }

  refuse(caller: QuoteCaller): ApiError | undefined {
    if (this.#most === null) return undefined;
    this.#turn();
    const most = this.#most;
    const full = sharesOf(caller).some(({ party, times }) => (this.#given.get(party) ?? 0) >= most * times);
    if (!full) return undefined;
    const seconds = Math.ceil((DAY_MS - (this.#clock.now() % DAY_MS)) / 1_000);
    const message = `No more deposit addresses today: at most ${this.#most} for a caller; again in ${seconds} s`;
    return apiError('RATE_LIMITED', message, { field: 'useDepositAddress', reason: 'too many deposit addresses' });
  }

  add(caller: QuoteCaller): void {
    if (this.#most === null) return;
    this.#turn();
    for (const { party } of sharesOf(caller)) this.#given.set(party, (this.#given.get(party) ?? 0) + 1);
  }

  #turn(): void {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    if (day === this.#day && this.#given.size < MAX_PARTIES) return;
    this.#day = day;
    this.#given.clear();
  }
}
