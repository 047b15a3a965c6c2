import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hash, requestOf } from './support/rows.js';
import { ask, type RunningApi, runningApi, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const say = (requestId: unknown, additionalMetadata: unknown) =>
  api.call('POST', '/requests/metadata', { body: { requestId, additionalMetadata } });
const shown = async (id: string) =>
  (await api.call('GET', `/requests/v3?id=${id}`, withKey)).body.requests[0].data.externalMetadata;

describe('POST /requests/metadata', () => {
  it('keeps what a client says of its request, and shows it in the listing', async () => {
    const { id } = await requestOf(api);
    expect(await shown(id)).toBeNull();
    const said = { moonPayId: 'f0f0', nested: { list: [1, 'two', null], nul: '\u0000', half: '\ud800' } };
    expect(await say(id.toUpperCase().replace('0X', '0x'), said)).toMatchObject({
      status: 200,
      body: { message: 'Success' },
    });
    expect(await shown(id)).toEqual(said);
    const other = await requestOf(api);
    expect(await shown(other.id)).toBeNull();
  });

  it('is said of a quote before anybody pays, and follows it', async () => {
    const { body } = await api.call('POST', '/quote/v2', { body: ask() });
    const id = body.steps[0].requestId;
    expect((await say(id, { a: 1 })).status).toBe(200);
    expect(await api.store.clientMetadata([id])).toMatchObject([{ requestId: id, metadata: '{"a":1}' }]);
  });

  it('what was said first stays, whoever says something else', async () => {
    const { id, updatedAt } = await requestOf(api);
    await say(id, { a: 1 });
    expect((await say(id, { a: 1 })).status).toBe(200);
    expect(await say(id, { a: 2 })).toMatchObject({
      status: 409,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'additionalMetadata' } },
    });
    expect(await shown(id)).toEqual({ a: 1 });
    expect(await api.store.request(id)).toMatchObject({ version: 1, updatedAt });
  });

  it('of two that speak at once, one is told that the other was heard', async () => {
    const { id } = await requestOf(api);
    const replies = await Promise.all([say(id, { a: 1 }), say(id, { a: 2 })]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await shown(id)).toEqual({ a: replies[0]?.status === 200 ? 1 : 2 });
  });

  it('is refused for what was never quoted', async () => {
    expect(await say(hash(0xdead), {})).toMatchObject({ status: 404, body: { errorCode: 'REQUEST_NOT_FOUND' } });
  });

  it.each([
    ['requestId', 'no id', {}],
    ['requestId', undefined, {}],
    ['requestId', 5, {}],
    ['additionalMetadata', hash(1), undefined],
    ['additionalMetadata', hash(1), null],
    ['additionalMetadata', hash(1), 'text'],
    ['additionalMetadata', hash(1), [1]],
    ['additionalMetadata', hash(1), { text: 'é'.repeat(2_043) }],
  ])('a wrong %s (%j, %j) is 400 with its name', async (field, id, metadata) => {
    expect(await say(id, metadata)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field, reason: expect.any(String) } },
    });
  });

  it('takes as much as it says', async () => {
    const { id } = await requestOf(api);
    const most = { text: 'é'.repeat(2_042) };
    expect(Buffer.byteLength(JSON.stringify(most))).toBe(4_095);
    expect((await say(id, most)).status).toBe(200);
  });
});
