import { describe, expect, it } from 'vitest';
import { repositoryFiles } from '../support/repository.js';
import { SCARS } from './scars.js';

const texts = repositoryFiles(/^test\/scars\/.*\.test\.ts$/).filter(({ path }) => !path.endsWith('registry.test.ts'));
/** The first word of a test's name; a plus joins several ids. */
const NAME = /\bit\(\s*['"]([a-z0-9+-]+):/g;
const named = texts.flatMap(({ text }) => [...text.matchAll(NAME)].flatMap(([, ids]) => ids?.split('+') ?? []));

describe('scars', () => {
  it('are each named by a test', () => {
    expect(SCARS.map(({ id }) => id).filter((id) => !named.includes(id))).toEqual([]);
  });

  it('are all listed', () => {
    expect(named.filter((id) => !SCARS.some((scar) => scar.id === id))).toEqual([]);
    expect(new Set(SCARS.map(({ id }) => id)).size).toBe(SCARS.length);
  });
});
