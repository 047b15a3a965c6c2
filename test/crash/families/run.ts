import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { discoverPoints } from '../../support/crash-discovery.js';
import type { Side } from '../../support/families/side.js';
import { tail } from '../../support/service.js';
import { sleep } from '../../support/until.js';
import type { Summary, Violation } from '../matrix.js';
import { RunRecord, shuffle } from '../record.js';
import type { WarmService } from '../warm-service.js';
import type { Course, FamilyFlow } from './flow.js';
import { balancesButForLostFees } from './lost-fees.js';
import { OldDatabase } from './old-database.js';
import type { FamiliesStage, Order } from './stage.js';

export interface RunOptions {
  /** After the play, restores the ledger as it was at the kill and kills the service again while it reconciles. */
  readonly restored?: boolean;
  readonly say: (line: string) => void;
}

export interface Pair<S extends Side> {
  readonly flow: FamilyFlow<S>;
  readonly point: string;
  readonly passings: number;
}

/**
 * Calls of a family's adapter, and the change sets around them. Points common to all families are in the other
 * matrix.
 */
const OF_FAMILY =
  /^chain\.|^store\.engine\.(ingest|settle\.sign|send\.record|track|lane\.(open|resume)|collect|replace|paid)/;
/** Points passed only by a service whose ledger is behind the chains: it is killed there again. */
const OF_RESTORED = [
  ...['chain.lanePosition', 'chain.sentSince', 'chain.spenderOf', 'chain.paidBy', 'chain.look'],
  ...['chain.describeTransaction', 'store.restored', 'store.engine.inflow', 'store.engine.lane.open'],
  ...['store.engine.lane.resume', 'store.engine.paid', 'store.engine.ingest', 'store.engine.track'],
].flatMap((name) => [`${name}.before`, `${name}.after`]);
const MAX_PASSINGS = 6;
const TIMEOUT_MS = 180_000;
const QUIET_LOOKS = 3;
/** Quotes are made for this many plays at a time: those for all plays would expire. */
const QUOTED_AHEAD = 20;
const JUDGE_MS = 300_000;

export class Run<S extends Side> {
  readonly #name: string;
  readonly #stage: FamiliesStage<S>;
  readonly #options: RunOptions;
  readonly #violations: Violation[] = [];
  readonly #missed: string[] = [];
  readonly #record = new RunRecord();
  readonly #orders = new Map<string, readonly Order[]>();
  #present: WarmService | undefined;
  #second = 0;
  #pairs = 0;
  #ms = 0;

  constructor(name: string, stage: FamiliesStage<S>, options: RunOptions) {
    this.#name = name;
    this.#stage = stage;
    this.#options = options;
  }

  async reachedBy(flow: FamilyFlow<S>): Promise<readonly Pair<S>[]> {
    const log = join(this.#stage.home.dir, 'reached');
    rmSync(log, { force: true });
    await this.#play(flow, `${this.#name}: ${flow.name}, without a kill`, { CAUSEWAY_CRASH_LOG: log });
    const reached = new Map<string, number>();
    for (const line of readFileSync(log, 'utf8').split('\n')) {
      const point = line.slice(line.indexOf(' ') + 1);
      if (OF_FAMILY.test(point)) reached.set(point, (reached.get(point) ?? 0) + 1);
    }
    return [...reached].map(([point, passings]) => ({ flow, point, passings }));
  }

  /** Last failed first, then never run, then least recently run. */
  inTurn(pairs: readonly Pair<S>[]): readonly Pair<S>[] {
    const rank = (pair: Pair<S>): string => {
      const entry = this.#record.of(this.#nameOf(pair));
      if (entry?.failed) return '0';
      return entry === undefined ? `1${shuffle(this.#nameOf(pair))}` : `2${String(entry.at).padStart(15, '0')}`;
    };
    return pairs
      .map((pair) => ({ pair, rank: rank(pair) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .map(({ pair }) => pair);
  }

  async playAll(pairs: readonly Pair<S>[], until: number): Promise<void> {
    for (const [index, pair] of pairs.entries()) {
      if (index > 0 && performance.now() > until) break;
      if (index % QUOTED_AHEAD === 0) await this.#prepare(pairs.slice(index, index + QUOTED_AHEAD));
      await this.#kill(pair, `${index + 1}/${pairs.length}`);
    }
  }

  async #prepare(pairs: readonly Pair<S>[]): Promise<void> {
    this.#stage.configure();
    this.#present = this.#stage.services.start({});
    for (const pair of pairs) this.#orders.set(this.#nameOf(pair), await this.#quoted(pair.flow));
    await this.#end();
  }

  async #kill(pair: Pair<S>, place: string): Promise<void> {
    const began = performance.now();
    const name = this.#nameOf(pair);
    const before = this.#violations.length;
    const first = Number.parseInt(shuffle(name).slice(0, 6), 16);
    const passing = 1 + (first % Math.min(pair.passings, MAX_PASSINGS));
    let died = await this.#play(pair.flow, name, { CAUSEWAY_CRASH_AT: `${pair.point}:${passing}` });
    if (!died && passing > 1) died = await this.#play(pair.flow, name, { CAUSEWAY_CRASH_AT: pair.point });
    if (!died) this.#missed.push(name);
    this.#pairs += 1;
    this.#record.keep(name, this.#violations.length > before);
    this.#ms += performance.now() - began;
    this.#options.say(`[${place}] ${died ? 'killed' : 'missed'} ${name} ${Math.round(performance.now() - began)} ms`);
  }

  async #play(flow: FamilyFlow<S>, name: string, env: Readonly<Record<string, string>>): Promise<boolean> {
    const stage = this.#stage;
    const old = this.#options.restored ? new OldDatabase(stage.home) : undefined;
    let died = 0;
    let ended: string | undefined;
    const follow = (service: WarmService): void => {
      this.#present = service;
      void service.exited.then(({ code, signal }) => {
        if (this.#present !== service) return;
        if (signal !== 'SIGKILL') ended = `the service ended by itself with ${signal ?? `code ${code}`}`;
        died += 1;
        if (died === 1) old?.keep();
        follow(stage.services.start({}));
      });
    };
    try {
      const orders = this.#orders.get(name) ?? (await this.#alone(flow));
      this.#orders.delete(name);
      stage.configure(flow.tuning);
      follow(stage.services.start(env));
      const course = flow.course?.(stage, orders) ?? { step: () => stage.advance(), isOver: () => true };
      let unpaid: Error | undefined;
      const paying = Promise.all(orders.map((order) => order.pay())).catch((error: Error) => {
        unpaid = error;
      });
      const over = () =>
        this.#insist('everybody has what they are owed', async () => {
          if (ended !== undefined || unpaid !== undefined) return;
          await this.#isOver(flow, orders, course);
        });
      await over();
      await paying;
      if (old !== undefined && died > 0) {
        await this.#end();
        old.restore();
        const before = died;
        follow(stage.services.start({ CAUSEWAY_CRASH_AT: drawn(OF_RESTORED, name) }));
        await over();
        if (died > before) this.#second += 1;
      }
      if (unpaid !== undefined) throw new Error(`no payer could pay: ${(unpaid as Error).message}`);
      if (ended !== undefined) throw new Error(ended);
      if ('CAUSEWAY_CRASH_LOG' in env) await flow.isAsNamed?.(stage, orders);
    } catch (error) {
      this.#note(name, [(error as Error).message, tail(this.#present?.output ?? '', 20)]);
    }
    await this.#end();
    return died > 0;
  }

