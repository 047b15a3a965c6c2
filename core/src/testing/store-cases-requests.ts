import assert from 'node:assert/strict';
import type { Tables } from '../contract/store-rows.js';
import { applied } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;

export const requestCases: readonly StoreCase[] = [
  {
    name: 'shows a request with everything that belongs to it',
    async run({ store }) {
      const refund = rows.legRow(1, { id: 'refund:1', kind: 'refund', createdAt: T0 + 9 });
      const second = rows.transactionRow(1, { id: 'second', role: 'fill', hash: '0xfill', entry: '{"fee":"1"}' });
      const { entry: _, ...decidedOn } = rows.transactionRow(1);
      await applied(
        store,
        ...[1, 2, 3].map((n) => insert('requests', rows.requestRow(n))),
        ...[1, 2].map((n) => insert('deposits', rows.depositRow(n))),
        insert('legs', refund),
        insert('legs', rows.legRow(1)),
        insert('transactions', rows.transactionRow(1)),
        insert('transactions', second),
      );
      assert.deepEqual(await store.views([2, 1, 9, 3, 1].map(rows.requestId)), [
        { request: rows.requestRow(2), deposits: [rows.depositRow(2)], legs: [], transactions: [] },
        {
          request: rows.requestRow(1),
          deposits: [rows.depositRow(1)],
          legs: [rows.legRow(1), refund],
          transactions: [decidedOn, { ...decidedOn, id: 'second', role: 'fill', hash: '0xfill' }],
        },
        { request: rows.requestRow(3), deposits: [], legs: [], transactions: [] },
      ]);
      assert.deepEqual(await store.shown(rows.requestId(1)), {
        request: rows.requestRow(1),
        deposits: [rows.depositRow(1)],
        legs: [rows.legRow(1), refund],
        transactions: [rows.transactionRow(1), second],
      });
      assert.equal(await store.shown(rows.requestId(9)), undefined);
    },
  },
  {
    name: 'reports statuses of requests, and of quotes that are not paid yet',
    async run({ store }) {
      const failed = rows.requestRow(2, {
        status: 'failure',
        failReason: 'SLIPPAGE',
        details: 'why',
        updatedAt: T0 + 9,
      });
      await applied(
        store,
        ...[1, 3].map((n) => insert('quotes', rows.quoteRow(n))),
        insert('requests', rows.requestRow(1)),
        insert('requests', failed),
        insert('transactions', rows.transactionRow(1, { id: 'b', hash: '0xfirst' })),
        insert('transactions', rows.transactionRow(1, { id: 'a', role: 'fill', hash: '0xsecond' })),
      );
      const nothing = { failReason: null, refundFailReason: null, details: null, transactions: [] };
      const route = { originChainId: 901, destinationChainId: 902 };
      const times = (n: number) => ({ createdAt: T0 + n, updatedAt: T0 + n });
      const found = await store.statuses([3, 2, 1, 9, 1].map(rows.requestId));
      assert.deepEqual(
        [...found].sort((a, b) => (a.id < b.id ? -1 : 1)),
        [
          {
            ...{ id: rows.requestId(1), status: 'pending', ...times(1), ...route, ...nothing },
            requestId: rows.requestId(1),
            transactions: [
              { role: 'deposit', hash: '0xfirst', status: 'success' },
              { role: 'fill', hash: '0xsecond', status: 'success' },
            ],
          },
          {
            ...{ id: rows.requestId(2), status: 'failure', createdAt: T0 + 2, updatedAt: T0 + 9, ...route, ...nothing },
            ...{ failReason: 'SLIPPAGE', details: 'why', requestId: rows.requestId(2) },
          },
          { id: rows.requestId(3), status: 'waiting', ...times(3), ...route, ...nothing, requestId: null },
        ],
      );
    },
  },
  {
    name: 'reports, of a quote that nothing funded, what its own payer sent for it last',
    async run({ store }) {
      const child = (n: number, overrides: Partial<Tables['requests']>) =>
        insert('requests', rows.requestRow(n, { parentRequestId: rows.requestId(1), ...overrides }));
      await applied(
        store,
        ...[1, 2].map((n) => insert('quotes', rows.quoteRow(n, { user: 'payer' }))),
        child(11, { sender: 'payer', status: 'failure', failReason: 'SLIPPAGE', createdAt: T0 + 1 }),
        child(12, { sender: 'payer', status: 'refund', createdAt: T0 + 3, updatedAt: T0 + 7 }),
        child(13, { sender: 'thief', status: 'failure', details: 'too little', createdAt: T0 + 5 }),
        child(14, { sender: 'thief', status: 'failure', createdAt: T0 + 6 }),
        insert('transactions', rows.transactionRow(12, { id: 'b', hash: '0xpaid' })),
      );
      const [reported, other] = await Promise.all([1, 2].map((n) => store.statuses([rows.requestId(n)])));
      assert.deepEqual(reported, [
        {
          ...{ id: rows.requestId(1), status: 'refund', createdAt: T0 + 1, updatedAt: T0 + 7 },
          ...{ originChainId: 901, destinationChainId: 902, failReason: null, refundFailReason: null },
          details: 'too little',
          requestId: rows.requestId(12),
          transactions: [{ role: 'deposit', hash: '0xpaid', status: 'success' }],
        },
      ]);
      assert.equal(other?.[0]?.status, 'waiting');
      await applied(store, insert('requests', rows.requestRow(1, { status: 'pending' })));
      assert.equal((await store.statuses([rows.requestId(1)]))[0]?.status, 'pending');
    },
  },
];
