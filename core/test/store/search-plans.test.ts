import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestSearch, SearchCondition, SearchField } from '../../src/contract/index.js';
import type { Reader } from '../../src/store/reads/reader.js';
import { searchPage, searchTotal } from '../../src/store/search/page.js';
import { readerPool } from '../../src/store/sqlite/pools.js';
import { naiveSearch } from '../../src/testing/naive-search.js';
import { randomRequest, randomSearch } from '../../src/testing/random-search.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { changeSet, insert, orderId, requestId, T0 } from '../../src/testing/store-fixtures.js';
import { log, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

const REQUESTS = 2_000;

let harness: SqliteHarness;
let reader: Knex;
const random = new SeededRandom('plans');
const all = Array.from({ length: REQUESTS }, (_, n) => randomRequest(random.fork(`${n}`), n + 1));

beforeAll(async () => {
  harness = await sqliteHarness();
  reader = readerPool(harness.file, log);
  for (let at = 0; at < all.length; at += 500) {
    const changes = all
      .slice(at, at + 500)
      .flatMap(({ request, transactions }) => [
        insert('requests', request),
        ...transactions.map((row) => insert('transactions', row)),
      ]);
    const outcome = await harness.store.apply(changeSet(...changes));
    expect(outcome).toEqual({ ok: true });
  }
});

afterAll(async () => {
  await reader.destroy();
  await harness.dispose();
});

async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string[]> {
  const asked: { readonly sql: string; readonly bindings: readonly unknown[] }[] = [];
  const listen = (query: { sql: string; bindings: unknown[] }) => asked.push(query);
  reader.on('query', listen);
  await read(reader);
  reader.removeListener('query', listen);
  const lines: string[] = [];
  for (const { sql, bindings } of asked) {
    const plan = (await reader.raw(`explain query plan ${sql}`, bindings as string[])) as { detail: string }[];
    lines.push(...plan.map((line) => line.detail));
  }
  expect(lines.length).toBeGreaterThan(0);
  return lines;
}

/** Full scans; index walks and reads of found rows do not count. */
const scans = (lines: readonly string[]) =>
  lines.filter((line) => /^SCAN (?!\(subquery|found|c\d|CONSTANT|.*USING .*INDEX)/.test(line));

const is = (field: SearchField, ...values: (string | number)[]): SearchCondition => ({ kind: 'is', field, values });
type Rest = Partial<Pick<RequestSearch, 'sortBy' | 'direction' | 'after'>>;
const firstPage = (conditions: readonly SearchCondition[], rest: Rest = {}): RequestSearch => ({
  filter: { all: conditions, hiddenChains: [] },
  sortBy: 'createdAt',
  direction: 'desc',
  limit: 20,
  total: true,
  ...rest,
});
const search = (conditions: readonly SearchCondition[], rest: Rest = {}): RequestSearch =>
  firstPage(conditions, { after: { value: 5, id: requestId(1) }, ...rest });

describe('one index drives a search', () => {
  const drives: readonly (readonly [index: string, ...conditions: SearchCondition[]])[] = [
    ['listing_created_at'],
    ['listing_created_at', { kind: 'range', field: 'createdAt', from: 5 }],
    ['listing_id', is('id', requestId(1)), is('user', 'x'), is('status', 'pending')],
    ['listing_parent_request_id', { kind: 'family', ids: [requestId(1)], parents: [requestId(1)] }],
    ['listing_order_id', is('orderId', orderId(1)), is('originChainId', 901)],
    ['transactions_hash', is('fillHash', 'x'), is('user', 'x')],
    ['transactions_hash', is('term', 'x')],
    ['listing_recipient', is('term', 'x')],
    ['listing_user', is('user', 'x')],
    ['listing_sender', is('user', 'x'), is('status', 'success'), is('originChainId', 901)],
    ['listing_depositor', is('user', 'x')],
    ['listing_recipient', is('recipient', 'x'), is('chainId', 901)],
    ['listing_status', is('status', 'pending', 'failure')],
    ['listing_fail_reason', is('failReason', 'SLIPPAGE')],
    ['listing_key_id', is('keyId', 'key-9'), is('referrer', 'shop')],
    ['listing_origin_chain_id', is('originChainId', 901)],
    ['listing_destination_chain_id', is('chainId', 901)],
    ['listing_origin_symbol', is('originSymbol', 'usdc')],
    ['listing_destination_currency', is('destinationCurrency', 'x')],
    ['listing_feature_5', is('feature', 'app_fees')],
    ['listing_request_type', is('requestType', 'Wrap')],
    ['transactions_chain_block', is('originChainId', 901), { kind: 'blocks', from: 500, originOnly: true }],
    ['transactions_block', { kind: 'blocks', from: 500, originOnly: false }],
    ['listing_amount_usd', { kind: 'range', field: 'amountUsd', from: 1_000 }],
    ['listing_deposit_address', { kind: 'is', field: 'depositAddress', values: [], orMissing: true, not: true }],
    ['listing_fill_time_ms', { kind: 'range', field: 'fillTimeMs', from: 1_000 }],
  ];

  for (const [index, ...conditions] of drives) {
    const name = conditions.map((one) => ('field' in one ? one.field : one.kind)).join(', ') || 'nothing';
    it(`${name}: ${index}`, async () => {
      for (const sortBy of ['createdAt', 'updatedAt', 'amountUsd'] as const) {
        for (const direction of ['asc', 'desc'] as const) {
          const asked = search(conditions, { sortBy, direction });
          const first = await plansOf((one) => searchPage(one, firstPage(conditions, { sortBy, direction }), [905]));
          if (sortBy === 'createdAt') expect(first.filter((line) => line.includes('_amount '))).toEqual([]);
          const lines = [...first, ...(await plansOf((one) => searchPage(one, asked, [905])))];
          const named = [` ${index} `, `${index} (`, ` ${index}_amount `];
          const driven = lines.some((line) => named.some((name) => line.includes(name)));
          const walked = lines.some(
            (line) => line.includes('listing_updated_at') || line.includes('listing_amount_usd'),
          );
          expect(
            driven || (conditions.length === 0 && walked) || index === 'listing_created_at',
            lines.join('\n'),
          ).toBe(true);
          expect(scans(lines)).toEqual([]);
          expect(lines.filter((line) => line.includes('MULTI-INDEX OR'))).toEqual([]);
        }
      }
      expect(scans(await plansOf((one) => searchTotal(one, search(conditions).filter, [])))).toEqual([]);
    });
  }

  it('walks the order of creation with its page as the end, without a sort of what was found', async () => {
    const common = [
      [],
      ...(['status', 'originSymbol', 'destinationSymbol', 'keyId'] as const).map((field) => [is(field, 'success')]),
      ...(['originChainId', 'destinationChainId'] as const).map((field) => [is(field, 901)]),
      [is('originChainId', 901), is('status', 'success')],
    ];
    for (const conditions of common) {
      for (const asked of [search(conditions), firstPage(conditions)]) {
        const lines = await plansOf((one) => searchPage(one, asked, [], 1));
        expect(
          lines.filter((line) => /TEMP B-TREE FOR ORDER BY|_amount /.test(line)),
          lines.join('\n'),
        ).toEqual([]);
      }
    }
  });

  it('walks the index of the sorting where no condition drives', async () => {
    for (const [sortBy, index] of [
      ['updatedAt', 'listing_updated_at'],
      ['amountUsd', 'listing_amount_usd'],
    ] as const) {
      const noOne: SearchCondition = { kind: 'is', field: 'status', values: ['success'], not: true };
      const lines = await plansOf((one) => searchPage(one, search([noOne], { sortBy }), [], 1));
      expect(lines.some((line) => line.includes(index))).toBe(true);
      expect(lines.filter((line) => /TEMP B-TREE FOR ORDER BY/.test(line))).toEqual([]);
    }
  });

  it('walks the index of the amount where a condition is common', async () => {
    const asked = search([is('status', 'success')], { sortBy: 'amountUsd' });
    const lines = await plansOf((one) => searchPage(one, asked, [], 1));
    expect(lines.some((line) => line.includes('listing_amount_usd'))).toBe(true);
    expect(lines.filter((line) => /TEMP B-TREE FOR ORDER BY/.test(line))).toEqual([]);
  });

  it('walks the amounts of a chain, a currency or a key without a sort', async () => {
    for (const [condition, index] of [
      [is('originChainId', 901), 'listing_origin_chain_id_amount'],
      [is('destinationChainId', 901), 'listing_destination_chain_id_amount'],
      [is('originSymbol', 'usdc'), 'listing_origin_symbol_amount'],
      [is('destinationSymbol', 'usdc'), 'listing_destination_symbol_amount'],
      [is('keyId', 'key-1'), 'listing_key_id_amount'],
    ] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        for (const bounds of [[], [{ kind: 'range', field: 'amountUsd', from: 1_000 }] as const]) {
          const asked = search([condition, ...bounds], { sortBy: 'amountUsd', direction });
          const lines = await plansOf((one) => searchPage(one, asked, []));
          expect(lines.filter((line) => !/TEMP B-TREE/.test(line) && !line.includes(` ${index} `))).toEqual([]);
          // From its position; equal amounts in id order.
          expect(
            lines.some((line) => line.includes('=? AND <expr>')),
            lines.join('\n'),
          ).toBe(true);
          expect(lines.filter((line) => line.endsWith('TEMP B-TREE FOR ORDER BY'))).toEqual([]);
        }
      }
    }
  });

  it('looks a little way along the amounts first where several conditions are neither rare nor common', async () => {
    const conditions = [is('originChainId', 901), is('status', 'success')];
    const ofChain = all.filter(({ request }) => request.originChainId === 901).length;
    const asked = search(conditions, { sortBy: 'amountUsd' });
    const lines = await plansOf((one) => searchPage(one, asked, [], Math.ceil(ofChain / 2)));
    expect(lines.some((line) => line.includes(' listing_origin_chain_id_amount '))).toBe(true);
    expect(lines).toContain('CO-ROUTINE r');
    expect(scans(lines)).toEqual(['SCAN r']);
  });

  it('walks the amounts of the rarest where all conditions are common', async () => {
    const conditions = [is('originChainId', 901), is('originSymbol', 'usdc'), is('destinationSymbol', 'usdc')];
    const lines = await plansOf((one) => searchPage(one, search(conditions, { sortBy: 'amountUsd' }), [], 1));
    expect(lines.some((line) => /listing_\w+_amount /.test(line))).toBe(true);
    expect(lines.filter((line) => /TEMP B-TREE FOR ORDER BY|listing_amount_usd/.test(line))).toEqual([]);
  });

  it('reads a stretch of the creation and who changed late where a condition is common and changes are sorted', async () => {
    for (const [direction, bounds] of [
      ['desc', 'created_at>? AND created_at<?'],
      ['asc', 'created_at>? AND created_at<?'],
    ] as const) {
      const after = { value: T0 + 25, id: requestId(1) };
      const asked = search([is('status', 'success')], { sortBy: 'updatedAt', direction, after });
      const lines = await plansOf((one) => searchPage(one, asked, [], 1));
      expect(
        lines.some((line) => line.includes(`listing_status (status=? AND ${bounds})`)),
        lines.join('\n'),
      ).toBe(true);
      expect(lines.some((line) => line.includes('listing_late'))).toBe(true);
      expect(lines.filter((line) => line.includes('listing_updated_at'))).toEqual([]);
      expect(scans(lines)).toEqual([]);
    }
  });
});

describe('whatever drives it', () => {
  it('a search finds the same, in the same order, and counts the same', async () => {
    for (let n = 0; n < 60; n += 1) {
      const asked = { ...randomSearch(random.fork(`search ${n}`)), limit: 40 };
      const expected = naiveSearch(all, asked);
      for (const few of [0, 300, 100_000]) {
        const { found, more } = await searchPage(reader, asked, [], few);
        const context = `${few}: ${JSON.stringify(asked)}`;
        expect(
          found.map(({ id }) => id),
          context,
        ).toEqual(expected.ids.slice(0, 40));
        expect(more, context).toBe(expected.ids.length > 40);
        const last = found.at(-1);
        if (more && last) {
          const next = await searchPage(reader, { ...asked, after: last }, [], few);
          expect(
            next.found.map(({ id }) => id),
            context,
          ).toEqual(expected.ids.slice(40, 80));
        }
        expect(await searchTotal(reader, asked.filter, [], few), context).toBe(expected.total);
      }
    }
  }, 120_000);
});
