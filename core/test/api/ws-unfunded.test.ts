import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RequestId, RequestRow } from '../../src/contract/index.js';
import { hash, requestOf, requestOfQuote, transactionOf } from './support/rows.js';
import { ask, type RunningApi, runningApi, USER } from './support/running-api.js';
import { becomes, type Client, connect } from './support/socket.js';

/** A transfer that cannot fund a quote is a separate request; the quote's followers receive it. */
let api: RunningApi;
let reads = 0;
const clients: Client[] = [];

beforeAll(async () => {
  api = await runningApi();
  const { requests } = api.store;
  Object.assign(api.store, {
    requests: (ids: readonly RequestId[]) => {
      reads += 1;
      return requests.call(api.store, ids);
    },
  });
});

let quote: RequestId;
let serial = 0;
beforeEach(async () => {
  const { body } = await api.call('POST', '/quote/v2', { body: ask() });
  quote = body.steps[0].requestId;
});

afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.terminate();
});

afterAll(async () => {
  await api.api.close();
  await api.close();
});

async function sent(row: Partial<RequestRow> = {}): Promise<RequestRow> {
  serial += 1;
  const [id, orderId] = [hash(0xc000 + serial), hash(0xd000 + serial)];
  const child = { id, orderId, parentRequestId: quote, sender: USER, createdAt: 1_000 + serial };
  const request = await requestOfQuote(api, quote, { ...child, ...row });
  await transactionOf(api, request.id, 'deposit', 0xc000 + serial);
  return request;
}

async function following(id = quote, more: object = {}): Promise<Client> {
  const one = await connect(api);
  clients.push(one);
  one.ask({ id }, more);
  expect(await one.next()).toMatchObject({ type: 'connection' });
  expect(await one.next()).toMatchObject({ type: 'subscribe', status: 'success' });
  return one;
}

