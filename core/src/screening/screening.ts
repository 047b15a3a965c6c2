import type { Clock } from '../contract/clock.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import type { Party, Screener, Verdict } from '../contract/screening.js';

/** Longest wait for a screener, milliseconds. */
export const SCREENING_TIMEOUT_MS = 2_000;

/**
 * Maximum unanswered questions to a screener; past that it is not asked. Payments are counted apart, so that quotes
 * never keep payments from being screened.
 */
const MAX_OPEN_CALLS = 128;

/** An alert clears after a screener has answered everything for this long, milliseconds. */
const ALERT_CLEARED_AFTER_MS = 30_000;

/** Groups asked about one by one in parallel, after a screener failed on the whole batch. */
const SINGLE_PARTY_CONCURRENCY = 16;

export type ScreeningFor = 'quotes' | 'payments';

/**
 * The screeners' joint verdict on some parties. `blocked`: a screener blocks `party`. `unknown`: none blocks, and not
 * all answered.
 */
export type Screened =
  | { readonly state: 'clear' }
  | { readonly state: 'blocked'; readonly party: Party }
  | { readonly state: 'unknown' };

interface ScreeningDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
}

type Parties = readonly Party[];

/**
 * All screeners of the service, asked as one.
 *
 * Invariant: `clear` means that every screener has just answered about every party and blocks none. Nothing is
 * cached.
 */
export class Screening {
  readonly #asked: readonly AskedScreener[];

  constructor(screeners: readonly Screener[], deps: ScreeningDeps) {
    this.#asked = screeners.map((screener) => new AskedScreener(screener, deps));
  }

  /** True where no screener is configured: everyone is clear. */
  get isOff(): boolean {
    return this.#asked.length === 0;
  }

  /**
   * One answer per group of parties, in order, within `SCREENING_TIMEOUT_MS` or, after a failure, twice that. Never rejects.
   */
  async screen(about: ScreeningFor, groups: readonly Parties[]): Promise<readonly Screened[]> {
    const answers = await Promise.all(this.#asked.map((one) => one.judge(about, groups)));
    return groups.map((_, n) => together(answers.map((each) => each[n] ?? UNKNOWN)));
  }
}

/** Screens no one: for manual composition. */
export const NO_SCREENING = new Screening([], undefined as never);

const CLEAR: Screened = { state: 'clear' };
const UNKNOWN: Screened = { state: 'unknown' };

/** A block outweighs another screener's silence. */
function together(answers: readonly Screened[]): Screened {
  return answers.find(({ state }) => state === 'blocked') ?? answers.find(({ state }) => state === 'unknown') ?? CLEAR;
}

/** One screener with its unanswered questions. */
class AskedScreener {
  readonly #screener: Screener;
  readonly #deps: ScreeningDeps;
  readonly #open: Record<ScreeningFor, number> = { quotes: 0, payments: 0 };
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(screener: Screener, deps: ScreeningDeps) {
    this.#screener = screener;
    this.#deps = deps;
  }

  async judge(about: ScreeningFor, groups: readonly Parties[]): Promise<readonly Screened[]> {
    const parties = unlike(groups.flat());
    if (parties.length === 0) return groups.map(() => CLEAR);
    const all = await this.#ask(about, parties);
    let answers: readonly Screened[];
    if (typeof all !== 'string') answers = groups.map((group) => this.#of(group, all));
    else if (all === 'late' || groups.length === 1) answers = groups.map(() => UNKNOWN);
    else answers = await this.#judgeApart(about, groups);
    this.#report(answers.some(({ state }) => state === 'unknown'));
    return answers;
  }

  /** A party that makes the screener fail does not keep the others from being judged. */
  async #judgeApart(about: ScreeningFor, groups: readonly Parties[]): Promise<readonly Screened[]> {
    const answers: Screened[] = [];
    let isLate = false;
    for (let at = 0; at < groups.length; at += SINGLE_PARTY_CONCURRENCY) {
      const some = groups.slice(at, at + SINGLE_PARTY_CONCURRENCY);
      const reported = await Promise.all(
        some.map(async (group) => {
          const answer = isLate ? 'late' : await this.#ask(about, unlike(group));
          if (answer === 'late') isLate = true;
          return typeof answer === 'string' ? UNKNOWN : this.#of(group, answer);
        }),
      );
      answers.push(...reported);
    }
    return answers;
  }

