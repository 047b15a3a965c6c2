import { runStoreCase, storeConformance } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PgBench } from './support/pg-harness.js';

let bench: PgBench;

beforeAll(async () => {
  bench = await PgBench.start();
});
afterAll(() => bench?.stop());

describe('the PostgreSQL store keeps the store contract', () => {
  for (const check of storeConformance.cases) {
    it(`${check.subject}: ${check.name}`, () => runStoreCase(check, () => bench.harness()));
  }
});
