import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hash, requestOf, transactionOf } from './support/rows.js';
import { API_KEY, ask, type RunningApi, runningApi, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const list = (query: string) => api.call('GET', `/requests/v3?${query}`, withKey);
const idsOf = async (query: string) => (await list(query)).body.requests.map(({ id }: { id: string }) => id);
const written = (filters: unknown) => encodeURIComponent(JSON.stringify(filters));

/** One test per dated line that concerns this service. */
describe('breaking changes', () => {
  it('2026-07-02: includeProtocolSignature yields no signature, includeProtocolData does', async () => {
    for (const path of ['/quote/v2', '/quote']) {
      const signatureOf = async (change: object) =>
        (await api.call('POST', path, { body: ask({ ...change }) })).body.protocol.v2.orderSignature;
      expect(await signatureOf({ includeProtocolSignature: true })).toBeUndefined();
      expect(await signatureOf({ includeProtocolData: true })).toMatch(/^0x[0-9a-f]{130}$/);
    }
  });

  it.each(['slippageTolerance', 'latePaymentSlippageTolerance'])(
    '2026-06-23: %s is an integer string',
    async (field) => {
      for (const path of ['/quote/v2', '/quote', '/price']) {
        const asked = (value: unknown) => api.call('POST', path, { body: ask({ [field]: value }) });
        for (const wrong of ['0.5', '10001', '-1', '', '1e2']) {
          const body = { errorCode: 'INVALID_SLIPPAGE_TOLERANCE' };
          expect(await asked(wrong), `${path} ${wrong}`).toMatchObject({ status: 400, body });
        }
        expect((await asked('0')).status).toBe(200);
        expect((await asked('10000')).status, path).toBeLessThan(500);
      }
    },
  );
});

describe('changes of behaviour', () => {
  it('2026-06-10: a deposit that was reorged out is a failure in inTxs', async () => {
    const { id } = await requestOf(api, {}, { status: 'failure', failReason: 'DEPOSIT_REORGED' });
    const seen = { txHash: hash(0x610), status: 'success' };
    await transactionOf(api, id, 'deposit', 0x610, { status: 'failure', entry: JSON.stringify(seen) });
    const [{ data }] = (await list(`id=${id}`)).body.requests;
    expect(data).toMatchObject({ failReason: 'DEPOSIT_REORGED', inTxs: [{ txHash: hash(0x610), status: 'failure' }] });
  });
});

describe('additions', () => {
  it('2026-08-19: referrer filters, paired with apiKey', async () => {
    const { id } = await requestOf(api, { referrer: 'shop-819' }, { keyId: 'key-1' });
    expect((await list('referrer=shop-819')).status).toBe(400);
    expect((await list('referrer=shop-819&apiKey=unknown-key')).status).toBe(403);
    expect(await idsOf(`referrer=shop-819&apiKey=${API_KEY}`)).toEqual([id]);
  });

  it('2026-08-07: the status reports both reasons', async () => {
    const reasons = { failReason: 'SLIPPAGE', refundFailReason: 'MANUAL_REFUND_REQUIRED' } as const;
    const { id } = await requestOf(api, {}, { status: 'failure', ...reasons });
    const other = await requestOf(api, {}, { status: 'pending' });
    const statusOf = async (one: string) => (await api.call('GET', `/intents/status/v3?requestId=${one}`)).body;
    expect(await statusOf(id)).toMatchObject(reasons);
    expect(await statusOf(other.id)).toMatchObject({ failReason: 'N/A', refundFailReason: 'N/A' });
  });

  it('2026-08-06: apiKeyName, for the owner who asks for it', async () => {
    const { id } = await requestOf(api, {}, { keyId: 'key-1' });
    const dataOf = async (more: string) => (await list(`id=${id}${more}`)).body.requests[0].data;
    expect(await dataOf('')).not.toHaveProperty('apiKeyName');
    expect(await dataOf('&includeAuthenticatedData=true')).toMatchObject({ apiKeyName: 'tests' });
  });

  it('2026-08-04: null-checks in filters', async () => {
    const referred = await requestOf(api, { referrer: 'shop-804' }, { keyId: 'key-1' });
    const failed = await requestOf(api, {}, { status: 'failure', failReason: 'NO_QUOTES' });
    const among = async (filter: object) => new Set(await idsOf(`limit=50&filters=${written([filter])}`));
    const [none, some] = [await among({ failReason: null }), await among({ 'not:failReason': null })];
    expect([none.has(referred.id), none.has(failed.id)]).toEqual([true, false]);
    expect([some.has(referred.id), some.has(failed.id)]).toEqual([false, true]);
    expect((await list(`filters=${written([{ status: [null, 'success'] }])}`)).status).toBe(400);
  });

  it('2026-08-03: includeTotal counts all, whatever the page', async () => {
    const [one] = [await requestOf(api), await requestOf(api)];
    const { body } = await list(`limit=1&user=${one.user}&includeTotal=true`);
    expect(body.requests).toHaveLength(1);
    expect(body.total).toBe((await idsOf(`limit=50&user=${one.user}`)).length);
    expect((await list('limit=1')).body).not.toHaveProperty('total');
  });

  it.each(['TRANSACTION_SUBMISSION_FAILED', 'TRANSACTION_NOT_INCLUDED'] as const)(
    '2026-07-27: %s is shown and found',
    async (failReason) => {
      const { id } = await requestOf(api, {}, { status: 'failure', failReason });
      expect(await idsOf(`failReason=${failReason}`)).toEqual([id]);
      expect((await list(`id=${id}`)).body.requests[0].data.failReason).toBe(failReason);
    },
  );
});
