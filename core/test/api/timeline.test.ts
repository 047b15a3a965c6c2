import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestId } from '../../src/contract/index.js';
import { statusEvent } from '../../src/events/status-event.js';
import { explained } from '../../src/host/cli/explain.js';
import { apiKeyRow, deliveryRow, endpointRow, insert } from '../../src/testing/store-fixtures.js';
import { depositOf, requestOf, requestOfQuote } from './support/rows.js';
import { ADMIN_KEY, API_KEY, ask, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi({
    options: { anonymousRead: 'by-user-or-id', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] },
  });
});
afterAll(() => api.close());

const OWN = { 'x-api-key': API_KEY };
const ADMIN = { 'x-admin-key': ADMIN_KEY };

const get = (id: string, headers: Readonly<Record<string, string>> = {}) =>
  api.call('GET', `/requests/${id}/timeline`, { headers });

let serial = 0;

async function reported(): Promise<RequestId> {
  const request = await requestOf(api, {}, { status: 'pending', keyId: 'key-1', referrer: 'shop' });
  serial += 1;
  await depositOf(api, request, serial);
  const event = statusEvent(request, [], 1, request.createdAt + 1);
  const endpoint = endpointRow(1, { id: `we_${serial}`, integratorId: 'integrator-1' });
  const shared = { eventId: event.id, requestId: request.id, lastError: 'receiver answered 500', answerStatus: 500 };
  const [own, config] = [endpoint, endpointRow(2, { id: `config_${serial}` })];
  const deliveries = [own, config].map(({ id }) =>
    insert('deliveries', deliveryRow(1, { ...shared, id: `${id}/${event.id}`, endpointId: id })),
  );
  const changes = [insert('events', event), insert('endpoints', own), insert('endpoints', config), ...deliveries];
  expect(await api.store.apply({ name: 'test', changes })).toEqual({ ok: true });
  return request.id;
}

const textsIn = (body: { entries: { delivery?: object; text: string }[] }) =>
  body.entries.flatMap(({ delivery, text }) => (delivery ? [text.replace(/^.*?_\d+: /, '')] : []));

const deliveriesIn = (body: { entries: { delivery?: { endpointId: string } }[] }) =>
  body.entries.flatMap(({ delivery }) => (delivery ? [delivery.endpointId.split('_')[0]] : []));

