import type { AccountJob } from './account-job.js';

/** Maximum accounts of one rank; others are added later. */
const MAX_JOBS = 5_000;
/** Jobs per look for accounts without a sign of a transfer. */
const MAX_AT_ONCE = { routine: 16, idle: 8 } as const;
/** Tries after which an account counts as stuck. */
const MANY_TRIES = 8;

/** `news`: a transfer arrived. `routine`: possibly. `idle`: only if the ledger lost one. */
export type Rank = 'news' | 'routine' | 'idle';

/** At most one job per account, by rank, those waiting longest first. */
export class AccountJobs {
  readonly #ranks: Readonly<Record<Rank, Map<string, AccountJob>>> = {
    news: new Map(),
    routine: new Map(),
    idle: new Map(),
  };

  get(account: string): AccountJob | undefined {
    const { news, routine, idle } = this.#ranks;
    return news.get(account) ?? routine.get(account) ?? idle.get(account);
  }

  hasRoom(rank: Rank): boolean {
    return this.#ranks[rank].size < MAX_JOBS;
  }

  put(rank: Rank, job: AccountJob): void {
    const { account } = job.watched;
    this.drop(account);
    this.#ranks[rank].set(account, job);
  }

  drop(account: string): void {
    for (const jobs of Object.values(this.#ranks)) jobs.delete(account);
  }

  /** Moves the job behind the others of its rank. */
  postpone(job: AccountJob): void {
    const { account } = job.watched;
    for (const jobs of Object.values(this.#ranks))
      if (jobs.get(account) === job && jobs.delete(account)) jobs.set(account, job);
  }

  /** Jobs of one look; `due` returns those to continue with. */
  forLook(): { due(now: number): readonly AccountJob[] } {
    const { news, routine, idle } = this.#ranks;
    const quiet = [...firstOf(routine, MAX_AT_ONCE.routine), ...firstOf(idle, MAX_AT_ONCE.idle)];
    return {
      due: (now) =>
        [
          ...news.values(),
          ...quiet.filter((job) => this.get(job.watched.account) === job && !news.has(job.watched.account)),
        ].filter(({ dueAt }) => dueAt <= now),
    };
  }

  /** When the next job with news is due, monotonic; undefined: there is none. */
  nextDue(): number | undefined {
    let due: number | undefined;
    for (const { dueAt } of this.#ranks.news.values()) due = Math.min(due ?? dueAt, dueAt);
    return due;
  }

  stuck(): readonly AccountJob[] {
    return Object.values(this.#ranks).flatMap((jobs) => [...jobs.values()].filter(({ tries }) => tries >= MANY_TRIES));
  }
}

function firstOf<T>(jobs: ReadonlyMap<string, T>, count: number): readonly T[] {
  const some: T[] = [];
  for (const job of jobs.values()) {
    if (some.length === count) break;
    some.push(job);
  }
  return some;
}
