import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from './support/rows.js';
import { ask, type RunningApi, runningApi } from './support/running-api.js';
import { becomes, type Client, connect } from './support/socket.js';

const EVENT = 'request.status.updated';

let api: RunningApi;
const clients: Client[] = [];
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.terminate();
});
afterAll(async () => {
  await api.api.close();
  await api.close();
});

async function client(path?: string, onOpen?: unknown): Promise<Client> {
  const one = await connect(api, path, onOpen);
  clients.push(one);
  return one;
}

async function following(id: string, more: object = {}): Promise<Client> {
  const one = await client();
  one.ask({ id }, more);
  expect(await one.next()).toMatchObject({ type: 'connection' });
  expect(await one.next()).toMatchObject({ type: 'subscribe', status: 'success' });
  return one;
}

describe('the websocket', () => {
  it.each(['/', '/ws'])(
    'takes a subscription under %s at once, without a key, and reports how things stand',
    async (path) => {
      const { id, updatedAt } = await requestOf(api);
      const one = await client(path, { type: 'subscribe', event: EVENT, filters: { id } });
      expect(await one.next()).toEqual({ type: 'connection', status: 'ready', data: { id: expect.any(String) } });
      expect(await one.next()).toEqual({
        type: 'subscribe',
        status: 'success',
        data: { event: EVENT, filters: { id }, position: expect.any(Number) },
      });
      expect(await one.next()).toEqual({
        event: EVENT,
        timestamp: updatedAt,
        data: expect.objectContaining({
          requestId: id,
          status: 'pending',
          updatedAt,
          originChainId: 1,
          depositAddress: null,
        }),
        position: expect.any(Number),
        sequence: 1,
      });
    },
  );

  it('reports a quote that no one paid as waiting, by an id in any case', async () => {
    const { body } = await api.call('POST', '/quote/v2', { body: ask() });
    const id: string = body.steps[0].requestId;
    const one = await following(`0x${id.slice(2).toUpperCase()}`);
    expect(await one.next()).toMatchObject({ event: EVENT, data: { requestId: id, status: 'waiting' }, sequence: 0 });
  });

  it('reports changes in their order, to those who asked and no one else', async () => {
    const [{ id }, other] = [await requestOf(api), await requestOf(api, { amount: '200000000' })];
    const [one, two] = [await following(id), await following(other.id)];
    await one.next();
    await two.next();
    await becomes(api, id, 'submitted');
    await becomes(api, id, 'success');
    const reported = [await one.next(), await one.next()];
    expect(reported.map(({ data, sequence }) => [data.requestId, data.status, sequence])).toEqual([
      [id, 'submitted', 2],
      [id, 'success', 3],
    ]);
    expect(reported[1]?.position).toBeGreaterThan(reported[0]?.position as number);
    expect(await two.within(150)).toEqual([]);
  });

  it('never reports again what the current status already contains', async () => {
    const { id } = await requestOf(api);
    const warm = await following(id);
    await warm.next();
    // Subscribes before the feed reads a change that the status already shows.
    for (const status of ['submitted', 'pending', 'success'] as const) {
      const one = await client();
      await one.next();
      await becomes(api, id, status);
      one.ask({ id });
      await one.next();
      expect(await one.next()).toMatchObject({ data: { status } });
      expect(await one.within(120)).toEqual([]);
    }
  });

  it('reports nothing more after unsubscribe, and subscribing twice reports once', async () => {
    const { id } = await requestOf(api);
    const one = await following(id);
    await one.next();
    one.ask({ id });
    await one.next();
    await one.next();
    await becomes(api, id, 'submitted');
    expect(await one.within(200)).toHaveLength(1);
    one.send({ type: 'unsubscribe', event: EVENT, filters: { id } });
    expect(await one.next()).toEqual({
      type: 'unsubscribe',
      status: 'success',
      data: { event: EVENT, filters: { id } },
    });
    await becomes(api, id, 'success');
    expect(await one.within(150)).toEqual([]);
  });

  it('closes on an id that nothing has, so that the client polls', async () => {
    const one = await client();
    one.ask({ id: `0x${'9'.repeat(64)}` });
    await one.next();
    expect(await one.next()).toMatchObject({
      type: 'subscribe',
      status: 'error',
      error: { errorCode: 'REQUEST_NOT_FOUND' },
    });
    expect(await one.closed).toBe(1008);
  });

  it('stays open after an error while it has something else to report', async () => {
    const { id } = await requestOf(api);
    const one = await following(id);
    await one.next();
    one.send('no json');
    expect(await one.next()).toMatchObject({ type: 'error', error: { errorCode: 'INVALID_REQUEST' } });
    await becomes(api, id, 'success');
    expect(await one.next()).toMatchObject({ data: { status: 'success' } });
  });
});

describe('resuming', () => {
  it('reports what was missed, once, and then what happens', async () => {
    const { id } = await requestOf(api);
    const one = await following(id);
    const { position } = await one.next();
    await becomes(api, id, 'submitted');
    const seen = await one.next();
    one.socket.terminate();
    await becomes(api, id, 'pending');
    await becomes(api, id, 'success');
    const two = await following(id, { after: seen.position });
    expect([(await two.next()).sequence, (await two.next()).sequence]).toEqual([3, 4]);
    expect(position).toBeLessThan(seen.position as number);
    expect(await two.within(120)).toEqual([]);
  });

  it('refuses to begin after what has not happened yet', async () => {
    const { id } = await requestOf(api);
    const one = await client();
    one.ask({ id }, { after: 1e9 });
    await one.next();
    expect(await one.next()).toMatchObject({
      error: { errorCode: 'INVALID_REQUEST', message: expect.stringMatching(/^after/) },
    });
    expect(await one.closed).toBe(1008);
  });
});
