import { mkdirSync, writeFileSync } from 'node:fs';
import { discoverPoints } from '../support/crash-discovery.js';
import { ROOT } from '../support/repository.js';
import type { Flow } from './flow.js';
import { FLOWS } from './flows.js';
import { type Played, play, type Reached } from './play.js';
import { RunRecord, shuffle } from './record.js';
import { Stage } from './stage.js';
import { mayBeReached, reasonFor } from './unreached.js';

/** Only the first passings of frequent points are distinguished. */
const MAX_PASSINGS = 6;

export interface MatrixOptions {
  readonly flow?: string;
  readonly point?: string;
  readonly sample?: number;
  /** The i-th of n parts, counted from 1; flows are dealt out. */
  readonly shard?: readonly [number, number];
  readonly pairs?: number;
  readonly ms?: number;
  /** Pairs killed however long the dry runs took. Default 1. */
  readonly least?: number;
  readonly drawn?: number;
  /** One second kill per this many pairs, instead of all for few. */
  readonly secondEvery?: number;
  readonly workers?: number;
  readonly say: (line: string) => void;
}

export interface Violation {
  readonly play: string;
  readonly what: readonly string[];
}

export interface Summary {
  /** (point, flow) pairs that the dry runs reached, before any limit. */
  readonly reached: number;
  readonly pairs: number;
  readonly kills: number;
  readonly second: number;
  readonly missed: readonly string[];
  readonly violations: readonly Violation[];
  readonly meanMs: number;
  /** Reached points that are not in the code; none, unless discovery is wrong. */
  readonly unknown: readonly string[];
  /** Points that no flow reaches, without a reason. Whole matrices only. */
  readonly unreached: readonly string[];
}

interface Pair {
  readonly flow: Flow;
  readonly point: string;
  readonly passings: number;
}

export async function killMatrix(options: MatrixOptions): Promise<Summary> {
  const began = performance.now();
  const until = began + (options.ms ?? Number.POSITIVE_INFINITY);
  const flows = sampleOf(
    FLOWS.filter(
      ({ name }, index) =>
        name.includes(options.flow ?? '') && (!options.shard || index % options.shard[1] === options.shard[0] - 1),
    ),
    options.sample,
  );
  const stages: Stage[] = [];
  const run = new Run(stages, options);
  try {
    for (let n = 0; n < (options.workers ?? 2); n += 1) stages.push(await Stage.open(flows));
    const found = await run.reachedBy(flows);
    const pairs = run.inTurn(found.filter(({ point }) => point.includes(options.point ?? '')));
    const ready = performance.now();
    await run.playAll(pairs.slice(0, options.pairs ?? pairs.length), until);
    const playing = performance.now() - ready;
    const whole = flows.length === FLOWS.length;
    return { ...run.summary(playing), reached: found.length, ...coverage(found, whole) };
  } finally {
    await Promise.all(stages.map((stage) => stage.close()));
  }
}

function sampleOf(flows: readonly Flow[], count: number | undefined): readonly Flow[] {
  if (count === undefined) return flows;
  return [...flows].sort((a, b) => (shuffle(a.name) < shuffle(b.name) ? -1 : 1)).slice(0, count);
}

function coverage(found: readonly Pair[], whole: boolean): Pick<Summary, 'unknown' | 'unreached'> {
  const reached = new Set(found.map(({ point }) => point));
  const discovered = discoverPoints();
  const unreached = discovered.filter((point) => !reached.has(point) && reasonFor(point) === undefined);
  return {
    unknown: [...reached].filter(
      (point) => !discovered.includes(point) || (reasonFor(point) !== undefined && !mayBeReached(point)),
    ),
    unreached: whole ? unreached : [],
  };
}

class Run {
  readonly #record = new RunRecord();
  readonly #violations: Violation[] = [];
  readonly #missed: string[] = [];
  #plays = 0;
  #kills = 0;
  #pairs = 0;
  #second = 0;

  constructor(
    readonly stages: readonly Stage[],
    readonly options: MatrixOptions,
  ) {}

