import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask, POLICY, type Reply, type RunningApi, runningApi, withKey } from './support/running-api.js';

const MAX_QUOTES = 3;
const LIFE_MS = 3_600_000;

let api: RunningApi;
beforeEach(async () => {
  api = await runningApi({ policy: { ...POLICY, anonymousQuotes: { lifeMs: LIFE_MS, most: MAX_QUOTES } } });
});
afterEach(() => api.close());

const quote = (options = {}, path = '/quote/v2'): Promise<Reply> => api.call('POST', path, { body: ask(), ...options });
const quoted = async (times: number) => {
  for (let n = 0; n < times; n += 1) expect((await quote()).status).toBe(200);
};

it('refuses anonymous quotes above the shared limit, with Retry-After', async () => {
  await quoted(MAX_QUOTES);
  const refused = await quote();
  expect(refused).toMatchObject({ status: 503, body: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true } });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await api.store.unpaidQuotes(100)).toBe(MAX_QUOTES);
});

it('still quotes callers with an API key, whose quotes do not count, and prices for everyone', async () => {
  for (let n = 0; n < MAX_QUOTES + 1; n += 1) expect((await quote(withKey)).status).toBe(200);
  await quoted(MAX_QUOTES);
  expect((await quote()).status).toBe(503);
  expect((await quote(withKey)).status).toBe(200);
  expect((await quote({}, '/price')).status).toBe(200);
});

it('quotes anonymous callers again after pruning', async () => {
  await quoted(MAX_QUOTES);
  expect((await quote()).status).toBe(503);
  api.clock.offset = 4 * LIFE_MS;
  expect(await api.store.prune(Date.now() + api.clock.offset, LIFE_MS)).toBe(MAX_QUOTES);
  // The first call after the maximum age starts a new count without awaiting it.
  await quote();
  await expect.poll(async () => (await quote()).status).toBe(200);
});

it('counts the unpaid quotes of an earlier process', async () => {
  await quoted(2);
  const later = await runningApi({
    store: api.store,
    policy: { ...POLICY, anonymousQuotes: { lifeMs: LIFE_MS, most: 2 } },
  });
  try {
    expect((await later.call('POST', '/quote/v2', { body: ask() })).status).toBe(503);
  } finally {
    await later.close();
  }
});
