import {
  ATTACK_KINDS,
  FAULT_KINDS,
  type RunResult,
  SIGHTS,
  type SimulationProfile,
  SimulationReport,
  USER_KINDS,
  UTXO_CHAINS,
  WAYS,
} from '@causeway/core/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { repositoryFiles } from '../support/repository.js';
import { keptSeeds } from './kept.js';
import { isNotBuilt, TRIGGERS_NOT_BUILT } from './not-built.js';
import { replayCommand } from './options.js';
import { runKept, runSeeds } from './run-seeds.js';

/** Played whatever the time, at most: the gate ends once it has met everything, but not before a part of them. */
const FLOOR = 200;
const LEAST = AT_NIGHT ? FLOOR : 30;
/** Of UTXO chains alone, first of all. */
const UTXO_SEEDS = 30;
/** Then of chains with pools, and of users who ask for what only these have. */
const POOLED_SEEDS = 24;
const POOLED: SimulationProfile = { pools: true, profiles: ['nonce', 'expiring'] };
/** Then of what only some runs have, among faults: whoever abuses it is in each of these. */
const WISHED_SEEDS = 10;
const WISHED: SimulationProfile = {
  profiles: ['nonce', 'nonce', 'expiring'],
  attacks: ['shareSpoiling', 'foreignExecuting', 'firmOption', 'topUpCircles'],
  also: ['depositReorg', 'depositReorg', 'depositReorg'],
};
/** Then of payers who swap what they deposit, among whoever abuses that, and reorgs that make it anew. */
const SWAPPED_SEEDS = 6;
const SWAPPED: SimulationProfile = {
  profiles: ['nonce'],
  attacks: ['swapSpoiling', 'foreignSwapping', 'swapReplaying'],
  also: ['depositReorg', 'depositReorg', 'depositReorg'],
};
/** Then of depositories that are accounts, send by themselves and pay fees. */
const VAULT_SEEDS = 12;
const VAULTS: SimulationProfile = { vaults: true, profiles: ['nonce', 'expiring', 'async'] };
/** Then of users whom a screener blocks in the course of it, while it is away at times. */
const SCREENED_SEEDS = 12;
const SCREENED: SimulationProfile = { screening: true };
/** Beyond what is played whatever the time; none in the gate, which plays the same seeds on every machine. */
const BUDGET_MS = Number(process.env['CAUSEWAY_SIM_SECONDS'] ?? (AT_NIGHT ? 60 : 0)) * 1_000;

/** Comes about once in some hundreds of runs. */
const RARE: readonly string[] = ['leg dropped'];
/** A reorg that takes the deposit of an order which fell back, and gives it back: `core/test/engine/swaps.test.ts` shows it. */
const RARE_ROWS: readonly string[] = ['-> fallback (depositReturned)'];

const report = new SimulationReport();
/** What runs that failed were drawn from, by what was found. */
const drawnFrom = new Map<readonly unknown[], SimulationProfile>();
const utxo = new SimulationReport();

const rowOf = (way: string): string => way.replace(/^\w+ /, '');
const BUILT = [...new Set(WAYS.filter((way) => !isNotBuilt(way)).map(rowOf))];

const missed = {
  faults: () => FAULT_KINDS.filter((kind) => !report.faults.has(kind)),
  users: () => USER_KINDS.filter((kind) => !report.users.has(kind)),
  attacks: () => ATTACK_KINDS.filter((kind) => !report.attacks.has(kind)),
  sights: () => SIGHTS.filter((sight) => !report.sights.has(sight) && !RARE.includes(sight)),
  rows: () => {
    const taken = new Set([...report.ways.keys()].map(rowOf));
    return BUILT.filter((row) => !taken.has(row) && !RARE_ROWS.includes(row));
  },
};

function enough(spentMs: number): boolean {
  const drawn =
    report.seeds -
    UTXO_SEEDS -
    POOLED_SEEDS -
    WISHED_SEEDS -
    SWAPPED_SEEDS -
    VAULT_SEEDS -
    SCREENED_SEEDS -
    keptSeeds().length;
  if (drawn < LEAST || spentMs <= BUDGET_MS) return false;
  return drawn >= FLOOR || Object.values(missed).every((look) => look().length === 0);
}

function addOf(profile: SimulationProfile, run: RunResult): void {
  drawnFrom.set(run.violations, profile);
  report.add(run);
}

beforeAll(async () => {
  const began = performance.now();
  await runKept(report);
  await runSeeds({
    ...{ from: 1, seeds: UTXO_SEEDS, stride: 1, profile: UTXO_CHAINS, until: () => false },
    done: (run) => {
      report.add(run);
      utxo.add(run);
    },
  });
  await runSeeds({
    ...{ from: 1, seeds: POOLED_SEEDS, stride: 1, profile: POOLED, until: () => false },
    done: (run) => addOf(POOLED, run),
  });
  await runSeeds({
    ...{ from: 1, seeds: WISHED_SEEDS, stride: 1, profile: WISHED, until: () => false },
    done: (run) => addOf(WISHED, run),
  });
  await runSeeds({
    ...{ from: 1, seeds: SWAPPED_SEEDS, stride: 1, profile: SWAPPED, until: () => false },
    done: (run) => addOf(SWAPPED, run),
  });
  await runSeeds({
    ...{ from: 1, seeds: VAULT_SEEDS, stride: 1, profile: VAULTS, until: () => false },
    done: (run) => addOf(VAULTS, run),
  });
  await runSeeds({
    ...{ from: 1, seeds: SCREENED_SEEDS, stride: 1, profile: SCREENED, until: () => false },
    done: (run) => addOf(SCREENED, run),
  });
  await runSeeds({
    from: 1,
    seeds: 1_000_000,
    stride: 1,
    until: () => enough(performance.now() - began),
    done: (run) => report.add(run),
  });
  process.stdout.write(`${report.text(replayCommand)}\n`);
}, 600_000);

describe('the whole service under everything at once', () => {
  it('never breaks a promise, and finishes every request once the world is healthy', () => {
    const others = report.failed.filter(({ violations }) => !utxo.failed.some((one) => one.violations === violations));
    const told = others.map(({ seed, from, violations }) => [
      replayCommand(seed, from, drawnFrom.get(violations)),
      violations[0],
    ]);
    expect(told).toEqual([]);
    expect(report.seeds).toBeGreaterThanOrEqual(
      LEAST +
        UTXO_SEEDS +
        POOLED_SEEDS +
        WISHED_SEEDS +
        SWAPPED_SEEDS +
        VAULT_SEEDS +
        SCREENED_SEEDS +
        keptSeeds().length,
    );
  });

  it('met every kind of fault, of user and of attack', () => {
    expect(missed.faults()).toEqual([]);
    expect(missed.users()).toEqual([]);
    expect(missed.attacks()).toEqual([]);
  });

  it('met what only pools and unspent outputs bring about', () => {
    expect(missed.sights()).toEqual([]);
    expect(
      utxo.failed.map(({ seed, violations }) => [replayCommand(seed, 'drawn', UTXO_CHAINS), violations[0]]),
    ).toEqual([]);
  });

  it('took every row of the transition table that is built', () => {
    expect(BUILT.length).toBeGreaterThan(10);
    expect(missed.rows()).toEqual([]);
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
