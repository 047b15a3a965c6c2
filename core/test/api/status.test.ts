import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestRow } from '../../src/contract/index.js';
import { hash, requestOf, transactionOf } from './support/rows.js';
import { ask, type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const statusOf = async (id: string) => (await api.call('GET', `/intents/status/v3?requestId=${id}`)).body;

describe('the status of a quote that no one paid', () => {
  it('is waiting, and stays so after it expired', async () => {
    const { body } = await api.call('POST', '/quote/v2', { body: ask() });
    const id: string = body.steps[0].requestId;
    const waiting = {
      status: 'waiting',
      inTxHashes: [],
      txHashes: [],
      updatedAt: expect.any(Number),
      quoteCreatedAt: expect.any(Number),
      originChainId: 1,
      destinationChainId: 2,
      failReason: 'N/A',
      refundFailReason: 'N/A',
      details: null,
    };
    expect(await statusOf(id)).toEqual(waiting);
    expect(await statusOf(id.toUpperCase().replace('0X', '0x'))).toEqual(waiting);
    api.clock.offset = 3_600_000;
    expect(await statusOf(id)).toEqual(waiting);
    api.clock.offset = 0;
  });

  it('is 404 once it was pruned', async () => {
    const { body } = await api.call('POST', '/quote/v2', { body: ask() });
    const id: string = body.steps[0].requestId;
    await api.store.prune(Date.now() + 40 * 24 * 3_600_000);
    expect(await api.call('GET', `/intents/status/v3?requestId=${id}`)).toMatchObject({
      status: 404,
      body: { errorCode: 'REQUEST_NOT_FOUND', statusCode: 404 },
    });
  });
});

describe('the status of a request', () => {
  it('carries the hashes of both sides, failed fills not among them', async () => {
    const { id } = await requestOf(api, {}, { status: 'success' });
    await transactionOf(api, id, 'deposit', 1);
    await transactionOf(api, id, 'failed', 2);
    await transactionOf(api, id, 'fill', 3);
    expect(await statusOf(id)).toMatchObject({ status: 'success', inTxHashes: [hash(1)], txHashes: [hash(3)] });
  });

  it.each<[RequestRow['status'], RequestRow['failReason'], string]>([
    ['pending', 'SLIPPAGE', 'N/A'],
    ['submitted', null, 'N/A'],
    ['success', null, 'N/A'],
    ['depositing', null, 'N/A'],
    ['failure', 'TRANSACTION_NOT_INCLUDED', 'TRANSACTION_NOT_INCLUDED'],
    ['failure', null, 'UNKNOWN'],
    ['refund', 'SLIPPAGE', 'SLIPPAGE'],
    ['refund', null, 'UNKNOWN'],
    ['fallback', null, 'UNKNOWN'],
  ])('%s with reason %s says %s', async (status, failReason, shown) => {
    const { id } = await requestOf(api, {}, { status, failReason });
    expect(await statusOf(id)).toMatchObject({ status, failReason: shown, refundFailReason: 'N/A' });
  });

  it('names why a refund could not be made, and details where there are some', async () => {
    const set = { status: 'failure', refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND', details: 'reverted' } as const;
    const { id } = await requestOf(api, {}, set);
    expect(await statusOf(id)).toMatchObject({ refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND', details: 'reverted' });
  });
});

describe('a transaction hint', () => {
  it('is durable, kept once, and spelled one way', async () => {
    const txHash = `0x${'AB'.repeat(32)}`;
    const requestId = hash(77);
    for (let time = 0; time < 2; time += 1) {
      const reply = await api.call('POST', '/transactions/index', { body: { txHash, chainId: 1, requestId } });
      expect(reply.status).toBe(200);
    }
    expect(api.a.state.hints.filter((seen) => seen === txHash.toLowerCase())).toHaveLength(2);
    const twice = await api.store.apply({
      name: 'test',
      changes: [
        {
          op: 'insert',
          table: 'hints',
          row: {
            id: `1:${txHash.toLowerCase()}:${requestId}`,
            chainId: 1,
            hash: txHash,
            requestId: null,
            createdAt: 1,
          },
        },
      ],
    });
    expect(twice).toMatchObject({ ok: false, conflict: { kind: 'duplicate' } });
  });
});

describe('the older shapes of the status', () => {
  it.each<[RequestRow['status'], string, string]>([
    ['waiting', 'waiting', 'received'],
    ['depositing', 'depositing', 'pending'],
    ['pending', 'pending', 'pending'],
    ['submitted', 'pending', 'pending'],
    ['success', 'success', 'success'],
    ['failure', 'failure', 'failure'],
    ['refund', 'refund', 'fallback'],
    ['fallback', 'refund', 'fallback'],
  ])('say for %s: %s in the second, %s in the first', async (status, second, first) => {
    const { id, updatedAt, createdAt } = await requestOf(api, {}, { status, details: 'why' });
    const n = Number.parseInt(id.slice(2, 10), 16);
    await transactionOf(api, id, 'deposit', n);
    await transactionOf(api, id, 'fill', n + 1);
    const same = {
      details: 'why',
      inTxHashes: [hash(n)],
      txHashes: [hash(n + 1)],
      time: updatedAt,
      originChainId: 1,
      destinationChainId: 2,
    };
    const of = async (path: string) => (await api.call('GET', `${path}?requestId=${id}`)).body;
    expect(await of('/intents/status/v2')).toEqual({ ...same, status: second, quoteCreatedAt: createdAt });
    expect(await of('/intents/status')).toEqual({ ...same, status: first });
  });

  it.each(['/intents/status', '/intents/status/v2'])(
    '%s knows quotes, and says what it does not know',
    async (path) => {
      const quote = await api.call('POST', '/quote/v2', { body: ask() });
      const status = path.endsWith('v2') ? 'waiting' : 'received';
      const known = await api.call('GET', `${path}?requestId=${quote.body.steps[0].requestId}`);
      expect(known).toMatchObject({ status: 200, body: { status, inTxHashes: [], txHashes: [], details: null } });
      expect((await api.call('GET', `${path}?requestId=${hash(404)}`)).status).toBe(404);
      expect((await api.call('GET', path)).status).toBe(400);
    },
  );
});

describe('a single transaction', () => {
  const single = (body: object) => api.call('POST', '/transactions/single', { body });
  const inside = (hashes: object) =>
    JSON.stringify({ from: hash(1), to: hash(2), data: '0x', value: '1', chainId: 1, ...hashes });
  const tx = inside({});

  it.each([
    ['txHash', { tx, txHash: hash(0x5101) }, hash(0x5101)],
    ['replacementTxHash', { tx, replacementTxHash: hash(0x5102) }, hash(0x5102)],
    [
      'both, of which the replacement counts',
      { tx, txHash: hash(0x5103), replacementTxHash: hash(0x5104) },
      hash(0x5104),
    ],
    ['tx itself', { tx: hash(0x5105) }, hash(0x5105)],
    ['the txHash that the public SDK writes into tx', { tx: inside({ txHash: hash(0x5106) }) }, hash(0x5106)],
    [
      'the replacementTxHash that it writes there',
      { tx: inside({ replacementTxHash: hash(0x5107) }), referrer: 'app' },
      hash(0x5107),
    ],
    ['the hash next to tx, before one inside', { tx: inside({ txHash: hash(1) }), txHash: hash(0x5108) }, hash(0x5108)],
  ])('is looked for by %s', async (_, body, found) => {
    const reply = await single({ requestId: hash(9), chainId: '1', ...body });
    expect(reply).toMatchObject({ status: 200, body: { message: 'Success' } });
    expect(api.a.state.hints.at(-1)).toBe(found);
  });

  it('is reported for its request, no matter who reported it before', async () => {
    const txHash = hash(0x5201);
    await api.call('POST', '/transactions/index', { body: { chainId: 1, txHash } });
    for (const n of [0x5202, 0x5203, 0x5203]) await single({ requestId: hash(n), chainId: 1, txHash });
    const reported = (await api.store.hintsAfter({ createdAt: 0, id: '' }, 100)).filter((hint) => hint.hash === txHash);
    expect(reported.map(({ requestId }) => requestId).sort()).toEqual([hash(0x5202), hash(0x5203)]);
  });

  it.each<readonly [string, object]>([
    ['txHash', { requestId: hash(9), chainId: 1, tx }],
    ...[
      inside({ txHash: 'x' }),
      inside({ txHash: 7 }),
      inside({ txHash: { toString: 'x' } }),
      inside({ txHash: 'a'.repeat(201) }),
      '{',
      'null',
      '[]',
      '"x"',
      '['.repeat(100_000),
    ].map((tx) => ['txHash', { requestId: hash(9), chainId: 1, tx }] as const),
    ['requestId', { chainId: 1, tx, txHash: hash(1) }],
    ['requestId', { requestId: 'x', chainId: 1, tx, txHash: hash(1) }],
    ['chainId', { requestId: hash(9), chainId: 'x', tx, txHash: hash(1) }],
    ['chainId', { requestId: hash(9), chainId: 99, tx, txHash: hash(1) }],
  ])('is refused for its %s', async (field, body) => {
    const before = api.a.state.hints.length;
    expect(await single(body)).toMatchObject({ status: 400, body: { errorData: { field } } });
    expect(api.a.state.hints).toHaveLength(before);
  });
});
