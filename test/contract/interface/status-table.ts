import { expect } from 'vitest';
import { requestOf, transactionOf } from '../../../core/test/api/support/rows.js';
import { ask } from '../../../core/test/api/support/running-api.js';
import { refuses } from './asks.js';
import { type Ask, type Row, type Table, test } from './table.js';
import type { Seed, World } from './world.js';

const STATUS = 'GET /intents/status/v3';
const of = (seed: Seed, has: unknown): Ask => ({
  call: STATUS,
  as: 'noOne',
  query: ({ seeds }) => ({ requestId: seeds[seed].id }),
  has,
});
const field = (name: string, type: string, rule: string, ...asks: readonly Ask[]): Row => ({ name, type, rule, asks });

export const STATUS_QUERY: Table = {
  title: 'GET /intents/status/v3, query',
  endpoint: STATUS,
  where: 'query',
  rows: [
    {
      name: 'requestId',
      type: 'string',
      rule: 'of a request, or of an unpaid quote',
      asks: [
        of('success', { status: 'success' }),
        { call: STATUS, status: 400, has: { errorCode: 'INVALID_REQUEST', errorData: { field: 'requestId' } } },
        {
          call: STATUS,
          query: { requestId: `0x${'ab'.repeat(32)}` },
          status: 404,
          has: { errorCode: 'REQUEST_NOT_FOUND' },
        },
      ],
      shows: async ({ api }) => {
        const { body } = await api.call('POST', '/quote/v2', { body: ask() });
        const status = await api.call('GET', `/intents/status/v3?requestId=${body.steps[0].requestId}`);
        expect(status.body).toMatchObject({ status: 'waiting', failReason: 'N/A', refundFailReason: 'N/A' });
      },
    },
  ],
};

export const STATUS_RECORD: Table = {
  title: 'Status record',
  endpoint: STATUS,
  where: 'answer',
  rows: [
    field('status', 'string', 'the status', of('pending', { status: 'pending' })),
    field(
      'inTxHashes',
      'array of strings',
      'origin side',
      of('success', { inTxHashes: [expect.stringMatching(/^0x0*320$/)] }),
    ),
    field(
      'txHashes',
      'array of strings',
      'destination side',
      of('success', { txHashes: [expect.stringMatching(/^0x0*321$/)] }),
    ),
    {
      name: 'updatedAt',
      type: 'number',
      rule: 'Unix milliseconds',
      asks: [
        {
          call: STATUS,
          query: ({ seeds }) => ({ requestId: seeds.refund.id }),
          has: ({ seeds }: World) => ({ updatedAt: seeds.refund.updatedAt }),
        },
      ],
    },
    field('originChainId', 'number', 'chain', of('pending', { originChainId: 2 })),
    field('destinationChainId', 'number', 'chain', of('pending', { destinationChainId: 1 })),
    field(
      'failReason',
      'string',
      'N/A on non-failure statuses; else the reason, or UNKNOWN',
      of('success', { failReason: 'N/A' }),
      of('refund', { failReason: 'SLIPPAGE' }),
      of('failure', { failReason: 'TRANSACTION_REVERTED' }),
      of('fallback', { failReason: 'UNKNOWN' }),
      of('pending', { failReason: 'N/A' }),
    ),
    field(
      'refundFailReason',
      'string',
      'defaults to N/A',
      of('success', { refundFailReason: 'N/A' }),
      of('failure', { refundFailReason: 'MANUAL_REFUND_REQUIRED' }),
    ),
    field('details', 'string, nullable', 'null when no extra context', of('success', { details: null })),
  ],
};

const shown = (status: string, seed: Seed, record: string): Row => ({
  name: status,
  rule: `${record} in the record, ${status} on the status endpoint`,
  asks: [
    of(seed, { status }),
    {
      call: 'GET /requests/v3',
      query: ({ seeds }) => ({ id: seeds[seed].id }),
      has: { requests: [{ status: record }] },
    },
  ],
});

