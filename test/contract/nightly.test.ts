import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asJudged, countOf, partsOf, sum } from '../nightly/parts.js';
import { ROOT } from '../support/repository.js';

const parts = partsOf({ seed: 7, seeds: 10, requests: 20 });
const part = (name: string) => parts.find((one) => one.name === name) ?? expect.fail(`there is no part ${name}`);

describe('what runs at night', () => {
  it('runs files that are there, and has a script of its own', () => {
    const named = parts.flatMap(({ command }) => command.filter((word) => /\.m?[jt]s$/.test(word)));
    expect(named).toHaveLength(parts.length);
    expect(named.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(scripts['test:nightly']).toContain('test/nightly/main.ts');
  });

  it('shares the minutes of a short night among what would take all day, and begins each night at other guards', () => {
    const of = (seed: number) => partsOf({ seed, seeds: 10, requests: 20, minutes: 100 });
    const option = (name: string, option: string, seed = 7) => {
      const { command } = of(seed).find((one) => one.name === name) ?? expect.fail(name);
      const at = command.indexOf(option);
      return at < 0 ? undefined : Number(command[at + 1]);
    };
    const minutes = parts.flatMap(({ name }) => option(name, '--minutes') ?? []);
    expect(minutes.reduce((total, part) => total + part, 0)).toBe(100);
    expect(option('crash', '--minutes')).toBeGreaterThan(option('crash-restored', '--minutes') ?? 100);
    for (const part of ['mutation', 'mutants']) expect(option(part, '--from', 8)).not.toBe(option(part, '--from'));
    expect(parts.flatMap(({ command }) => command)).not.toContain('--minutes');
  });

  it.each([
    ['gate', '      Tests  2 failed | 5635 passed | 3 skipped (5640)\n', 1, [5635, 2, 3]],
    ['gate', ' \u001b[2m      Tests \u001b[22m \u001b[32m5637 passed\u001b[39m (5637)\n', 0, [5637, 0, 0]],
    ['sim', '10 seeds, 900 steps, 0 violations, 3 seeds a second\n20 seeds, 9 steps, 1 violations\n', 1, [19, 1, 0]],
    ['fuzz', '100000 requests in 60.0 s (1666/s), 3 refused for load\n', 0, [100000, 0, 0]],
    ['fuzz', '100000 requests in 60.0 s (1666/s), 3 refused for load\n', 1, [100000, 1, 0]],
    ['crash', '812 pairs of 812 reached, 1624 kills (4 plays killed twice), 0 violations, mean\n', 0, [812, 0, 0]],
    ['mutation', '183 guards, 182 red, 1 survived\n', 1, [182, 1, 0]],
    ['stryker', '92 changes noticed, 26 survived, 9 in code that these tests do not run\n', 0, [92, 0, 0]],
    ['speed', '2 goals missed\n4 ratios held, 1 fell below 0.8 of what was recorded\n', 1, [4, 1, 0]],
    ['mutants', '156 mutants, 130 caught, 20 listed, 5 open, 1 wrong\n', 1, [155, 1, 0]],
  ] as const)('counts what %s reports: %j, ended with %j', (name, output, code, [passed, failed, skipped]) => {
    expect(countOf(part(name), output, code)).toEqual({ passed, failed, skipped });
  });

  it('takes silence, nothing done and an end by a signal for a failure', () => {
    expect(countOf(part('sim'), '', 0).failed).toBe(1);
    expect(countOf(part('sim'), '0 seeds, 0 steps, 0 violations', 0).failed).toBe(1);
    expect(countOf(part('sim'), '9 seeds, 9 steps, 0 violations', null).failed).toBe(1);
  });

  it('takes a skipped test for a failure in CI, and only there', () => {
    const count = { passed: 5, failed: 1, skipped: 2 };
    expect(asJudged(count, true)).toEqual({ passed: 5, failed: 3, skipped: 2 });
    expect(asJudged(count, false)).toEqual(count);
  });

  it.each(['run', 'nightly'])('is prepared by .ci/%s as the other is, and that is a script that can run', (name) => {
    const path = `${ROOT}.ci/${name}`;
    execFileSync('bash', ['-n', path, `${ROOT}.ci/prepare`]);
    expect(statSync(path).mode & 0o111).toBe(0o111);
    const lines = readFileSync(path, 'utf8').split('\n');
    const called = ['. .ci/prepare', 'begin_preparing', 'end_preparing'].map((line) => lines.indexOf(line));
    expect(called.every((at) => at > 0)).toBe(true);
    expect(called).toEqual([...called].sort((a, b) => a - b));
  });

  it('adds up', () => {
    const one = { passed: 1, failed: 2, skipped: 3 };
    expect(sum([one, one])).toEqual({ passed: 2, failed: 4, skipped: 6 });
  });
});
