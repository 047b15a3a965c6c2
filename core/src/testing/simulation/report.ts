import { WAYS } from './oracle/table-row.js';
import type { Violation } from './oracle/violation.js';

export interface RunResult {
  readonly seed: number;
  /** sha-256 of the trace: equal digests mean identical runs. */
  readonly digest: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly chains: number;
  /** Including children. */
  readonly requests: number;
  readonly users: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly attacks: Readonly<Record<string, number>>;
  readonly ways: Readonly<Record<string, number>>;
  readonly sights: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
}

/** Drawn again, or saved when it was drawn. */
export type ScenarioSource = 'drawn' | 'kept';

interface Failed {
  readonly seed: number;
  readonly from: ScenarioSource;
  readonly violations: readonly Violation[];
}

export class SimulationReport {
  seeds = 0;
  steps = 0;
  requests = 0;
  virtualMs = 0;
  readonly users = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly attacks = new Map<string, number>();
  readonly ways = new Map<string, number>();
  readonly sights = new Map<string, number>();
  readonly outcomes = new Map<string, number>();
  readonly failed: Failed[] = [];

  add(run: RunResult, from: ScenarioSource = 'drawn'): void {
    this.seeds += 1;
    this.steps += run.steps;
    this.requests += run.requests;
    this.virtualMs += run.virtualMs;
    count(this.users, run.users);
    count(this.faults, run.faults);
    count(this.attacks, run.attacks);
    count(this.ways, run.ways);
    count(this.sights, run.sights);
    count(this.outcomes, run.outcomes);
    if (run.violations.length > 0) this.failed.push({ seed: run.seed, from, violations: run.violations });
  }

  get violations(): number {
    return this.failed.reduce((sum, one) => sum + one.violations.length, 0);
  }

  /** Transitions that no run took. */
  get untaken(): readonly string[] {
    return WAYS.filter((way) => !this.ways.has(way));
  }

  /** `N seeds, N steps, N violations`. */
  summary(): string {
    return `${this.seeds} seeds, ${this.steps} steps, ${this.violations} violations`;
  }

  /** @param replay command line that runs one seed again. */
  text(replay: (seed: number, from: ScenarioSource) => string): string {
    const parts = [
      `${this.requests} requests over ${Math.round(this.virtualMs / 60_000)} virtual minutes`,
      section('users', this.users),
      section('faults', this.faults),
      section('attacks', this.attacks),
      section('outcomes', this.outcomes),
      section('sights', this.sights),
      section('transitions taken', this.ways),
      this.untaken.length > 0 ? `transitions not taken: ${this.untaken.join('; ')}` : 'every transition was taken',
      ...this.failed.slice(0, 20).map((one) => failedText(one, replay)),
      this.failed.length > 20 ? `and ${this.failed.length - 20} more failing seeds` : '',
      this.summary(),
    ];
    return parts.filter((part) => part !== '').join('\n');
  }
}

function count(into: Map<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [name, times] of Object.entries(from)) into.set(name, (into.get(name) ?? 0) + times);
}

function section(title: string, counts: ReadonlyMap<string, number>): string {
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, times]) => `  ${name}: ${times}`);
  return [`${title}:`, ...lines].join('\n');
}

function failedText(
  { seed, from, violations }: Failed,
  replay: (seed: number, from: ScenarioSource) => string,
): string {
  const lines = violations.slice(0, 10).map(({ rule, message, at }) => `  at ${at} ms, ${rule}: ${message}`);
  return [`seed ${seed} FAILED, replay with: ${replay(seed, from)}`, ...lines].join('\n');
}