  /** Plays each flow without a kill, unless done with this very code. */
  async reachedBy(flows: readonly Flow[]): Promise<readonly Pair[]> {
    const pairs: Pair[] = [];
    await this.#share(flows, async (stage, flow) => {
      const reached = this.#record.dryRun(flow.name) ?? (await this.#dryRun(stage, flow));
      for (const [point, passings] of reached)
        if (flow.only?.test(point) ?? true) pairs.push({ flow, point, passings });
    });
    this.options.say(`${flows.length} flows reach ${pairs.length} pairs`);
    return pairs;
  }

  async #dryRun(stage: Stage, flow: Flow): Promise<Reached> {
    const played = await play(stage, flow, []);
    const reached = played.reached[0] ?? new Map();
    const failed = this.#judge(`${flow.name}, without a kill`, played);
    if (!failed) this.#record.keepDryRun(flow.name, reached);
    return reached;
  }

  async #share<T>(items: readonly T[], work: (stage: Stage, item: T, index: number) => Promise<void>): Promise<void> {
    const queue = items.entries();
    await Promise.all(
      this.stages.map(async (stage) => {
        for (const [index, item] of queue) await work(stage, item, index);
      }),
    );
  }

  /** Last failed first, then never run, then least recently run. */
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

  async playAll(pairs: readonly Pair[], until: number): Promise<void> {
    const { drawn = 0, secondEvery = 0, least = 1 } = this.options;
    const draw = new Set([...pairs].sort((a, b) => (shuffle(nameOf(a)) < shuffle(nameOf(b)) ? 1 : -1)).slice(0, drawn));
    await this.#share(pairs, async (stage, pair, index) => {
      if (index >= least && performance.now() > until) return;
      const recovery = await this.#playPair(stage, pair, `${index + 1}/${pairs.length}`);
      const points = this.#secondInTurn(pair, recovery);
      if (draw.has(pair)) await this.#playSecond(stage, pair, points, until);
      else if (secondEvery > 0 && index % secondEvery === secondEvery - 1)
        await this.#playSecond(stage, pair, points.slice(0, 1), until);
    });
  }

  summary(playingMs: number): Omit<Summary, 'reached' | 'unknown' | 'unreached'> {
    return {
      pairs: this.#pairs,
      kills: this.#kills,
      second: this.#second,
      missed: this.#missed,
      violations: this.#violations,
      meanMs: this.#plays === 0 ? 0 : playingMs / this.#plays,
    };
  }

  async #playPair(stage: Stage, pair: Pair, place: string): Promise<readonly string[]> {
    const name = nameOf(pair);
    const passing = 1 + ((this.#record.of(name)?.runs ?? firstOf(pair)) % Math.min(pair.passings, MAX_PASSINGS));
    let played = await this.#kill(stage, pair, [`${pair.point}:${passing}`]);
    if (played.died.length === 0 && passing > 1) played = await this.#kill(stage, pair, [pair.point]);
    if (played.died.length === 0) this.#missed.push(name);
    this.#pairs += 1;
    const failed = this.#judge(`${pair.flow.name} killed at ${played.died[0] ?? pair.point}`, played);
    this.#record.keep(name, failed);
    this.options.say(`[${place}] ${said(played, failed)} ${name}`);
    return [...(played.reached[1]?.keys() ?? [])];
  }

  #secondInTurn(pair: Pair, recovery: readonly string[]): readonly string[] {
    const last = (point: string) => this.#record.of(`${nameOf(pair)} > ${point}`)?.at ?? 0;
    return [...recovery].sort((a, b) => last(a) - last(b) || (shuffle(a) < shuffle(b) ? -1 : 1));
  }

  async #playSecond(stage: Stage, pair: Pair, points: readonly string[], until: number): Promise<void> {
    for (const [index, point] of points.entries()) {
      if (performance.now() > until) return;
      const name = `${nameOf(pair)} > ${point}`;
      const played = await this.#kill(stage, pair, [pair.point, point]);
      this.#second += 1;
      const failed = this.#judge(`${pair.flow.name} killed at ${pair.point} and then at ${point}`, played);
      this.#record.keep(name, failed);
      this.options.say(`    [${index + 1}/${points.length}] ${said(played, failed)} ${name}`);
    }
  }

  async #kill(stage: Stage, pair: Pair, kills: readonly string[]): Promise<Played> {
    const played = await play(stage, pair.flow, kills);
    this.#plays += 1;
    this.#kills += played.died.length;
    return played;
  }

  #judge(what: string, played: Played): boolean {
    if (played.violations.length === 0) return false;
    this.#violations.push({ play: what, what: played.violations });
    const folder = `${ROOT}.causeway/crash`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = `${folder}/${what.replaceAll(/[^\w.-]+/g, '-')}.txt`;
    writeFileSync(file, `${played.violations.join('\n')}\n\n${played.said}\n`);
    this.options.say(`VIOLATION ${what}\n  ${played.violations.join('\n  ')}`);
    return true;
  }
}

const nameOf = ({ flow, point }: Pair): string => `${flow.name} @ ${point}`;

const firstOf = (pair: Pair): number => Number.parseInt(shuffle(nameOf(pair)).slice(0, 6), 16);

function said(played: Played, failed: boolean): string {
  const outcome = failed ? 'FAILED' : played.died.length === 0 ? 'missed' : 'ok';
  return `${outcome.padEnd(6)} ${(played.ms / 1000).toFixed(1)} s`;
}
