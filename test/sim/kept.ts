import { readFileSync, writeFileSync } from 'node:fs';
import type { Scenario } from '@causeway/core/testing';

/**
 * A seed that once failed or shows something rare, stored with its scenario so that it still plays the same after
 * changes to the draws.
 */
export interface Kept {
  readonly seed: number;
  readonly why: string;
  readonly commit: string;
}

const INDEX = new URL('seeds.json', import.meta.url);

function fileOf(seed: number): URL {
  return new URL(`kept/${seed}.json`, import.meta.url);
}

export function keptSeeds(): readonly Kept[] {
  return JSON.parse(readFileSync(INDEX, 'utf8')) as readonly Kept[];
}

export function keptScenario(seed: number): Scenario {
  return JSON.parse(readFileSync(fileOf(seed), 'utf8')) as Scenario;
}

export function keep(scenario: Scenario, why: string, commit: string): void {
  const { seed } = scenario;
  const others = keptSeeds().filter((one) => one.seed !== seed);
  writeFileSync(INDEX, `[\n${[...others, { seed, why, commit }].map((one) => `  ${line(one)}`).join(',\n')}\n]\n`);
  writeFileSync(fileOf(seed), scenarioText(scenario));
}

function scenarioText({ seed, chains, policy, users, faults, attacks, shops, trades, endpoints }: Scenario): string {
  const list = (name: string, rows: readonly object[]): string =>
    rows.length === 0 ? `"${name}": []` : `"${name}": [\n${rows.map((row) => `    ${line(row)}`).join(',\n')}\n  ]`;
  const parts = [
    ...[`"seed": ${seed}`, list('chains', chains), `"policy": ${line(policy)}`],
    ...[list('users', users), list('faults', faults), ...(attacks ? [list('attacks', attacks)] : [])],
    ...[...(shops ? [list('shops', shops)] : []), ...(trades ? [list('trades', trades)] : [])],
    ...(endpoints ? [list('endpoints', endpoints)] : []),
  ];
  return `{\n${parts.map((part) => `  ${part}`).join(',\n')}\n}\n`;
}

function line(row: object): string {
  const fields = Object.entries(row).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{ ${fields.join(', ')} }`;
}
