import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApiDeps } from '../../src/api/index.js';
import { TOKEN } from './support/chain-double.js';
import { hash, requestOf, transactionOf } from './support/rows.js';
import { API_KEY, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

const OPTIONS: ApiDeps['options'] = { anonymousRead: 'off', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] };

const BEFORE = Date.UTC(2026, 6, 21, 23, 59, 59, 999);
const DEPRECATED = Date.UTC(2026, 6, 22);
const BETWEEN = Date.UTC(2026, 8, 22);
const LAST = Date.UTC(2026, 10, 23, 23, 59, 59, 999);
const SUNSET = Date.UTC(2026, 10, 24);

const WHERE = { successor: '/requests/v3', migrationGuide: '/docs#requestsV2' };

async function apiAt(
  at: number,
  rateLimits: ApiDeps['options']['rateLimits'] = {},
): Promise<RunningApi & { readonly time: { at: number } }> {
  const time = { at };
  const clock = { now: () => time.at, monotonic: () => time.at, sleep: async () => undefined, every: () => () => {} };
  const api = await runningApi({ clock, options: { ...OPTIONS, rateLimits } });
  onTestFinished(() => api.close());
  return Object.assign(api, { time });
}

const marked = ({ headers }: { readonly headers: Headers }) => ({
  deprecation: headers.get('deprecation'),
  sunset: headers.get('sunset'),
  link: headers.get('link'),
});

const MARKS = {
  deprecation: '@1784678400',
  sunset: 'Tue, 24 Nov 2026 00:00:00 GMT',
  link:
    '</docs#requestsV2>; rel="deprecation"; type="text/html", </docs#requestsV2>; rel="sunset"; type="text/html", ' +
    '</requests/v3>; rel="successor-version"',
};

