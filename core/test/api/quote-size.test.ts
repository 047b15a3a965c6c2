import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_TOKEN } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

/** Database bytes per quote of a caller without a key. */
const MAX_BYTES = 4_608;
const MAX_WITH_CALLS = 3 * MAX_BYTES;

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const post = (change: object, options: object = {}, path = '/quote/v2') =>
  api.call('POST', path, { body: ask({ ...change }), ...options });

async function bytesOf(change: object, options: object = {}): Promise<number> {
  const { status, body } = await post(change, options);
  expect(status, JSON.stringify(body)).toBe(200);
  const row = await api.store.quote(body.steps[0].requestId);
  return Object.values({ ...row }).reduce<number>((sum, cell) => sum + Buffer.byteLength(String(cell ?? '')), 0);
}

/** Every stored field at its limit without a key. */
const LARGEST = {
  destinationCurrency: OTHER_TOKEN,
  amount: '4'.repeat(11),
  recipient: USER,
  refundTo: USER,
  referrer: 'r'.repeat(256),
  slippageTolerance: '9999',
  latePaymentSlippageTolerance: '9999',
  ttl: 31_536_000,
  includeProtocolData: true,
  appFees: Array.from({ length: 16 }, () => ({ recipient: USER, fee: '10' })),
};

describe('what a quote leaves in the database', () => {
  it('is bounded for callers without a key, whatever they say', async () => {
    const bytes = await bytesOf(LARGEST);
    expect(bytes).toBeGreaterThan(await bytesOf({}));
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it.each([
    ['one call', 1, 4_096 - 160],
    ['many calls', 25, 0],
  ])('is bounded with %s', async (_, calls, dataBytes) => {
    const call = { to: USER, value: '0', data: `0x${'11'.repeat(dataBytes)}` };
    const txs = Array.from({ length: calls }, () => call);
    expect(await bytesOf({ ...LARGEST, txs })).toBeLessThan(MAX_WITH_CALLS);
    const beyond = await post({ txs: [...txs, call] });
    expect(beyond).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_EXTRA_TXS', errorData: { field: 'txs' } },
    });
    expect((await post({ txs: [...txs, call] }, withKey)).status).toBe(200);
  });

  it.each([
    ['letters', 'r', 256],
    ['characters of four bytes', '\u{1F980}', 64],
    ['control characters, which take six bytes each', '\u0001', 42],
  ])('counts the bytes of a referrer: %s', async (_, character, most) => {
    expect(await bytesOf({ ...LARGEST, referrer: character.repeat(most) })).toBeLessThan(MAX_BYTES);
    for (const path of ['/quote/v2', '/price']) {
      const refused = await post({ referrer: character.repeat(most + 1) }, {}, path);
      expect(refused).toMatchObject({
        status: 400,
        body: { errorCode: 'INVALID_REQUEST', retriable: false, errorData: { field: 'referrer' } },
      });
    }
  });

  it('is left to callers with a key, whom one can ask', async () => {
    expect((await post({ referrer: 'r'.repeat(1_024) }, withKey)).status).toBe(200);
    expect((await post({ referrer: 'r'.repeat(1_025) }, withKey)).body.errorData.field).toBe('referrer');
  });
});
