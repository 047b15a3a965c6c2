import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PgBench, type PgHarness } from './support/pg-harness.js';
import { applied, eventRow, insert, legRow } from './support/rows.js';

let bench: PgBench;
let harness: PgHarness;
let heard: number;

beforeAll(async () => {
  bench = await PgBench.start();
});
afterAll(() => bench?.stop());

beforeEach(async () => {
  harness = await bench.harness({ keepAliveMs: 1_000 });
  heard = 0;
  harness.store.onHint?.(() => {
    heard += 1;
  });
  await expect.poll(() => listeners()).toBe(1);
  // A listener gets one notice when it begins.
  await sleep(50);
  heard = 0;
});
afterEach(() => harness.dispose());

const LISTENING =
  "select 1 from pg_stat_activity where application_name = 'causeway hints' and datname = current_database()";

async function listeners(): Promise<number> {
  const client = await harness.client();
  const { rowCount } = await client.query(LISTENING);
  return rowCount ?? 0;
}

describe('hints', () => {
  it('notify other processes of commits, and no one of its own', async () => {
    const other = await harness.second();
    await applied(other, insert('legs', legRow(1)));
    await expect.poll(() => heard).toBeGreaterThan(0);
    await sleep(100);
    heard = 0;
    await applied(harness.store, insert('legs', legRow(2)));
    await sleep(200);
    expect(heard).toBe(0);
  });

  it('are few however many commits there are', async () => {
    const other = await harness.second();
    await Promise.all(Array.from({ length: 200 }, (_, n) => applied(other, insert('legs', legRow(n)))));
    await sleep(100);
    expect(heard).toBeGreaterThan(0);
    expect(heard).toBeLessThan(100);
  });

  it('come again after the listening connection was ended, and say at once that something may have been missed', async () => {
    const other = await harness.second();
    const client = await harness.client();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'causeway hints' and datname = current_database()",
    );
    await applied(other, insert('events', eventRow(1)));
    expect(await harness.store.events(0, 10)).toHaveLength(1);
    await expect.poll(() => heard, { timeout: 5_000 }).toBeGreaterThan(0);
    await sleep(100);
    heard = 0;
    await applied(other, insert('events', eventRow(2)));
    await expect.poll(() => heard).toBeGreaterThan(0);
  });

  it('come again after the listening connection died without a word', async () => {
    const other = await harness.second();
    const accepted = harness.proxy.accepted;
    harness.proxy.plan = ({ connection }) => (connection <= accepted ? 'freeze' : 'pass');
    await applied(other, insert('legs', legRow(1)));
    await expect.poll(() => heard, { timeout: 10_000 }).toBeGreaterThan(0);
    heard = 0;
    await applied(other, insert('legs', legRow(2)));
    await expect.poll(() => heard).toBeGreaterThan(0);
  });

  it('end with the store', async () => {
    const other = await harness.second();
    await harness.store.close();
    heard = 0;
    await applied(other, insert('legs', legRow(1)));
    await sleep(200);
    expect(heard).toBe(0);
    await expect.poll(() => listeners()).toBe(1);
  });
});