describe.each(['/requests/v2', '/requests'])('GET %s', (path) => {
  it('carries no notice before the day of deprecation, and one from then on', async () => {
    const api = await apiAt(BEFORE);
    const early = await api.call('GET', path, withKey);
    expect(early).toMatchObject({ status: 200, body: { requests: [] } });
    expect(early.body).not.toHaveProperty('deprecation');
    api.time.at = DEPRECATED;
    expect((await api.call('GET', path, withKey)).body.deprecation).toEqual({
      message: 'This version is deprecated and ends on 2026-11-24; use /requests/v3',
      deprecatedAt: '2026-07-22T00:00:00.000Z',
      throttledFrom: '2026-08-22T00:00:00.000Z',
      sunsetAt: '2026-11-24T00:00:00.000Z',
      ...WHERE,
    });
  });

  it('answers until the last moment, and 410 from the sunset on, no matter who asks and however often', async () => {
    const api = await apiAt(LAST, { legacyRequests: { default: { requests: 4, seconds: 60 } } });
    expect((await api.call('GET', path, withKey)).status).toBe(200);
    api.time.at = SUNSET;
    const wrong = { headers: { 'x-api-key': 'x' } };
    for (const [search, options] of [
      ['', withKey],
      ['', {}],
      ['', wrong],
      ['?limit=x', withKey],
    ] as const) {
      const reply = await api.call('GET', `${path}${search}`, options);
      expect(reply).toMatchObject({ status: 410, body: { statusCode: 410, errorData: WHERE } });
      expect(reply.body.message).toContain('ended on 2026-11-24');
      expect(marked(reply)).toEqual(MARKS);
    }
  });

  it.each([
    ['of a page', { origin: 'https://app.example' }],
    ['without an origin', {}],
  ] as const)('marks every answer to a request %s, and lets browsers read the marks', async (_, origin) => {
    const api = await apiAt(BETWEEN, { legacyRequests: { default: { requests: 4, seconds: 60 } } });
    const statuses: number[] = [];
    for (const [search, headers] of [
      ['', { 'x-api-key': API_KEY }],
      ['?limit=x', { 'x-api-key': API_KEY }],
      ['', { 'x-api-key': API_KEY }],
      ['', {}],
      ['', { 'x-api-key': 'x' }],
    ] as const) {
      const reply = await api.call('GET', `${path}${search}`, { headers: { ...headers, ...origin } });
      statuses.push(reply.status);
      expect(marked(reply)).toEqual(MARKS);
      const exposed = reply.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
    }
    await api.store.close();
    const broken = await api.call('GET', path, { headers: { 'x-api-key': 'unknown-0123456789', ...origin } });
    statuses.push(broken.status);
    expect(marked(broken)).toEqual(MARKS);
    expect(statuses.slice(0, 5)).toEqual([200, 400, 429, 401, 401]);
    expect(broken.status).toBeGreaterThanOrEqual(500);
    await api.store.open();
  });

  it('is throttled step by step, and says where to go instead of when to return', async () => {
    const api = await apiAt(BEFORE, { legacyRequests: { default: { requests: 4, seconds: 60 } } });
    const allowed = async (at: number) => {
      api.time.at = at;
      let count = 0;
      for (;;) {
        const reply = await api.call('GET', path, withKey);
        if (reply.status === 200) count += 1;
        else {
          expect(reply.status).toBe(429);
          expect(reply.body).toEqual({ message: expect.stringContaining('/requests/v3'), ...WHERE });
          expect(reply.headers.get('retry-after')).toBeNull();
          return count;
        }
      }
    };
    expect(await allowed(BEFORE)).toBe(4);
    expect(await allowed(Date.UTC(2026, 7, 21))).toBe(4);
    expect(await allowed(Date.UTC(2026, 7, 22))).toBe(3);
    expect(await allowed(BETWEEN)).toBe(2);
    expect(await allowed(Date.UTC(2026, 9, 22))).toBe(1);
  });

  it('shows a request in the older shape', async () => {
    const api = await apiAt(BETWEEN);
    const request = await requestOf(
      api,
      { appFees: [{ recipient: USER, fee: '100' }], referrer: 'shop' },
      {
        status: 'success',
        keyId: 'key-1',
        actual: JSON.stringify({ amountIn: '100000000', currencyIn: TOKEN, amountOut: '98650000' }),
      },
    );
    await transactionOf(api, request.id, 'deposit', 31);
    await transactionOf(api, request.id, 'fill', 32);
    const now = (await api.call('GET', `/requests/v3?id=${request.id}`, withKey)).body.requests[0];
    const [old] = (await api.call('GET', `${path}?id=${request.id}`, withKey)).body.requests;
    const { data } = now;
    expect(old).toEqual({
      id: request.id,
      status: 'success',
      user: USER,
      recipient: now.recipient,
      depositAddress: null,
      referrer: 'shop',
      createdAt: now.createdAt,
      updatedAt: now.updatedAt,
      data: {
        slippageTolerance: '50',
        failReason: 'N/A',
        refundFailReason: 'N/A',
        fees: {
          gas: data.fees.actual.execution.amount,
          fixed: '0',
          price: data.fees.actual.platform.amount,
          gateway: '0',
        },
        feesUsd: {
          gas: data.fees.actual.execution.usd,
          fixed: '0',
          price: data.fees.actual.platform.usd,
          gateway: '0',
        },
        inTxs: [expect.objectContaining({ hash: hash(31), block: 31, chainId: 1, status: 'success' })],
        outTxs: [expect.objectContaining({ hash: hash(32), block: 32, chainId: 2, status: 'success' })],
        currency: 'usdc',
        feeCurrency: 'usdc',
        feeCurrencyObject: data.fees.currency,
        appFees: data.appFees.quoted,
        paidAppFees: data.appFees.actual,
        feeSponsorship: { quoted: expect.any(Object), actual: expect.any(Object) },
        metadata: {
          sender: USER,
          recipient: now.recipient,
          currencyIn: data.route.actual.origin.inputCurrency,
          currencyOut: data.route.actual.destination.outputCurrency,
          rate: '0.9865',
          route: { origin: data.route.actual.origin, destination: data.route.actual.destination },
        },
        price: '98.65',
        usesExternalLiquidity: false,
        timeEstimate: data.timeEstimate,
      },
    });
    expect(old.data.inTxs[0]).not.toHaveProperty('txHash');
    expect(old.data.paidAppFees).toHaveLength(1);
  });

  it('reports what was quoted where nothing was delivered, the reason, and no referrer of others', async () => {
    const api = await apiAt(BETWEEN);
    const request = await requestOf(api, { referrer: 'shop' }, { status: 'failure', failReason: 'NO_QUOTES' });
    const now = (await api.call('GET', `/requests/v3?id=${request.id}`, withKey)).body.requests[0];
    const [old] = (await api.call('GET', `${path}?id=${request.id}`, withKey)).body.requests;
    expect(old).toMatchObject({ referrer: null, data: { failReason: 'NO_QUOTES', paidAppFees: [] } });
    expect(old.data.metadata.route).toEqual(now.data.route.quoted);
  });

  it('finds by the hash of any side, by the newer conditions, and pages', async () => {
    const api = await apiAt(BETWEEN);
    const [one, two, three] = [await requestOf(api), await requestOf(api), await requestOf(api)];
    await transactionOf(api, one.id, 'deposit', 41);
    await transactionOf(api, two.id, 'fill', 42);
    await transactionOf(api, three.id, 'refund', 43);
    const ids = async (search: string) =>
      (await api.call('GET', `${path}?${search}`, withKey)).body.requests.map(({ id }: { id: string }) => id);
    expect(await ids(`hash=${hash(41)}`)).toEqual([one.id]);
    expect(await ids(`hash=${hash(42).toUpperCase().replace('0X', '0x')}`)).toEqual([two.id]);
    expect(await ids(`hash=${hash(43)}`)).toEqual([three.id]);
    expect(await ids(`hash=${hash(43)}&id=${one.id}`)).toEqual([]);
    expect(await ids(`orderId=${two.orderId}`)).toEqual([two.id]);
    // Parameters of the newer version are ignored like unknown ones.
    expect(await ids(`includeTotal=true&filters=x&term=${one.id}`)).toHaveLength(3);
    const page = await api.call('GET', `${path}?limit=2`, withKey);
    const rest = await ids(`limit=2&continuation=${page.body.continuation}`);
    expect([...page.body.requests.map(({ id }: { id: string }) => id), ...rest].sort()).toEqual(
      [one.id, two.id, three.id].sort(),
    );
    expect((await api.call('GET', `${path}?sortBy=amountUsd`, withKey)).status).toBe(400);
    expect((await api.call('GET', `${path}?referrer=shop`, withKey)).status).toBe(400);
  });

  it('needs a key as the newer version does', async () => {
    const clock = { now: () => BETWEEN, monotonic: () => 0, sleep: async () => undefined, every: () => () => {} };
    const api = await runningApi({ clock, options: { ...OPTIONS, anonymousRead: 'by-user-or-id' } });
    onTestFinished(() => api.close());
    const status = async (search: string) => (await api.call('GET', `${path}${search}`)).status;
    expect([await status(''), await status(`?user=${USER}`), await status('?id=x')]).toEqual([401, 200, 200]);
  });
});
