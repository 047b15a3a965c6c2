import { describe, it } from 'vitest';
import { runStoreCase, storeConformance } from '../../src/testing/index.js';
import { memoryHarness } from './memory-harness.js';
import { sqliteHarness } from './sqlite-harness.js';

describe.each([
  ['SQLite', sqliteHarness],
  ['memory', memoryHarness],
] as const)('the %s store keeps the store contract', (_name, make) => {
  for (const check of storeConformance.cases) it(`${check.subject}: ${check.name}`, () => runStoreCase(check, make));
});
