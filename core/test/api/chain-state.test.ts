import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LiquiditySource } from '../../src/contract/index.js';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { address, CHECKED_TOKEN, INVENTORY, NATIVE, TOKEN } from './support/chain-double.js';
import { ADMIN_KEY, POLICY, type RunningApi, USER } from './support/running-api.js';

const source = (id: string, chain: number) => ({ id, supports: (asked: number) => asked === chain }) as LiquiditySource;

let api: RunningApi;
beforeAll(async () => {
  api = await catalogApi({
    liquidity: () => [source('one', 1), source('two', 2), source('secret', HIDDEN_ID)],
    policy: { ...POLICY, limits: { ...POLICY.limits, maxRequestMicroUsd: 5_000_000_000n } },
    options: {
      anonymousRead: 'off',
      rateLimits: {},
      corsOrigins: ['*'],
      trustedProxies: [],
      // Two requests may come within a millisecond.
      payerBalances: { waitMs: 1_000, perSecond: 1_000_000 },
    },
  });
});
afterEach(() => api.reset());
afterAll(() => api.close());

const withGrant = { headers: { 'x-api-key': KEY_WITH_GRANT } };
const get = async (path: string, options = {}) => (await api.call('GET', path, options)).body;

describe('GET /chains/health', () => {
  it('is what the chain says of itself', async () => {
    expect(await get('/chains/health?chainId=1')).toEqual({ healthy: true });
    api.a.state.healthy = false;
    expect(await get('/chains/health?chainId=1')).toEqual({ healthy: false });
    expect(await get('/chains/health?chainId=2')).toEqual({ healthy: true });
  });

  it.each(['health', 'liquidity'])(
    '%s: 400 without a chain, or with one that the caller may not know of',
    async (name) => {
      expect(await api.call('GET', `/chains/${name}`)).toMatchObject({
        status: 400,
        body: { errorCode: 'INVALID_REQUEST' },
      });
      for (const id of [99, HIDDEN_ID]) {
        expect(await api.call('GET', `/chains/${name}?chainId=${id}`)).toMatchObject({
          status: 400,
          body: { message: `Chain ${id} is not served`, errorCode: 'UNSUPPORTED_CHAIN' },
        });
      }
      expect((await api.call('GET', `/chains/${name}?chainId=${HIDDEN_ID}`, withGrant)).status).toBe(200);
    },
  );
});

describe('GET /chains/liquidity', () => {
  it('reports for each currency what can be delivered now, and its value', async () => {
    api.engine.available = 2_500_000n;
    Reflect.deleteProperty(api.prices, 'block');
    const { liquidity } = await get('/chains/liquidity?chainId=2');
    expect(liquidity).toHaveLength(4);
    expect(liquidity[1]).toEqual({
      chainId: 2,
      currencyId: 'usdc',
      symbol: 'USDC',
      address: TOKEN,
      decimals: 6,
      balance: '2500000',
      amountUsd: '2.500000',
    });
    expect(liquidity[3]).toMatchObject({ address: CHECKED_TOKEN, balance: '2500000', amountUsd: '0' });
  });
});

describe('GET /swap-sources', () => {
  it('names the sources of the chains that the caller may know of', async () => {
    expect(await get('/swap-sources')).toEqual({ sources: ['one', 'two'] });
    expect(await get('/swap-sources', withGrant)).toEqual({ sources: ['one', 'two', 'secret'] });
    expect(await get('/swap-sources?chainId=2')).toEqual({ sources: ['two'] });
    expect((await api.call('GET', '/swap-sources?chainId=99')).status).toBe(400);
  });
});

