import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestSearch, SearchCondition, SearchField } from '../../core/src/contract/search.js';
import { ordersByPrefix } from '../../core/src/store/reads/orders-by-prefix.js';
import type { Reader } from '../../core/src/store/reads/reader.js';
import { searchPage, searchTotal } from '../../core/src/store/search/page.js';
import { randomRequest } from '../../core/src/testing/random-search.js';
import { SeededRandom } from '../../core/src/testing/seeded-random.js';
import { changeSet, insert, orderId, requestId, T0 } from '../../core/src/testing/store-fixtures.js';
import { PgBench, plainPool, storeOn } from '../../plugins/storage-pg/test/support/pg-harness.js';

/**
 * The table is small enough for a sequential scan, so that is disabled: the plan then shows which index serves the
 * query.
 */
const REQUESTS = 1_000;

let bench: PgBench;
let pool: ReturnType<typeof plainPool>;
const connect = () => pool.connect();
let client: Awaited<ReturnType<typeof connect>>;

beforeAll(async () => {
  bench = await PgBench.start();
  const url = await bench.database();
  const store = storeOn(url);
  await store.open();
  const random = new SeededRandom('plans');
  const changes = Array.from({ length: REQUESTS }, (_, n) => randomRequest(random.fork(`${n}`), n + 1)).flatMap(
    ({ request, transactions }) => [
      insert('requests', request),
      ...transactions.map((row) => insert('transactions', row)),
    ],
  );
  expect(await store.apply(changeSet(...changes))).toEqual({ ok: true });
  await store.close();
  // One connection, so that the setting applies to every statement.
  pool = plainPool(url, 1);
  client = await connect();
  client.on('error', () => undefined);
  for (const text of ['analyze', 'set enable_seqscan = off', 'set enable_bitmapscan = off']) await client.query(text);
}, 120_000);

afterAll(async () => {
  client?.release(true);
  await pool?.end();
  await bench?.stop();
});

/** The plan lines of every statement of a search, captured while it runs. */
async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const raw = async (sql: string, cells: readonly unknown[] = []) => {
    const text = sql.split('?').reduce((before, after, n) => `${before}$${n}${after}`);
    const plan = await client.query(`explain ${text}`, [...cells]);
    lines.push(...plan.rows.map((row: Record<string, unknown>) => String(row['QUERY PLAN']).trim()));
    return client.query(text, [...cells]);
  };
  await read({ raw, client: { config: { client: 'pg' } } } as unknown as Reader);
  expect(lines.length).toBeGreaterThan(0);
  return lines;
}

const is = (field: SearchField, ...values: (string | number)[]): SearchCondition => ({ kind: 'is', field, values });

const search = (conditions: readonly SearchCondition[], rest: Partial<RequestSearch> = {}): RequestSearch => ({
  filter: { all: conditions, hiddenChains: [] },
  ...{ sortBy: 'createdAt', direction: 'desc', limit: 20, total: false },
  ...rest,
});

/** Sequential scans, and one index's answer to two columns at once. */
const wide = (lines: readonly string[]) =>
  lines.filter((line) => /Seq Scan on (request_listing|transactions)|BitmapOr/.test(line));

describe('on PostgreSQL one index drives a search', () => {
  const drives: readonly (readonly [index: string, ...conditions: SearchCondition[]])[] = [
    ['listing_id', is('id', requestId(1)), is('status', 'pending')],
    ['transactions_hash', is('fillHash', 'x'), is('user', 'x')],
    ['listing_user', is('user', '0xnobody'), is('status', 'success')],
    ['listing_depositor', is('user', '0xnobody'), is('originChainId', 901)],
    ['listing_recipient', is('term', '0xnobody')],
    ['listing_key_id', is('keyId', 'key-9'), is('referrer', 'shop')],
    ['listing_destination_chain_id', is('chainId', 77), is('status', 'success')],
    ['listing_fail_reason', is('failReason', 'NO_QUOTES'), is('status', 'success')],
  ];

  for (const [index, ...conditions] of drives) {
    it(`${conditions.map((one) => ('field' in one ? one.field : one.kind)).join(', ')}: ${index}`, async () => {
      for (const sortBy of ['createdAt', 'updatedAt', 'amountUsd'] as const) {
        const lines = await plansOf((reader) => searchPage(reader, search(conditions, { sortBy }), []));
        expect(
          lines.some((line) => line.includes(index)),
          lines.join('\n'),
        ).toBe(true);
        expect(wide(lines), lines.join('\n')).toEqual([]);
      }
      expect(wide(await plansOf((reader) => searchTotal(reader, search(conditions).filter, [])))).toEqual([]);
    });
  }

  it('common conditions: the order of creation, who changed late, or the amount', async () => {
    for (const [sortBy, value, ...indexes] of [
      ['createdAt', T0 + 10, 'listing_status'],
      ['updatedAt', T0 + 25, 'listing_status', 'listing_late'],
      ['amountUsd', 5, 'listing_amount_usd'],
    ] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        const after = { value, id: requestId(1) };
        const asked = search([is('status', 'success')], { sortBy, direction, after });
        const lines = await plansOf((reader) => searchPage(reader, asked, [], 1));
        for (const index of indexes) {
          expect(
            lines.some((line) => line.includes(index)),
            lines.join('\n'),
          ).toBe(true);
        }
        expect(wide(lines), lines.join('\n')).toEqual([]);
      }
    }
  });
});

describe('on PostgreSQL orders are found by the first digits of their ids', () => {
  it('by a step into an index at each end of the range, of quotes and of tombstones', async () => {
    const prefixes = [1, 2, 3].map((n) => orderId(n).slice(0, 34) as `0x${string}`);
    const lines = await plansOf((reader) => ordersByPrefix(reader, prefixes));
    const plan = lines.join('\n');
    const used = lines.filter((line) => /Index (Only )?Scan/.test(line)).join('\n');
    for (const index of [/using quotes_order /, /Backward using quotes_order /, /using tombstones_pkey /])
      expect(used, plan).toMatch(index);
    const ranges = lines.filter((line) => /Index Cond: .*order_id >= .*order_id < /.test(line));
    expect(ranges.length, plan).toBe(4);
    expect(
      lines.filter((line) => /Seq Scan|Filter:/.test(line)),
      plan,
    ).toEqual([]);
  });
});
