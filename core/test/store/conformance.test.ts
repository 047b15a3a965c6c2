import { describe, it } from 'vitest';
import { runStoreCase, storeConformance } from '../../src/testing/index.js';
import { memoryHarness } from './memory-harness.js';
import { sqliteHarness } from './sqlite-harness.js';

describe('the SQLite store keeps the store contract', () => {
  for (const check of storeConformance) it(check.name, () => runStoreCase(check, sqliteHarness));
});

describe('the memory store keeps the store contract', () => {
  for (const check of storeConformance) it(check.name, () => runStoreCase(check, memoryHarness));
});
