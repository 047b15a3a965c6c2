import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apply, editsOf } from '../mutation/mutation.js';
import { MUTATIONS } from '../mutation/mutations.js';
import { table } from '../mutation/table.js';
import { ROOT } from '../support/repository.js';

/** `npm run test:mutation` takes minutes; this checks that each mutation still fits the sources. */
describe('the mutation check', () => {
  it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))('finds the guard %s', (_, mutation) => {
    for (const edit of editsOf(mutation))
      expect(apply(edit, readFileSync(`${ROOT}${edit.file}`, 'utf8'))).toMatchObject({ ok: true });
    expect(mutation.lanes.length).toBeGreaterThan(0);
    for (const file of mutation.lanes.flatMap((lane) => lane.files))
      expect(existsSync(`${ROOT}${file}`), file).toBe(true);
    // An unknown name would run no test.
    for (const { files, test = '' } of mutation.lanes)
      expect(files.map((file) => readFileSync(`${ROOT}${file}`, 'utf8')).join()).toContain(test);
  });

  it('names every mutation once', () => {
    const names = MUTATIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('refuses a guard that it does not find, or finds twice', () => {
    const [mutation] = MUTATIONS;
    if (mutation === undefined) throw new Error('there are none');
    expect(apply(mutation, '')).toMatchObject({ ok: false });
    expect(apply(mutation, mutation.find.repeat(2))).toMatchObject({ ok: false });
  });

  it('ends with a row per guard and a count of those that survived', () => {
    const missed = { name: 'a', red: true, lane: 'unit', what: 'x.test.ts: fails', seconds: 1.25 };
    const lines = table([missed, { ...missed, name: 'b', red: false, what: 'x.test.ts\nis green' }]).split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['guard', 'verdict', 'seconds', 'lane', 'red by'],
      ['a', 'red', '1.3', 'unit', 'x.test.ts: fails'],
      ['b', 'SURVIVED', '1.3', 'unit', 'x.test.ts is green'],
      [''],
      ['2 guards, 1 red, 1 survived'],
    ]);
  });
});
