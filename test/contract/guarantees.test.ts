import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GUARDS } from '../mutation/guards.js';
import { ROOT, repositoryFiles } from '../support/repository.js';

const page = readFileSync(`${ROOT}test/README.md`, 'utf8');
const rows = [...page.matchAll(/^\| (G\d+) \| (.+) \| (.+) \| (.*) ?\|$/gm)].map(
  ([, id = '', , mechanism = '', tests = '']) => ({
    id,
    mechanism,
    tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
  }),
);

describe('test/README.md', () => {
  it('has a row for each guarantee', () => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 15 }, (_, n) => `G${n + 1}`));
  });

  it('names tests that exist, for every guarantee', () => {
    const files = new Set(repositoryFiles(/\.test\.ts$/).map(({ path }) => path));
    for (const { id, tests } of rows) {
      expect(tests.length, id).toBeGreaterThan(0);
      for (const path of tests) expect(files.has(path ?? ''), `${id}: ${path}`).toBe(true);
    }
  });

  it('rests each guarantee on a guard that the mutation check removes', () => {
    const guarded = new Set(GUARDS.flatMap(({ guarantees = [] }) => guarantees));
    const bare = rows.map(({ id }) => id).filter((id) => !guarded.has(id));
    expect(bare).toEqual([]);
    expect([...guarded].filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
  });
});
