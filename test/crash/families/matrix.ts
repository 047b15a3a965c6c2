import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tail } from '../../support/service.js';
import { sleep } from '../../support/until.js';
import type { Summary, Violation } from '../matrix.js';
import { RunRecord, shuffle } from '../record.js';
import type { WarmService } from '../warm-service.js';
import { FAMILY_FLOWS, type FamilyFlow } from './flows.js';
import { FamiliesStage, type Order } from './stage.js';

export interface FamilyOptions {
  /** Plays only flows and points with these in their names. */
  readonly flow?: string;
  readonly point?: string;
  /** Kills at most this often. */
  readonly pairs?: number;
  /** Starts no play after this, but for the first. */
  readonly ms?: number;
  readonly say: (line: string) => void;
}

interface Pair {
  readonly flow: FamilyFlow;
  readonly point: string;
  readonly passings: number;
}

/**
 * Where a family's adapter is asked, and the change sets around its answers. What else there is to kill at is the same for
 * all families, and is in the other matrix.
 */
const OF_FAMILY = /^chain\.|^store\.engine\.(ingest|settle\.sign|send\.record|track|lane\.open|collect)/;
/** Of points that are passed all the time, only the first passings are told apart. */
const MOST_PASSINGS = 6;
const PATIENCE_MS = 60_000;
const QUIET_LOOKS = 3;
/** Histories are read as a whole, again and again. */
const JUDGE_MS = 180_000;

/** Kills a service between two families at every point of `OF_FAMILY` that a flow reaches, and judges by the chains. */
export async function killFamilies(options: FamilyOptions): Promise<Summary> {
  const began = performance.now();
  const until = began + (options.ms ?? Number.POSITIVE_INFINITY);
  const stage = await FamiliesStage.open();
  const run = new Run(stage, options);
  try {
    const flows = FAMILY_FLOWS.filter(({ name }) => name.includes(options.flow ?? ''));
    const found: Pair[] = [];
    for (const flow of flows) found.push(...(await run.reachedBy(flow)));
    options.say(`${flows.length} flows reach ${found.length} pairs`);
    const pairs = run.inTurn(found.filter(({ point }) => point.includes(options.point ?? ''))).slice(0, options.pairs);
    await run.prepare(pairs);
    for (const [index, pair] of pairs.entries()) {
      if (index > 0 && performance.now() > until) break;
      await run.kill(pair, `${index + 1}/${pairs.length}`);
    }
    await run.judgeAll();
    return run.summary(found.length);
  } finally {
    await run.close();
  }
}

class Run {
  readonly #stage: FamiliesStage;
  readonly #options: FamilyOptions;
  readonly #violations: Violation[] = [];
  readonly #missed: string[] = [];
  readonly #record = new RunRecord();
  readonly #orders = new Map<string, Order>();
  #present: WarmService | undefined;
  #kills = 0;
  #pairs = 0;
  #ms = 0;

