import type { Clock, Random, SharedRecords } from '@causeway/core';
import { hashOf, isToken, newToken } from './secrets.js';

const LIFE_MS = 10 * 60_000;
const MAX_OPEN_LINKS = 20;
const RECORD = 'links';

interface Kept {
  readonly hash: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** One-time links that sign an admin in, at any process, so that the admin key is typed into no page. */
export class Links {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Pick<Random, 'bytes'>;

  constructor(clock: Pick<Clock, 'now'>, random: Pick<Random, 'bytes'>) {
    this.#clock = clock;
    this.#random = random;
  }

  /** `expiresAt` in Unix milliseconds. Beyond 20 unused ones the oldest ends. */
  async make(records: SharedRecords): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const token = newToken(this.#random);
    const now = this.#clock.now();
    const expiresAt = now + LIFE_MS;
    await records.change(RECORD, (text) => {
      const open = keptIn(text).filter((one) => one.expiresAt > now);
      return JSON.stringify([...open, { hash: hashOf(token), expiresAt }].slice(-MAX_OPEN_LINKS));
    });
    return { token, expiresAt };
  }

  /** True once, for a link that has not expired. */
  async use(records: SharedRecords, token: unknown): Promise<boolean> {
    if (!isToken(token)) return false;
    const hash = hashOf(token);
    let found: Kept | undefined;
    await records.change(RECORD, (text) => {
      const open = keptIn(text);
      const at = open.findIndex((one) => one.hash === hash);
      found = open[at];
      // Guesses write nothing.
      if (found === undefined) return text ?? '[]';
      // guard: dashboard-link-once
      open.splice(at, 1);
      return JSON.stringify(open);
    });
    return found !== undefined && this.#clock.now() < found.expiresAt;
  }
}

function keptIn(text: string | undefined): Kept[] {
  return text === undefined ? [] : (JSON.parse(text) as Kept[]);
}