export const STATUSES: Table = {
  title: 'Request status values',
  endpoint: STATUS,
  where: 'answer',
  rows: [
    shown('refund', 'refund', 'refund'),
    shown('waiting', 'waiting', 'waiting'),
    shown('depositing', 'depositing', 'depositing'),
    shown('failure', 'failure', 'failure'),
    shown('pending', 'pending', 'pending'),
    shown('submitted', 'submitted', 'submitted'),
    shown('success', 'success', 'success'),
    shown('fallback', 'fallback', 'refund'),
  ],
};

export const TRANSITIONS: Table = {
  title: 'States and transitions',
  endpoint: STATUS,
  where: 'rule',
  rows: [
    {
      name: 'deposit observed in the BVM mempool -> pending',
      rule: 'before any block; what follows is decided in blocks',
      shownBy: [
        test(
          'test/e2e/bitcoin-families.test.ts',
          'is pending as soon as a pool shows the deposit: the event comes before any block',
        ),
      ],
    },
    {
      name: 'deposit reorged out or canonically failed -> failure',
      rule: 'the entry of inTxs reports failure; DEPOSIT_REORGED',
      asks: [
        of('reorged', { status: 'failure', failReason: 'DEPOSIT_REORGED' }),
        {
          call: 'GET /requests/v3',
          query: ({ seeds }) => ({ id: seeds.reorged.id }),
          has: { requests: [{ data: { inTxs: [{ status: 'failure' }] } }] },
        },
      ],
      shownBy: [
        test('test/e2e/reorgs.test.ts', 'fails with DEPOSIT_REORGED and is not filled'),
        test('test/e2e/reorgs.test.ts', 'fails with DEPOSIT_REORGED, and the fill is not repeated when it comes back'),
      ],
    },
    {
      name: 'strict deposit address paid too much -> fill of the quoted amount',
      rule: 'the excess is refunded in a leg of its own; deposit addresses are not served yet, other deposits do the same',
      asks: refuses({ useDepositAddress: true, strict: true }, 'UNSUPPORTED_EXECUTION_TYPE'),
      shownBy: [test('test/e2e/refunds.test.ts', 'fills as quoted for more, and refunds the excess')],
    },
    {
      name: 'fill cannot be broadcast -> failure',
      rule: 'TRANSACTION_SUBMISSION_FAILED',
      shownBy: [
        test('core/test/engine/failure.test.ts', 'and was never taken fails with TRANSACTION_SUBMISSION_FAILED'),
      ],
      shows: (world) => failed(world, 'TRANSACTION_SUBMISSION_FAILED'),
    },
    {
      name: 'fill broadcast but never included -> failure',
      rule: 'TRANSACTION_NOT_INCLUDED',
      shownBy: [
        test(
          'test/e2e/stuck.test.ts',
          'is abandoned when nothing includes it: its nonce is closed by a no-op, then the deposit goes back',
        ),
        test(
          'core/test/engine/failure.test.ts',
          'is closed by a no-op, fails with TRANSACTION_NOT_INCLUDED, and is refunded',
        ),
      ],
      shows: (world) => failed(world, 'TRANSACTION_NOT_INCLUDED'),
    },
  ],
};

/** What the engine writes is what clients get. */
async function failed({ by, api }: World, reason: string): Promise<void> {
  const id = by.get(`failReason ${reason}`);
  const { body } = await api.call('GET', `/intents/status/v3?requestId=${id}`);
  expect(body).toMatchObject({ status: 'failure', failReason: reason });
}

/** A request in its own service, so that the seeds stay unchanged. */
export async function pendingRequest(world: World, options: Parameters<World['open']>[0] = {}) {
  const api = await world.open(options);
  const request = await requestOf(api, {}, { status: 'pending' });
  await transactionOf(api, request.id, 'deposit', 900);
  return { api, request };
}