  async #alone(flow: FamilyFlow<S>): Promise<readonly Order[]> {
    this.#stage.configure();
    this.#present = this.#stage.services.start({});
    const orders = await this.#quoted(flow);
    await this.#end();
    return orders;
  }

  #quoted(flow: FamilyFlow<S>): Promise<readonly Order[]> {
    return this.#insist('a quote', () => flow.orders(this.#stage));
  }

  async #isOver(flow: FamilyFlow<S>, orders: readonly Order[], course: Course): Promise<void> {
    await course.step();
    if (!(await flow.done(this.#stage, orders))) throw new Error('the chains say not yet');
    if (!course.isOver()) throw new Error('its chains have more to do');
    for (const { requestId } of orders) {
      const { status } = await this.#stage.rest.status(requestId);
      if (status !== flow.status) throw new Error(`it is ${status}`);
    }
  }

  async #insist<T>(what: string, ask: () => Promise<T>, ms = TIMEOUT_MS): Promise<T> {
    const deadline = performance.now() + ms;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (performance.now() > deadline) throw new Error(`never: ${what} (${(error as Error).message})`);
      }
      await sleep(100);
    }
  }

  async #end(): Promise<void> {
    const present = this.#present;
    this.#present = undefined;
    await present?.kill();
  }

  async judgeAll(): Promise<void> {
    const stage = this.#stage;
    const lost = this.#options.restored === true;
    stage.configure();
    this.#present = stage.services.start({});
    try {
      let before = -1;
      let same = 0;
      await this.#insist(
        'the chains are quiet',
        async () => {
          await stage.advance();
          const body = await stage.audit();
          const now = await stage.sent();
          same = now === before && body.unsettled === 0 ? same + 1 : 0;
          before = now;
          const isWhole = body.balanced || (lost && balancesButForLostFees(body, await stage.histories()));
          if (!isWhole) throw new Error('the books do not balance');
          if (same < QUIET_LOOKS) throw new Error(`${now} sends landed, ${body.unsettled} are not settled`);
        },
        JUDGE_MS,
      );
    } catch (error) {
      this.#note('all plays', [(error as Error).message]);
    }
    const violations = await this.#insist('a verdict', () => stage.violations(), JUDGE_MS);
    if (violations.length > 0) this.#note('all plays', violations);
  }

  #note(play: string, what: readonly string[]): void {
    this.#violations.push({ play, what });
    this.#options.say(`VIOLATION ${play}\n  ${what.join('\n  ')}`);
  }

  #nameOf({ flow, point }: Pair<S>): string {
    return `${this.#name}: ${flow.name} @ ${point}${this.#options.restored ? ', restored' : ''}`;
  }

  summary(found: readonly Pair<S>[]): Summary {
    const known = new Set(discoverPoints());
    const unknown = [...new Set(found.map(({ point }) => point))].filter((point) => !known.has(point));
    const counts = {
      reached: found.length,
      pairs: this.#pairs,
      kills: this.#pairs - this.#missed.length,
      second: this.#second,
    };
    const meanMs = this.#pairs === 0 ? 0 : this.#ms / this.#pairs;
    return { ...counts, missed: this.#missed, violations: this.#violations, meanMs, unknown, unreached: [] };
  }

  async close(): Promise<void> {
    await this.#end();
    await this.#stage.close();
  }
}

/** The same in every run of one commit, another in the next. */
function drawn(points: readonly string[], name: string): string {
  return points[Number.parseInt(shuffle(`${name}, again`).slice(0, 6), 16) % points.length] ?? '';
}