describe('the timeline of a quote that nothing funded', () => {
  it('has what was sent for it, with the status that the status endpoint reports', async () => {
    const { body: quoted } = await api.call('POST', '/quote/v2', { body: ask() });
    const quote = quoted.steps[0].requestId as RequestId;
    const childOf = async (n: number, sender: string, status: 'refund' | 'failure') => {
      const [id, orderId] = [`0x${n.toString(16).padStart(64, '0')}`, `0x${n.toString(16).padStart(64, '1')}`] as const;
      const child = await requestOfQuote(api, quote, {
        id,
        orderId,
        parentRequestId: quote,
        sender,
        status,
        createdAt: n,
      });
      await depositOf(api, child, n);
      const event = statusEvent({ ...child, failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' }, [], 1, n);
      expect(await api.store.apply({ name: 'test', changes: [insert('events', event)] })).toEqual({ ok: true });
    };
    const kinds = async () => {
      const { body } = await get(quote);
      const known = (await api.call('GET', `/intents/status/v3?requestId=${quote}`)).body.status;
      expect([body.requestId, body.status]).toEqual([quote, known]);
      return [known, ...body.entries.map(({ kind }: { kind: string }) => kind).sort()];
    };
    expect(await kinds()).toEqual(['waiting', 'quoted']);
    await childOf(0xfe01, `0x${'3'.repeat(40)}`, 'failure');
    expect(await kinds()).toEqual(['waiting', 'depositSeen', 'quoted']);
    await childOf(0xfe02, USER, 'refund');
    expect(await kinds()).toEqual(['refund', 'depositSeen', 'depositSeen', 'quoted', 'status']);
  });
});

describe('GET /requests/{id}/timeline', () => {
  it('shows the quote, the deposit and each change to any reader', async () => {
    const id = await reported();
    const { status, body } = await get(id.toUpperCase().replace('0X', '0x'));
    expect(status).toBe(200);
    expect(body.entries.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['depositSeen', 'quoted', 'status']);
    expect(JSON.stringify(body)).not.toContain('shop');
  });

  it.each([
    ['due', 0, 'not accepted yet after 0 attempts'],
    ['due', 2, 'not accepted yet after 2 attempts, answered 500'],
    ['behind', 0, 'waits for an earlier one after 0 attempts'],
    ['delivered', 1, 'delivered after 1 attempt, answered 200'],
    ['failed', 9, 'abandoned after 9 attempts, answered 500'],
  ] as const)('describes the result of a delivery that is %s, after %i', async (state, attempts, words) => {
    const request = await requestOf(api, {}, { status: 'pending', keyId: 'key-1' });
    const event = statusEvent(request, [], 1, request.createdAt + 1);
    serial += 1;
    const endpoint = endpointRow(1, { id: `we_${serial}`, integratorId: 'integrator-1' });
    const shared = {
      id: `${endpoint.id}/${event.id}`,
      eventId: event.id,
      requestId: request.id,
      endpointId: endpoint.id,
    };
    const answerStatus = attempts === 0 ? null : state === 'delivered' ? 200 : 500;
    const delivery = insert('deliveries', deliveryRow(1, { ...shared, state, attempts, answerStatus }));
    await api.store.apply({
      name: 'test',
      changes: [insert('events', event), insert('endpoints', endpoint), delivery],
    });
    expect(textsIn((await get(request.id, ADMIN)).body)).toEqual([words]);
  });

  it('shows deliveries to the integrator of the request, and those of the config to operators', async () => {
    const id = await reported();
    await api.store.apply({
      name: 'test',
      changes: [
        insert(
          'apiKeys',
          apiKeyRow(7, {
            id: 'key-7',
            integratorId: 'integrator-7',
            scopes: '["*"]',
            hash: createHash('sha256').update('other-key-0123456789').digest('hex'),
          }),
        ),
      ],
    });
    expect(deliveriesIn((await get(id)).body)).toEqual([]);
    expect(deliveriesIn((await get(id, OWN)).body)).toEqual(['we']);
    expect(deliveriesIn((await get(id, { 'x-api-key': 'other-key-0123456789' })).body)).toEqual([]);
    expect(deliveriesIn((await get(id, ADMIN)).body).sort()).toEqual(['config', 'we']);
  });

  it('knows quotes that are not paid, and nothing else', async () => {
    const { body } = await api.call('POST', '/quote/v2', { body: ask() });
    const id: string = body.steps[0].requestId;
    const { status, entries } = (await get(id)).body;
    expect([status, entries.length]).toEqual(['waiting', 1]);
    // Of the two currencies, what the source said and when.
    const price = { source: 'test-prices', usd: '1', at: 0 };
    expect(entries[0].quoted.prices.sources).toEqual({ origin: price, destination: price });
    for (const wrong of [`0x${'9'.repeat(64)}`, 'x', '0x', `0x${'g'.repeat(64)}`, '%00', 'a'.repeat(257)])
      expect([400, 404], wrong).toContain((await get(wrong)).status);
  });

  it('follows the rights of lists: private chains and deployments without anonymous reading', async () => {
    const id = await reported();
    const { facts } = api.b.adapter;
    Object.assign(api.b.adapter, { facts: { ...facts, private: '6f1d3c1e-7a55-4a53-9d0c-2b8f4f1a9f10' } });
    expect((await get(id)).status).toBe(404);
    expect((await get(id, OWN)).status).toBe(404);
    expect((await get(id, ADMIN)).status).toBe(200);
    Object.assign(api.b.adapter, { facts });
    const closed = await runningApi();
    const at = (headers = {}) => closed.call('GET', `/requests/${id}/timeline`, { headers });
    expect([(await at()).status, (await at(OWN)).status, (await at(ADMIN)).status]).toEqual([401, 404, 404]);
    await closed.close();
  });

  it('says less than a page of a thousand entries at most', async () => {
    const request = await requestOf(api, {}, { status: 'pending' });
    const events = Array.from({ length: 1_005 }, (_, n) => insert('events', statusEvent(request, [], n + 1, n)));
    await api.store.apply({ name: 'test', changes: events });
    const { body } = await get(request.id);
    expect([body.entries.length, body.truncated]).toEqual([1_000, true]);
  });
});

describe('causeway explain', () => {
  it('prints a line for each entry, without what a terminal obeys', () => {
    const entries = [{ at: 0, text: 'quoted: 1 \u001b[2J\u202eEVIL on A' }];
    expect(
      explained({ requestId: '0x1', status: 'pending', truncated: true, entries, waitsFor: 'its fill is due' }),
    ).toEqual([
      'request 0x1 is pending',
      '  1970-01-01T00:00:00.000Z  quoted: 1  [2J EVIL on A',
      '  … and more',
      'it waits: its fill is due',
    ]);
  });
});
