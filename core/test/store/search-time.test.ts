import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchTimeoutError } from '../../src/contract/index.js';
import { readerPool } from '../../src/store/sqlite/pools.js';
import { inTime } from '../../src/store/sqlite/search-time.js';
import { clock, log, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

const ENDLESS = 'with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n';

let harness: SqliteHarness;
let pool: ReturnType<typeof readerPool>;
beforeAll(async () => {
  harness = await sqliteHarness();
  pool = readerPool(harness.file, log);
});
afterAll(async () => {
  await pool.destroy();
  await harness.dispose();
});

describe('a search that takes too long', () => {
  it('is interrupted, and its connection serves the next one', async () => {
    for (let n = 0; n < 4; n += 1) {
      const started = clock.monotonic();
      await expect(inTime(pool, clock, (reader) => reader.raw(ENDLESS), 50)).rejects.toThrow(SearchTimeoutError);
      expect(clock.monotonic() - started).toBeLessThan(5_000);
      expect(await inTime(pool, clock, (reader) => reader.raw('select 1 as one'))).toEqual([{ one: 1 }]);
    }
  });

  it('is interrupted, too, where its statement begins after its time', async () => {
    const late = inTime(pool, clock, (reader) => clock.sleep(60).then(() => reader.raw(ENDLESS)), 20);
    await expect(late).rejects.toThrow(SearchTimeoutError);
  });

  it('interrupts no one after it has ended', async () => {
    await inTime(pool, clock, (reader) => reader.raw('select 1'), 20);
    const other = inTime(pool, clock, async (reader) => {
      await clock.sleep(60);
      return reader.raw(
        `with recursive n(x) as (select 1 union all select x + 1 from n limit 300000) select count(*) as n from n`,
      );
    });
    expect(await other).toEqual([{ n: 300_000 }]);
  });

  it('fails as it failed where it was not the time', async () => {
    await expect(inTime(pool, clock, (reader) => reader.raw('select nothing'))).rejects.not.toThrow(SearchTimeoutError);
  });
});