  #of(group: Parties, verdicts: ReadonlyMap<string, Verdict>): Screened {
    for (const party of group) {
      const verdict = verdicts.get(nameOf(party));
      if (verdict === undefined) return UNKNOWN;
      if (!verdict.blocked) continue;
      const { reason } = verdict;
      this.#deps.log.info({ ...party, screener: this.#screener.id, reason }, 'a party is blocked');
      return { state: 'blocked', party };
    }
    return CLEAR;
  }

  async #ask(about: ScreeningFor, parties: Parties): Promise<ReadonlyMap<string, Verdict> | 'late' | 'failed'> {
    const answer = await this.#answer(about, parties);
    const isReported = typeof answer !== 'string';
    const isBlocked = isReported && [...answer.values()].some(({ blocked }) => blocked);
    const outcome = isReported ? (isBlocked ? 'blocked' : 'clear') : answer;
    this.#deps.metrics.count('asked', 'Questions to screeners, by result', {
      screener: this.#screener.id,
      about,
      outcome,
    });
    return answer;
  }

  async #answer(about: ScreeningFor, parties: Parties): Promise<ReadonlyMap<string, Verdict> | 'late' | 'failed'> {
    const { clock, log } = this.#deps;
    if (this.#open[about] >= MAX_OPEN_CALLS) return 'late';
    this.#open[about] += 1;
    const over = new AbortController();
    const asked = (async () => this.#screener.screen(parties, over.signal))().finally(() => {
      this.#open[about] -= 1;
    });
    try {
      const late = clock.sleep(SCREENING_TIMEOUT_MS, over.signal).then(() => 'late' as const);
      const verdicts = await Promise.race([asked, late]);
      if (verdicts !== 'late') return byName(parties, verdicts);
      asked.catch(() => undefined);
      log.warn({ screener: this.#screener.id, ms: SCREENING_TIMEOUT_MS }, 'a screener does not answer in time');
      return 'late';
    } catch (error) {
      log.warn({ screener: this.#screener.id, err: error }, 'a screener failed');
      return 'failed';
    } finally {
      over.abort('over');
    }
  }

  #report(isSilent: boolean): void {
    const { clock, alerts } = this.#deps;
    const id = `screener:${this.#screener.id}`;
    const now = clock.monotonic();
    if (isSilent) {
      this.#failedAt = now;
      const message = `Screener ${this.#screener.id} does not answer: nothing is quoted, and payments wait`;
      alerts.raise(id, message, { screener: this.#screener.id });
    } else if (now - this.#failedAt >= ALERT_CLEARED_AFTER_MS) alerts.clear(id);
  }
}

/** @throws for an answer that does not match the question. */
function byName(parties: Parties, verdicts: unknown): ReadonlyMap<string, Verdict> {
  if (!Array.isArray(verdicts) || /* guard: malformed-verdicts */ verdicts.length !== parties.length)
    throw new TypeError(`a screener answers with one verdict for each of ${parties.length} parties`);
  return new Map(parties.map((party, n) => [nameOf(party), verdictOf(verdicts[n])]));
}

function verdictOf(value: unknown): Verdict {
  const { blocked, reason } = (value ?? {}) as { readonly blocked?: unknown; readonly reason?: unknown };
  if (blocked === false) return { blocked };
  if (blocked === true) return { blocked, reason: String(reason).slice(0, MAX_REASON_CHARACTERS) };
  throw new TypeError('a verdict says whether a party is blocked');
}

const MAX_REASON_CHARACTERS = 200;

function nameOf({ chainId, address, role }: Party): string {
  return `${chainId}:${role}:${address}`;
}

function unlike(parties: Parties): Parties {
  return [...new Map(parties.map((party) => [nameOf(party), party])).values()];
}
