import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';

it('each test file belongs to exactly one tier', () => {
  const both = [...filesOf('quick'), ...filesOf('more')];
  expect(new Set(both).size).toBe(both.length);
  expect(both.sort()).toEqual(filesOf('').sort());
});

/** As vitest lists them, with their lane. */
function filesOf(tier: string): string[] {
  const env: NodeJS.ProcessEnv = { ...process.env, CAUSEWAY_NIGHTLY: '', CAUSEWAY_TIER: tier };
  if (tier === '') delete env['CAUSEWAY_TIER'];
  const list = execFileSync('npx', ['vitest', 'list', '--filesOnly'], { cwd: ROOT, encoding: 'utf8', env });
  return list.split('\n').filter((line) => line.includes('.test.ts'));
}
