import { expect } from 'vitest';
import { hash } from '../../../core/test/api/support/rows.js';
import { finds } from './asks.js';
import type { Ask, Row, Table } from './table.js';
import { SEEDS, type Seed } from './world.js';

const LIST = 'GET /requests/v3';
const ALL = [...SEEDS];
const _but = (...left: readonly string[]) => ALL.filter((seed) => !left.includes(seed));
const _mixed = (text: string) => text.toUpperCase().replace('0X', '0x');
const _groups = (...filters: readonly object[]) => ({ filters: JSON.stringify(filters) });
const _refused = (query: Ask['query'], status: number, field?: string): Ask => ({
  call: LIST,
  ...(query === undefined ? {} : { query }),
  status,
  has: { statusCode: status, ...(field === undefined ? {} : { errorData: { field } }) },
});
const shows = (query: NonNullable<Ask['query']>, has: unknown): Ask => ({ call: LIST, query, has });

import { BOUNDS } from './listing-bounds.js';
import { MATCHES } from './listing-matches.js';

export const LISTING: Table = {
  title: 'GET /requests/v3, query parameters',
  endpoint: LIST,
  where: 'query',
  rows: [...MATCHES, ...BOUNDS],
};

export const LISTING_HEADER: Table = {
  title: 'GET /requests/v3, header and answer',
  endpoint: LIST,
  where: 'header',
  rows: [
    {
      name: 'x-api-key',
      type: 'string',
      rule: 'required',
      asks: [
        { call: LIST, as: 'noOne', status: 401, has: { errorCode: 'UNAUTHORIZED', statusCode: 401 } },
        { call: LIST, as: 'noOne', headers: { 'x-api-key': 'guess' }, status: 401 },
        { call: LIST, query: { limit: 1 }, has: { requests: [{ id: expect.any(String) }] } },
      ],
    },
    {
      name: 'requests, total',
      rule: 'array of records; with includeTotal also a numeric total',
      asks: [shows({ limit: 1, includeTotal: true }, { requests: [{}], total: expect.any(Number) })],
    },
  ],
};

const role = (name: string, parameter: string | null, side: 'inTxs' | 'outTxs', n: number, seed: Seed): Row => ({
  name,
  rule: parameter === null ? `in ${side}, found by term alone` : `in ${side}, found by ${parameter} and term`,
  asks: [
    finds({ term: hash(n) }, seed),
    ...['depositTxHash', 'fillTxHash', 'refundTxHash'].map((one) =>
      one === parameter ? finds({ [one]: hash(n) }, seed) : finds({ [one]: hash(n) }),
    ),
    {
      call: LIST,
      query: ({ seeds }) => ({ id: seeds[seed].id }),
      judge: ({ body }) => {
        const hashes = body.requests[0].data[side].map(({ txHash }: { txHash: string }) => txHash);
        expect(hashes).toContain(hash(n));
      },
    },
  ],
});

/** Role of a transaction in its request, as `term` and the hash parameters distinguish it. */
export const TRANSACTION_ROLES: Table = {
  title: 'Transaction roles',
  endpoint: LIST,
  where: 'query',
  rows: [
    role('deposit', 'depositTxHash', 'inTxs', 810, 'refund'),
    role('fill', 'fillTxHash', 'outTxs', 801, 'success'),
    role('refund', 'refundTxHash', 'outTxs', 811, 'refund'),
    role('failed', null, 'outTxs', 821, 'failure'),
  ],
};