describe('GET /config/v2', () => {
  const ROUTE = '/config/v2?originChainId=1&destinationChainId=2';

  it('reports the native coin of the origin unless another is asked for', async () => {
    api.engine.available = 10n ** 18n;
    expect(await get(ROUTE)).toEqual({
      enabled: true,
      user: { maxBridgeAmount: '1000000000000000000' },
      fee: '5',
      solver: {
        address: INVENTORY,
        balance: '1000000000000000000',
        capacityPerRequest: '1000000000000000000',
      },
      supportsExternalLiquidity: true,
    });
    for (const currency of ['usdc', TOKEN]) {
      // Per-request maximum: 5000 USD.
      expect((await get(`${ROUTE}&currency=${currency}`)).solver.capacityPerRequest).toBe('5000000000');
    }
  });

  it('reports swaps where the destination has a source, and makes the calls of one', async () => {
    const supported = async (path = ROUTE) => (await get(path)).supportsExternalLiquidity;
    expect(await supported()).toBe(true);
    api.b.state.calls = undefined;
    expect(await supported()).toBe(false);
    expect(await supported('/config/v2?originChainId=2&destinationChainId=1')).toBe(true);
  });

  it('takes the fee of the route', async () => {
    expect((await get('/config/v2?originChainId=2&destinationChainId=1')).fee).toBe('10');
  });

  it("bounds what a user may send by the user's balance and by what one request may take", async () => {
    api.a.state.balance = async () => 7_000_000n;
    const small = await get(`${ROUTE}&currency=usdc&user=${USER}`);
    expect(small.user).toEqual({ balance: '7000000', maxBridgeAmount: '7000000' });
    api.a.state.balance = async () => 10n ** 30n;
    const large = await get(`${ROUTE}&currency=usdc&user=${address('4')}`);
    expect(large.user).toEqual({ balance: (10n ** 30n).toString(), maxBridgeAmount: '5000000000' });
  });

  it('reports no balance that is not known', async () => {
    const { user } = await get(`${ROUTE}&currency=usdc&user=${address('6')}`);
    expect(user).toEqual({ maxBridgeAmount: '5000000000' });
  });

  it('is not enabled while a quote would be refused', async () => {
    const enabled = async (path = ROUTE) => (await get(path)).enabled;
    api.engine.paused = 'route';
    expect(await enabled()).toBe(false);
    api.reset();
    api.b.state.healthy = false;
    expect(await enabled()).toBe(false);
    api.reset();
    api.prices['ether'] = 'stale';
    expect(await enabled()).toBe(false);
    api.reset();
    expect(await enabled('/config/v2?originChainId=1&destinationChainId=1')).toBe(false);
    expect(await enabled()).toBe(true);
  });

  it('refuses what is not there', async () => {
    const rows = [
      [`${ROUTE}&currency=${address('5')}`, 'UNSUPPORTED_CURRENCY', 'currency'],
      [`${ROUTE}&currency=nothing`, 'UNSUPPORTED_CURRENCY', 'currency'],
      [`${ROUTE}&user=x`, 'INVALID_REQUEST', 'user'],
      ['/config/v2?originChainId=1', 'INVALID_REQUEST', 'destinationChainId'],
      [`/config/v2?originChainId=${HIDDEN_ID}&destinationChainId=1`, 'UNSUPPORTED_CHAIN', 'originChainId'],
      ['/config/v2?originChainId=1&destinationChainId=99', 'UNSUPPORTED_CHAIN', 'destinationChainId'],
    ] as const;
    for (const [path, errorCode, field] of rows) {
      expect(await api.call('GET', path), path).toMatchObject({
        status: 400,
        body: { errorCode, errorData: { field } },
      });
    }
    expect((await get(`${ROUTE}&currency=${NATIVE}`)).enabled).toBe(true);
  });
});

describe('GET /lives', () => {
  it('asks the database nothing when asked to, and reports nothing of it', async () => {
    const full = await get('/lives?withReport=true&skipRedis=true');
    expect(full.report).toHaveProperty('database.healthy', true);
    const { status, report } = await get('/lives?withReport=true&skipPostgres=true');
    expect(status).toBe('ok');
    expect(report).not.toHaveProperty('database');
  });

  it('names private chains to operators, and to third parties only with a key that was granted them', async () => {
    const ids = async (headers: Record<string, string>) => {
      const { report } = await get('/lives?withReport=true', { headers });
      return report.chains.map(({ id }: { id: number }) => id);
    };
    expect(await ids({ 'x-admin-key': ADMIN_KEY })).toEqual([1, 2, HIDDEN_ID]);
    expect(await ids({})).toEqual([1, 2]);
    expect(await ids(withGrant.headers)).toEqual([1, 2, HIDDEN_ID]);
  });
});