describe('anyone who follows a quote that nothing funded', () => {
  it('is sent at once what the status endpoint reports', async () => {
    await sent({ status: 'pending' });
    await sent({
      ...{ status: 'failure', failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' },
      ...{ refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND', details: 'too little' },
    });
    await sent({ status: 'refund', sender: `0x${'3'.repeat(40)}` });
    const one = await following();
    const { data, sequence } = await one.next();
    const { body } = await api.call('GET', `/intents/status/v3?requestId=${quote}`);
    expect(body.status).toBe('failure');
    const { quoteCreatedAt, ...reported } = body;
    expect(data).toEqual({
      ...reported,
      requestId: quote,
      parentRequestId: null,
      depositAddress: null,
      referrer: null,
    });
    expect(sequence).toBe(0);
  });

  it('receives the result of what its payer sends, under the id of the quote', async () => {
    const one = await following();
    expect(await one.next()).toMatchObject({ data: { requestId: quote, status: 'waiting' } });
    const { id } = await sent();
    await becomes(api, id, 'failure');
    await becomes(api, id, 'refund');
    const reported = [await one.next(), await one.next()];
    expect(reported.map(({ data, sequence }) => [data.requestId, data.status, sequence])).toEqual([
      [quote, 'failure', 0],
      [quote, 'refund', 0],
    ]);
    expect(reported[1]?.position).toBeGreaterThan(reported[0]?.position as number);
    expect(await one.within(120)).toEqual([]);
  });

  it('hears nothing of what others send for it', async () => {
    const one = await following();
    await one.next();
    const { id } = await sent({ sender: `0x${'3'.repeat(40)}` });
    await becomes(api, id, 'failure');
    expect(await one.within(150)).toEqual([]);
  });

  it('learns why the transfer of another account did not fund it, and no other status, as the status endpoint says', async () => {
    const one = await following();
    await one.next();
    const { id } = await sent({ sender: `0x${'3'.repeat(40)}`, details: 'too little' });
    await becomes(api, id, 'failure');
    await becomes(api, id, 'refund');
    const { data, sequence } = await one.next();
    const { body } = await api.call('GET', `/intents/status/v3?requestId=${quote}`);
    const { quoteCreatedAt, updatedAt, ...reported } = body;
    expect(reported).toMatchObject({ status: 'waiting', details: 'too little', inTxHashes: [] });
    expect(data).toMatchObject({ ...reported, requestId: quote, parentRequestId: null });
    expect(sequence).toBe(0);
    expect(await one.within(120)).toEqual([]);
    // Its own payer's transfer counts then.
    const own = await sent();
    await becomes(api, own.id, 'refund');
    expect(await one.next()).toMatchObject({ data: { requestId: quote, status: 'refund' } });
    await becomes(api, (await sent({ sender: `0x${'4'.repeat(40)}`, details: 'less' })).id, 'refund');
    expect(await one.within(120)).toEqual([]);
  });

  it('is not flooded by other accounts that name it', async () => {
    const one = await following();
    await one.next();
    for (let n = 0; n < 12; n += 1)
      await becomes(api, (await sent({ sender: `0x${'3'.repeat(40)}`, details: `dust ${n}` })).id, 'failure');
    const received = await one.within(200);
    expect(received).toHaveLength(4);
    expect(received).toEqual(
      received.map(() => expect.objectContaining({ data: expect.objectContaining({ status: 'waiting' }) })),
    );
  });

  it('finds the order in the events of its child', async () => {
    const child = await sent({ status: 'pending' });
    const one = await following(child.id);
    expect(await one.next()).toMatchObject({ data: { requestId: child.id, parentRequestId: quote } });
    await becomes(api, child.id, 'refund');
    expect(await one.next()).toMatchObject({ data: { requestId: child.id, parentRequestId: quote } });
  });

  it('receives the newest alone, as the status endpoint reports', async () => {
    const older = await sent();
    const one = await following();
    await one.next();
    const newer = await sent();
    await becomes(api, older.id, 'submitted');
    await becomes(api, newer.id, 'submitted');
    await becomes(api, older.id, 'refund');
    await becomes(api, newer.id, 'failure');
    const reported = [await one.next(), await one.next(), await one.next()];
    expect(reported.map(({ data }) => data.status)).toEqual(['submitted', 'submitted', 'failure']);
    expect(await one.within(120)).toEqual([]);
    const two = await following();
    expect(await two.next()).toMatchObject({ data: { status: 'failure' } });
    await becomes(api, older.id, 'success');
    expect(await two.within(120)).toEqual([]);
  });

  it('receives its own request alone once it has one', async () => {
    const child = await sent();
    const one = await following();
    await one.next();
    await requestOfQuote(api, quote, { eventCount: 0 });
    await becomes(api, quote, 'submitted');
    expect(await one.next()).toMatchObject({ data: { requestId: quote, status: 'submitted' }, sequence: 1 });
    await becomes(api, child.id, 'refund');
    await becomes(api, quote, 'success');
    expect(await one.next()).toMatchObject({ data: { requestId: quote, status: 'success' }, sequence: 2 });
    expect(await one.within(120)).toEqual([]);
    const two = await following();
    expect(await two.next()).toMatchObject({ data: { status: 'success' } });
    await becomes(api, child.id, 'failure');
    expect(await two.within(120)).toEqual([]);
  });

  it('is never sent again what the current status already contains', async () => {
    const warm = await following();
    await warm.next();
    const { id } = await sent();
    for (const status of ['submitted', 'failure', 'refund'] as const) {
      const one = await connect(api);
      clients.push(one);
      await one.next();
      await becomes(api, id, status);
      one.ask({ id: quote });
      await one.next();
      expect(await one.next()).toMatchObject({ data: { status } });
      expect(await one.within(120)).toEqual([]);
    }
  });

  it('misses nothing that happens while its status is read', async () => {
    const { id } = await sent();
    const one = await connect(api);
    clients.push(one);
    await one.next();
    const { views } = api.store;
    let happened = false;
    // The change is published between the read and the subscription.
    Object.assign(api.store, {
      views: async (asked: readonly RequestId[]) => {
        const found = await views.call(api.store, asked);
        if (!happened && asked.includes(id)) {
          happened = true;
          await becomes(api, id, 'refund');
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        return found;
      },
    });
    try {
      one.ask({ id: quote });
      await one.next();
      expect((await one.next()).data.status).toBe('refund');
      expect(await one.within(120)).toEqual([]);
    } finally {
      Object.assign(api.store, { views });
      expect(happened).toBe(true);
    }
  });

  it('hears nothing of what its payer sent before once it was funded while its status is read', async () => {
    const { id } = await sent();
    const one = await connect(api);
    clients.push(one);
    await one.next();
    const { views } = api.store;
    let readings = 0;
    Object.assign(api.store, {
      views: async (asked: readonly RequestId[]) => {
        readings += asked.includes(quote) ? 1 : 0;
        if (readings === 2 && asked.includes(quote)) {
          await becomes(api, id, 'refund');
          await new Promise((resolve) => setTimeout(resolve, 150));
          await requestOfQuote(api, quote, { status: 'pending' });
        }
        return views.call(api.store, asked);
      },
    });
    try {
      one.ask({ id: quote });
      await one.next();
      expect(await one.next()).toMatchObject({ data: { status: 'pending' }, sequence: 1 });
      expect(await one.within(120)).toEqual([]);
    } finally {
      Object.assign(api.store, { views });
    }
  });

  it('is shown how it stands now when it resumes', async () => {
    const { id } = await sent();
    const one = await following();
    const { position } = await one.next();
    one.socket.terminate();
    await becomes(api, id, 'failure');
    const two = await following(quote, { after: position });
    expect(await two.next()).toMatchObject({ data: { requestId: quote, status: 'failure' }, sequence: 0 });
    await becomes(api, id, 'refund');
    expect(await two.next()).toMatchObject({ data: { requestId: quote, status: 'refund' } });
    expect(await two.within(120)).toEqual([]);
  });

  it('hears nothing more once it unsubscribed', async () => {
    const { id } = await sent();
    const one = await following();
    await one.next();
    one.send({ type: 'unsubscribe', event: 'request.status.updated', filters: { id: quote } });
    await one.next();
    await becomes(api, id, 'failure');
    expect(await one.within(150)).toEqual([]);
  });
});

describe('what that costs', () => {
  it('is nothing while no one follows such a quote', async () => {
    const { id } = await requestOf(api);
    const child = await sent();
    const one = await following(id);
    await one.next();
    const settle = () => new Promise((resolve) => setTimeout(resolve, 120));
    const count = async (): Promise<number> => {
      await settle();
      reads = 0;
      await becomes(api, id, 'submitted');
      await becomes(api, child.id, 'submitted');
      await settle();
      return reads;
    };
    expect(await count()).toBe(0);
    const two = await following();
    await two.next();
    expect(await count()).toBeGreaterThan(0);
    two.socket.terminate();
    expect(await count()).toBe(0);
    const three = await following();
    await three.next();
    await requestOfQuote(api, quote, { eventCount: 0 });
    await becomes(api, quote, 'submitted');
    await three.next();
    expect(await count()).toBe(0);
  });
});
