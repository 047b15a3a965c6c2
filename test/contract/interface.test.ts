import { FAIL_REASONS } from '@causeway/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryFiles, withoutComments } from '../support/repository.js';
import { FAIL_REASON_NAMES } from './interface/enum-tables.js';
import { play } from './interface/judge.js';
import { TABLES } from './interface/tables.js';
import { createWorld, type World } from './interface/world.js';

/** Each row of a table is a test that sends real requests to the running API. */
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe('the tables', () => {
  it.each(TABLES)('have all their rows: %i', (rows, { title, rows: given }) => {
    expect(given, title).toHaveLength(rows);
    expect(new Set(given.map(({ name }) => name)).size, title).toBe(rows);
  });

  it('name every failReason that there is, in order', () => {
    expect(FAIL_REASON_NAMES).toEqual([...FAIL_REASONS]);
  });

  it('have titles of their own', () => {
    expect(new Set(TABLES.map(([, { title }]) => title)).size).toBe(TABLES.length);
  });

  it('leave no row without something that shows it', () => {
    for (const [, { title, rows }] of TABLES) {
      for (const { name, rule, asks = [], shows, shownBy = [] } of rows) {
        expect(rule, `${title}: ${name}`).not.toBe('');
        const shown = asks.length + shownBy.length + (shows ? 1 : 0);
        expect(shown, `${title}: ${name}`).toBeGreaterThan(0);
      }
    }
  });

  it('name only tests that exist, by file and title', () => {
    const files = new Map(repositoryFiles(/\.test\.ts$/).map(({ path, text }) => [path, withoutComments(text)]));
    const named = TABLES.flatMap(([, { rows }]) => rows.flatMap(({ shownBy = [] }) => shownBy));
    expect(named.length).toBeGreaterThan(0);
    for (const { file, title } of named) {
      const written = [`'${title}'`, `"${title}"`, `\`${title}\``];
      expect(
        written.some((one) => files.get(file)?.includes(`it(${one}`)),
        `${file}: ${title}`,
      ).toBe(true);
    }
  });
});

describe.each(TABLES.map(([, table]) => table))('$title', ({ rows }) => {
  it.each(rows)('$name', async (row) => {
    await play(row, world);
  });
});