  constructor(stage: FamiliesStage, options: FamilyOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  /** Plays a flow without a kill. */
  async reachedBy(flow: FamilyFlow): Promise<readonly Pair[]> {
    const log = join(this.#stage.home.dir, 'reached');
    rmSync(log, { force: true });
    await this.#play(flow, { CAUSEWAY_CRASH_LOG: log }, `${flow.name}, nobody killed`);
    const reached = new Map<string, number>();
    for (const line of readFileSync(log, 'utf8').split('\n')) {
      const point = line.slice(line.indexOf(' ') + 1);
      if (OF_FAMILY.test(point)) reached.set(point, (reached.get(point) ?? 0) + 1);
    }
    return [...reached].map(([point, passings]) => ({ flow, point, passings }));
  }

  /** What failed last, then what never ran, then what ran longest ago. */
  inTurn(pairs: readonly Pair[]): readonly Pair[] {
    const rank = (pair: Pair): string => {
      const entry = this.#record.of(nameOf(pair));
      if (entry?.failed) return '0';
      return entry === undefined ? `1${shuffle(nameOf(pair))}` : `2${String(entry.at).padStart(15, '0')}`;
    };
    return pairs
      .map((pair) => ({ pair, rank: rank(pair) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .map(({ pair }) => pair);
  }

  /** Quotes for all of them, of one process that nobody kills. */
  async prepare(pairs: readonly Pair[]): Promise<void> {
    this.#stage.configure();
    this.#present = this.#stage.services.start({});
    for (const pair of pairs) this.#orders.set(nameOf(pair), await this.#quoted(pair.flow));
    await this.#end();
  }

  async kill(pair: Pair, place: string): Promise<void> {
    const began = performance.now();
    const name = nameOf(pair);
    const before = this.#violations.length;
    const first = Number.parseInt(shuffle(name).slice(0, 6), 16);
    const passing = 1 + (first % Math.min(pair.passings, MOST_PASSINGS));
    let died = await this.#play(pair.flow, { CAUSEWAY_CRASH_AT: `${pair.point}:${passing}` }, name);
    // Later passings depend on timing; the first one is what the dry run saw.
    if (!died && passing > 1) died = await this.#play(pair.flow, { CAUSEWAY_CRASH_AT: pair.point }, name);
    if (!died) this.#missed.push(name);
    this.#pairs += 1;
    this.#record.keep(name, this.#violations.length > before);
    this.#ms += performance.now() - began;
    this.#options.say(`[${place}] ${died ? 'killed' : 'missed'} ${name} ${Math.round(performance.now() - began)} ms`);
  }

  /** True when the process died at its point; another one finished the work. */
  async #play(flow: FamilyFlow, env: Readonly<Record<string, string>>, name: string): Promise<boolean> {
    const stage = this.#stage;
    let died = 0;
    let ended: string | undefined;
    const follow = (service: WarmService): void => {
      this.#present = service;
      void service.exited.then(({ code, signal }) => {
        if (this.#present !== service) return;
        if (signal !== 'SIGKILL') ended = `the service ended by itself with ${signal ?? `code ${code}`}`;
        died += 1;
        follow(stage.services.start({}));
      });
    };
    try {
      const order = this.#orders.get(name) ?? (await this.#alone(flow));
      this.#orders.delete(name);
      stage.configure(flow.tuning);
      follow(stage.services.start(env));
      await order.pay();
      await this.#insist('everybody has what they are owed', async () => {
        if (ended !== undefined) return;
        await this.#isOver(flow, order);
      });
      if (ended !== undefined) throw new Error(ended);
    } catch (error) {
      this.#note(name, [(error as Error).message, tail(this.#present?.output ?? '', 20)]);
    }
    await this.#end();
    return died > 0;
  }

  async #alone(flow: FamilyFlow): Promise<Order> {
    this.#stage.configure();
    this.#present = this.#stage.services.start({});
    const order = await this.#quoted(flow);
    await this.#end();
    return order;
  }

  #quoted(flow: FamilyFlow): Promise<Order> {
    return this.#insist('a quote', () => flow.order(this.#stage));
  }

  async #isOver(flow: FamilyFlow, order: Order): Promise<void> {
    await this.#stage.advance();
    if (!(await flow.done(this.#stage, order))) throw new Error('the chains say not yet');
    const { status } = await this.#stage.rest.status(order.requestId);
    if (status !== flow.status) throw new Error(`it is ${status}`);
  }

  async #insist<T>(what: string, ask: () => Promise<T>, ms = PATIENCE_MS): Promise<T> {
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

  /** Nobody follows who is ended here. */
  async #end(): Promise<void> {
    const present = this.#present;
    this.#present = undefined;
    await present?.kill();
  }

  /** With a living service, until nothing lands any more: then all plays together. */
  async judgeAll(): Promise<void> {
    const stage = this.#stage;
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
          if (!body.balanced) throw new Error('the books do not balance');
          if (same < QUIET_LOOKS) throw new Error(`${now} sends landed, ${body.unsettled} are not settled`);
        },
        JUDGE_MS,
      );
    } catch (error) {
      this.#note('all plays', [(error as Error).message]);
    }
    const violations = await stage.violations();
    if (violations.length > 0) this.#note('all plays', violations);
  }

  #note(play: string, what: readonly string[]): void {
    this.#violations.push({ play, what });
    this.#options.say(`VIOLATION ${play}\n  ${what.join('\n  ')}`);
  }

  summary(reached: number): Summary {
    this.#kills = this.#pairs - this.#missed.length;
    const counts = { reached, pairs: this.#pairs, kills: this.#kills, second: 0 };
    const meanMs = this.#pairs === 0 ? 0 : this.#ms / this.#pairs;
    return { ...counts, missed: this.#missed, violations: this.#violations, meanMs, unknown: [], unreached: [] };
  }

  async close(): Promise<void> {
    await this.#end();
    await this.#stage.close();
  }
}

const nameOf = ({ flow, point }: Pair): string => `${flow.name} @ ${point}`;
