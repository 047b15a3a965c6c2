import { setMaxListeners } from 'node:events';
import type { Asker } from '../contract/chain-costs.js';
import type { Clock } from '../contract/clock.js';
import type { QuoteCaller } from './ask.js';

/** Longest wait for a chain. */
const DEADLINE_MS = 2_000;

/** Each call to a node listens: a permit takes a dozen, and Node.js warns of a leak above ten by default. */
const MAX_CALLS = 100;

const PENDING: unique symbol = Symbol('pending');

export type Caller = Pick<QuoteCaller, 'party' | 'crowds'>;

/** Crowds and signal are made when asked for: most answers come from memory. */
class Waiting implements Asker {
  readonly party: string;
  readonly #crowds: QuoteCaller['crowds'];
  #late: AbortController | undefined;

  constructor({ party, crowds }: Caller) {
    this.party = party;
    this.#crowds = crowds;
  }

  get crowds(): readonly string[] {
    return this.#crowds?.map(({ party }) => party) ?? [];
  }

  get signal(): AbortSignal {
    if (this.#late === undefined) {
      this.#late = new AbortController();
      setMaxListeners(MAX_CALLS, this.#late.signal);
    }
    return this.#late.signal;
  }

  end(): void {
    this.#late?.abort(new Error('no caller waits for it any more'));
  }
}

export async function asked<T>(
  clock: Pick<Clock, 'sleep'>,
  caller: Caller,
  ask: (asker: Asker) => Promise<T>,
): Promise<T | 'late'> {
  const waiting = new Waiting(caller);
  const answer = await within(clock, ask(waiting));
  if (answer === 'late') waiting.end();
  return answer;
}

/**
 * A chain's answer, or 'late' after the deadline.
 *
 * A timer is set only if the answer is not immediate: timers with signals took 5 % of a quote's processor time and
 * outlived two collections.
 */
export async function within<T>(clock: Pick<Clock, 'sleep'>, answer: Promise<T>): Promise<T | 'late'> {
  const known = await Promise.race<T | typeof PENDING>([answer, PENDING]);
  if (known !== PENDING) return known;
  const over = new AbortController();
  return Promise.race([answer, clock.sleep(DEADLINE_MS, over.signal).then(() => 'late' as const)]).finally(() =>
    over.abort('over'),
  );
}
