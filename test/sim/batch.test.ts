import { ATTACK_KINDS, FAULT_KINDS, OUTPUTS, SIGHTS, SimulationReport, USER_KINDS, WAYS } from '@causeway/core/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryFiles } from '../support/repository.js';
import { keptSeeds } from './kept.js';
import { isNotBuilt, TRIGGERS_NOT_BUILT } from './not-built.js';
import { replayCommand } from './options.js';
import { runKept, runSeeds } from './run-seeds.js';

/** Played whatever the time. */
const FLOOR = 200;
/** Of UTXO chains alone, first of all. */
const OUTPUT_SEEDS = 30;
const BUDGET_MS = Number(process.env['CAUSEWAY_SIM_SECONDS'] ?? 60) * 1_000;

/** Comes about once in some hundreds of runs. */
const RARE: readonly string[] = ['leg dropped'];

const report = new SimulationReport();
const outputs = new SimulationReport();

beforeAll(async () => {
  const began = performance.now();
  await runKept(report);
  await runSeeds({
    ...{ from: 1, seeds: OUTPUT_SEEDS, stride: 1, profile: OUTPUTS, until: () => false },
    done: (run) => {
      report.add(run);
      outputs.add(run);
    },
  });
  await runSeeds({
    from: 1,
    seeds: 1_000_000,
    stride: 1,
    until: () => report.seeds >= FLOOR + OUTPUT_SEEDS + keptSeeds().length && performance.now() - began > BUDGET_MS,
    done: (run) => report.add(run),
  });
  process.stdout.write(`${report.text(replayCommand)}\n`);
}, 600_000);

describe('the whole service under everything at once', () => {
  it('never breaks a promise, and finishes every request once the world is healthy', () => {
    const others = report.failed.filter(
      ({ violations }) => !outputs.failed.some((one) => one.violations === violations),
    );
    expect(others.map(({ seed, from, violations }) => [replayCommand(seed, from), violations[0]])).toEqual([]);
    expect(report.seeds).toBeGreaterThanOrEqual(FLOOR);
  });

  it('met every kind of fault, of user and of attack', () => {
    expect(FAULT_KINDS.filter((kind) => !report.faults.has(kind))).toEqual([]);
    expect(USER_KINDS.filter((kind) => !report.users.has(kind))).toEqual([]);
    expect(ATTACK_KINDS.filter((kind) => !report.attacks.has(kind))).toEqual([]);
  });

  it('met what only pools and outputs bring about', () => {
    expect(SIGHTS.filter((sight) => !report.sights.has(sight) && !RARE.includes(sight))).toEqual([]);
    expect(
      outputs.failed.map(({ seed, violations }) => [replayCommand(seed, 'drawn', OUTPUTS), violations[0]]),
    ).toEqual([]);
  });

  it('took every row of the transition table that is built', () => {
    const rowOf = (way: string) => way.replace(/^\w+ /, '');
    const taken = new Set([...report.ways.keys()].map(rowOf));
    const built = WAYS.filter((way) => !isNotBuilt(way)).map(rowOf);
    expect([...new Set(built)].filter((row) => !taken.has(row))).toEqual([]);
    expect([...report.ways.keys()].filter(isNotBuilt)).toEqual([]);
  });

  it('lists no trigger as not built that the engine raises', () => {
    const engine = repositoryFiles(/^core\/src\/engine\/.*\.ts$/);
    const raised = Object.keys(TRIGGERS_NOT_BUILT).filter((trigger) =>
      engine.some(({ text }) => new RegExp(`moveRequest\\((?:[^,]+,){3}\\s*'${trigger}'`).test(text)),
    );
    expect(engine.length).toBeGreaterThan(10);
    expect(raised).toEqual([]);
  });
});
