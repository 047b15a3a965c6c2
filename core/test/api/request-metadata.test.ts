import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/api/key-format.js';
import { apiKeyRow, changeSet, insert } from '../../src/testing/store-fixtures.js';
import { requestOf as anyRequestOf, hash } from './support/rows.js';
import { ask, type CallOptions, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

const SIBLING = 'sibling-key-for-tests-0123456789';
const STRANGER = 'stranger-key-for-tests-0123456789';
const keyed = (key: string) => ({ headers: { 'x-api-key': key } });

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
  const sibling = apiKeyRow(2, { hash: hashKey(SIBLING), integratorId: 'integrator-1' });
  const other = apiKeyRow(3, { hash: hashKey(STRANGER), integratorId: 'integrator-2' });
  await api.store.apply(changeSet(insert('apiKeys', sibling), insert('apiKeys', other)));
});
afterAll(() => api.close());

const say = (requestId: unknown, additionalMetadata: unknown, options: CallOptions = withKey, more: object = {}) =>
  api.call('POST', '/requests/metadata', { ...options, body: { requestId, additionalMetadata, ...more } });
const requestOf = () => anyRequestOf(api, {}, { keyId: 'key-1' });
const shown = async (id: string) =>
  (await api.call('GET', `/requests/v3?id=${id}`, withKey)).body.requests[0].data.externalMetadata;

describe('POST /requests/metadata', () => {
  it('keeps what a client says of its request, and shows it in the listing', async () => {
    const { id } = await requestOf();
    expect(await shown(id)).toBeNull();
    const said = { moonPayId: 'f0f0', nested: { list: [1, 'two', null], nul: '\u0000', half: '\ud800' } };
    expect(await say(id.toUpperCase().replace('0X', '0x'), said)).toMatchObject({
      status: 200,
      body: { message: 'Success', kept: true },
    });
    expect(await shown(id)).toEqual(said);
    const other = await requestOf();
    expect(await shown(other.id)).toBeNull();
  });

  it('is said of a quote before anyone pays, and follows it', async () => {
    const { body } = await api.call('POST', '/quote/v2', { ...withKey, body: ask() });
    const id = body.steps[0].requestId;
    expect((await say(id, { a: 1 })).status).toBe(200);
    expect(await api.store.clientMetadata([id])).toMatchObject([{ requestId: id, metadata: '{"a":1}' }]);
  });

  it('what was said first stays, no matter who says something else', async () => {
    const { id, updatedAt } = await requestOf();
    await say(id, { a: 1 });
    expect((await say(id, { a: 1 })).status).toBe(200);
    expect(await say(id, { a: 2 })).toMatchObject({
      status: 409,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'additionalMetadata' } },
    });
    expect(await shown(id)).toEqual({ a: 1 });
    expect(await api.store.request(id)).toMatchObject({ version: 1, updatedAt });
  });

  it('of two that speak at once, one is informed that the other was heard', async () => {
    const { id } = await requestOf();
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
    const { id } = await requestOf();
    const most = { text: 'é'.repeat(2_042) };
    expect(Buffer.byteLength(JSON.stringify(most))).toBe(4_095);
    expect((await say(id, most)).status).toBe(200);
  });
});

describe('whose word it is', () => {
  const noOne: CallOptions = {};
  const kept = async (id: `0x${string}`) => (await api.store.clientMetadata([id])).length;

  it('is that of the integrator whose key asked for it, with any of its keys', async () => {
    const { id } = await requestOf();
    expect(await say(id, { a: 1 }, keyed(STRANGER))).toMatchObject({
      status: 403,
      body: { errorCode: 'FORBIDDEN' },
    });
    expect(await kept(id)).toBe(0);
    expect(await say(id, { a: 2 }, keyed(SIBLING))).toMatchObject({ status: 200, body: { kept: true } });
    expect(await shown(id)).toEqual({ a: 2 });
  });

  it('of a caller without a key nothing is kept, and the answer is no error', async () => {
    const { id } = await requestOf();
    const reply = await say(id, { a: 1 }, noOne);
    expect(reply).toMatchObject({ status: 200, body: { kept: false, message: expect.stringContaining('key') } });
    expect(reply.body).not.toHaveProperty('sign');
    expect(await kept(id)).toBe(0);
  });

  it('a signature is worth nothing where a key asked for it', async () => {
    const { id } = await requestOf();
    api.a.state.verifies = () => true;
    const reply = await say(id, { a: 1 }, noOne, { signature: 'signed' });
    expect(reply).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN', errorData: { field: 'signature' } } });
    expect(await kept(id)).toBe(0);
  });
});

describe('a request without a key', () => {
  const noOne: CallOptions = {};
  const unkeyed = () => anyRequestOf(api, {}, { keyId: null });
  afterEach(() => {
    api.a.state.verifies = undefined;
  });

  it.each([
    ['nobody', noOne],
    ['any key', withKey],
  ])('is not described by %s, who is shown what its payer signs', async (_, options) => {
    const { id } = await unkeyed();
    const signed: unknown[] = [];
    api.a.state.verifies = (address, text, signature) => {
      signed.push([address, text]);
      return signature === 'of its payer';
    };
    const first = await say(id, { a: 1 }, options);
    expect(first).toMatchObject({ status: 200, body: { kept: false, sign: expect.stringContaining(id) } });
    expect(await api.store.clientMetadata([id])).toEqual([]);
    const wrong = await say(id, { a: 1 }, options, { signature: 'of somebody else' });
    expect(wrong).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN', errorData: { field: 'signature' } } });
    expect(await api.store.clientMetadata([id])).toEqual([]);
    const right = await say(id, { a: 1 }, options, { signature: 'of its payer' });
    expect(right).toMatchObject({ status: 200, body: { kept: true } });
    expect(signed).toEqual([
      [USER, first.body.sign],
      [USER, first.body.sign],
    ]);
    expect(await shown(id)).toEqual({ a: 1 });
  });

  it('is signed for with what is said of it: nothing else may be said under the same signature', async () => {
    const texts = new Set<string>();
    const ids = [(await unkeyed()).id, (await unkeyed()).id];
    for (const id of ids) {
      for (const metadata of [{ a: 1 }, { a: 2 }]) texts.add((await say(id, metadata, noOne)).body.sign);
    }
    expect(texts.size).toBe(4);
  });

  it('is described by no one where its chain knows no signed texts', async () => {
    const { id } = await unkeyed();
    const reply = await say(id, { a: 1 }, noOne, { signature: 'of its payer' });
    expect(reply).toMatchObject({ status: 403, body: { errorData: { field: 'signature' } } });
  });
});
