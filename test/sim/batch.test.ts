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
import { keptSeeds } from './kept.js';
import { replayCommand } from './options.js';
import { runKept, runSeeds } from './run-seeds.js';

const FLOOR = 200;
const LEAST = AT_NIGHT ? FLOOR : 30;
/** UTXO chains only, played first. */
const UTXO_SEEDS = 30;

interface Special {
  /** The first of them; 1 unless a rare sight needs others. */
  readonly from?: number;
  readonly seeds: number;
  readonly profile: SimulationProfile;
}

const MANY_COMMANDS = Array.from({ length: 6 }, () => 'operatorCommand' as const);
const MANY_REORGS = ['depositReorg', 'depositReorg', 'depositReorg'] as const;

const GASLESS: SimulationProfile = { gasless: true, profiles: ['nonce', 'nonce', 'expiring'], also: MANY_REORGS };

const SPECIAL: readonly Special[] = [
  { seeds: 24, profile: { pools: true, profiles: ['nonce', 'expiring'] } },
  // Faults that only some runs have, each with an attacker that exploits it.
  {
    seeds: 10,
    profile: {
      profiles: ['nonce', 'nonce', 'expiring'],
      attacks: ['shareSpoiling', 'foreignExecuting', 'firmOption', 'topUpCircles'],
      also: MANY_REORGS,
    },
  },
  // Payers who swap what they deposit, attackers of such swaps, and reorgs that reinclude them.
  {
    seeds: 6,
    profile: { profiles: ['nonce'], attacks: ['swapSpoiling', 'foreignSwapping', 'swapReplaying'], also: MANY_REORGS },
  },
  { seeds: 12, profile: { vaults: true, profiles: ['nonce', 'expiring', 'async'] } },
  // The same with wallet messages that expire, arrive some blocks later, are left out or come back.
  { seeds: 8, profile: { vaults: true, profiles: ['async', 'async', 'async', 'nonce'] } },
  // A screener that blocks users during the run and is unavailable at times.
  { seeds: 12, profile: { screening: true } },
  // Deposit addresses, and reorgs of what arrives there and leaves.
  { from: 9, seeds: 12, profile: { addresses: true, also: ['depositReorg', 'fillReorg'] } },
  { from: 56, seeds: 5, profile: { addresses: true, also: MANY_COMMANDS } },
  { seeds: 4, profile: { addresses: true, screening: true } },
  // App balances, calls for others, permits and fast fills, and reorgs of what they pay for.
  { seeds: 16, profile: GASLESS },
  { from: 163, seeds: 1, profile: GASLESS },
];
const BEFORE = SPECIAL.reduce((sum, { seeds }) => sum + seeds, UTXO_SEEDS);
/** After the fixed part; none in the gate, so that it plays the same seeds on every machine. */
const BUDGET_MS = Number(process.env['CAUSEWAY_SIM_SECONDS'] ?? (AT_NIGHT ? 60 : 0)) * 1_000;

/** About once in some hundreds of runs. */
const RARE: readonly string[] = ['leg dropped', 'call in doubt'];
/**
 * A reorg removes the deposit of an order that fell back and reincludes it; covered by
 * `core/test/engine/swaps.test.ts`.
 */
const RARE_ROWS: readonly string[] = ['-> fallback (depositReturned)'];

const report = new SimulationReport();
const drawnFrom = new Map<readonly unknown[], SimulationProfile>();
const utxo = new SimulationReport();

const rowOf = (way: string): string => way.replace(/^\w+ /, '');
const ROWS = [...new Set(WAYS.map(rowOf))];

const missed = {
  faults: () => FAULT_KINDS.filter((kind) => !report.faults.has(kind)),
  users: () => USER_KINDS.filter((kind) => !report.users.has(kind)),
  attacks: () => ATTACK_KINDS.filter((kind) => !report.attacks.has(kind)),
  sights: () => SIGHTS.filter((sight) => !report.sights.has(sight) && !RARE.includes(sight)),
  rows: () => {
    const taken = new Set([...report.ways.keys()].map(rowOf));
    return ROWS.filter((row) => !taken.has(row) && !RARE_ROWS.includes(row));
  },
};

function enough(spentMs: number): boolean {
  const drawn = report.seeds - BEFORE - keptSeeds().length;
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
  for (const { from = 1, seeds, profile } of SPECIAL)
    await runSeeds({
      ...{ from, seeds, stride: 1, profile, until: () => false },
      done: (run) => addOf(profile, run),
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
    const reported = others.map(({ seed, from, violations }) => [
      replayCommand(seed, from, drawnFrom.get(violations)),
      violations[0],
    ]);
    expect(reported).toEqual([]);
    expect(report.seeds).toBeGreaterThanOrEqual(LEAST + BEFORE + keptSeeds().length);
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

  it('took every row of the transition table', () => {
    expect(ROWS.length).toBeGreaterThan(10);
    expect(missed.rows()).toEqual([]);
  });
});
