import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type FeedServer, type Prices, serve, serveShape } from './support/feed-server.js';
import { currency, type Registered, register, until } from './support/services.js';

const COIN = currency('coin');
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function gecko(prices: Prices): Promise<FeedServer> {
  const server = await serveShape('coingecko', prices);
  ends.push(() => server.stop());
  return server;
}

async function started(options: object, secrets: Readonly<Record<string, string>> = {}): Promise<Registered> {
  const plugin = register(
    {
      currencies: { coin: { ids: { one: 'coin' } } },
      minProviders: 1,
      jumpQuorum: 1,
      pollMs: 20,
      timeoutMs: 200,
      maxAgeMs: 60_000,
      backoff: { firstMs: 20, maxMs: 40 },
      breaker: { failures: 3, openMs: 150, maxOpenMs: 300 },
      ...options,
    },
    secrets,
  );
  ends.push(() => plugin.stop());
  await plugin.start();
  return plugin;
}

const one = (server: FeedServer, more: object = {}) => ({ id: 'one', shape: 'coingecko', url: server.url, ...more });
const usd = (plugin: Registered, of = COIN): unknown => {
  const price = plugin.source.price(of);
  return typeof price === 'object' ? price.usd : price;
};

describe('a provider', () => {
  it('is asked with its keys, for all ids at once, and each id once', async () => {
    const server = await gecko({ coin: '2', dollar: '1' });
    const plugin = await started(
      {
        providers: [one(server, { headers: { 'x-key': 'env:KEY', plain: 'text' }, query: { token: 'file:token' } })],
        currencies: {
          coin: { ids: { one: 'coin' } },
          dollar: { ids: { one: 'dollar' } },
          '1:0xcoin': { ids: { one: 'coin' } },
        },
      },
      { 'env:KEY': 'sesame', 'file:token': 'a b&c' },
    );
    const [first] = server.asked;
    expect(first?.path).toBe(
      '/simple/price?ids=coin,dollar&vs_currencies=usd&include_last_updated_at=true&precision=full&token=a b&c',
    );
    expect(first?.headers).toMatchObject({ 'x-key': 'sesame', plain: 'text', accept: 'application/json' });
    expect([COIN, currency('coin', '0xother'), currency('dollar')].map((of) => usd(plugin, of))).toEqual([
      '2',
      '2',
      '1',
    ]);
  });

  it('that does not answer keeps no one waiting for ever', async () => {
    const server = await serve(() => undefined);
    ends.push(() => server.stop());
    const before = performance.now();
    const plugin = await started({ providers: [one(server)], timeoutMs: 100 });
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(usd(plugin)).toBe('stale');
    expect(plugin.lines.join()).toContain('no whole answer within 100 ms');
  });

  it('that answers bit by bit is not waited for either', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => void response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    ends.push(() => server.stop());
    const plugin = await started({ providers: [one(server)], timeoutMs: 100 });
    expect(plugin.lines.join()).toContain('no whole answer within 100 ms');
  });

  it('that answers without end is not read to it', async () => {
    let written = 0;
    const server = await serve((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    ends.push(() => server.stop());
    const plugin = await started({ providers: [one(server)], maxBytes: 10_000, pollMs: 60_000, timeoutMs: 5_000 });
    expect(plugin.lines.join()).toContain('longer than 10000 bytes');
    expect(written).toBeLessThan(20_000_000);
  });

  it('that sends us elsewhere does not get our keys there', async () => {
    const elsewhere = await gecko({ coin: '666' });
    const server = await serve((request, response) => {
      response.writeHead(302, { location: `${elsewhere.url}${request.url}` }).end();
    });
    ends.push(() => server.stop());
    const plugin = await started({ providers: [one(server, { headers: { 'x-key': 'sesame' } })] });
    expect(usd(plugin)).toBe('stale');
    expect(elsewhere.asked).toEqual([]);
    expect(plugin.lines.join()).toContain('status 302');
  });

  it('is left alone after failures, tried with one request, and back at once', async () => {
    const server = await serveShape('coinbase', { a: '1', b: '2' });
    ends.push(() => server.stop());
    server.instead = (_, response) => void response.writeHead(500).end();
    const plugin = await started({
      providers: [one(server, { shape: 'coinbase' })],
      currencies: { coin: { ids: { one: 'a' } }, dollar: { ids: { one: 'b' } } },
    });
    await until('the circuit to open', () => plugin.alerts.has('provider-one'));
    expect(plugin.alerts.get('provider-one')).toMatch(
      /^price provider one \(127\.0\.0\.1:\d+\) failed 3 times: .*500$/,
    );
    expect(plugin.gauges.get('circuit_open one')).toBe(1);
    const asked = server.asked.length;
    expect(asked).toBe(6);
    await delay(100);
    expect(server.asked.length).toBe(asked);
    await until('a trial', () => server.asked.length > asked);
    await delay(20);
    expect(server.asked.length).toBe(asked + 1);
    server.instead = undefined;
    await until('prices', () => usd(plugin) === '1' && usd(plugin, currency('dollar')) === '2');
    expect(plugin.alerts.has('provider-one')).toBe(false);
    expect(plugin.gauges.get('circuit_open one')).toBe(0);
  });

  it('that asks us to slow down is obeyed', async () => {
    const server = await gecko({ coin: '1' });
    server.instead = (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end();
    const plugin = await started({
      providers: [one(server)],
      breaker: { failures: 3, openMs: 100, maxOpenMs: 5_000 },
    });
    expect(plugin.counts.get('failures one throttled')).toBe(1);
    await delay(700);
    expect(server.asked.length).toBe(1);
    await until('the next request', () => server.asked.length === 2, 1_000);
  });

  it('that knows one of two ids gives the price of that one, and the other is reported', async () => {
    const server = await serveShape('coinbase', { a: '1' });
    ends.push(() => server.stop());
    const plugin = await started({
      providers: [one(server, { shape: 'coinbase' })],
      currencies: { coin: { ids: { one: 'a' } }, dollar: { ids: { one: 'b' } } },
    });
    expect([usd(plugin), usd(plugin, currency('dollar'))]).toEqual(['1', 'stale']);
    expect(plugin.alerts.get('useless-one')).toContain('b (missing)');
    expect(plugin.alerts.has('price-dollar')).toBe(true);
    expect(plugin.counts.has('failures one failed')).toBe(false);
  });

  it('whose prices are old gives none', async () => {
    const server = await serveShape('coingecko', { coin: '1' }, () => Date.now() - 60_000);
    ends.push(() => server.stop());
    const plugin = await started({ providers: [one(server)], maxAgeMs: 50_000 });
    expect(usd(plugin)).toBe('stale');
    expect(plugin.counts.get('answers one old')).toBeGreaterThan(0);
    expect(plugin.alerts.get('useless-one')).toContain('coin (old)');
    const patient = await started({ providers: [one(server, { maxAgeMs: 90_000 })], maxAgeMs: 50_000 });
    expect(usd(patient)).toBe('1');
  });

  it('never shows its keys, nor a URL, in logs and alerts', async () => {
    const server = await gecko({ coin: '1' });
    server.instead = (_, response) => void response.writeHead(401).end('who are you, sesame?');
    const plugin = await started(
      { providers: [one(server, { query: { token: 'env:KEY' } })] },
      { 'env:KEY': 'sesame' },
    );
    await until('the circuit to open', () => plugin.alerts.has('provider-one'));
    const said = [...plugin.lines, ...plugin.alerts.values()].join('\n');
    expect(said).toContain('status 401');
    expect(said).not.toMatch(/sesame|token|http:/);
  });

  it('is not asked any more after the stop, and a request under way ends', async () => {
    const server = await serve(() => undefined);
    ends.push(() => server.stop());
    const plugin = register({
      providers: [one(server)],
      currencies: { coin: { ids: { one: 'coin' } } },
      minProviders: 1,
      timeoutMs: 60_000,
    });
    const start = plugin.start();
    await until('a request', () => server.asked.length === 1);
    const before = performance.now();
    await plugin.stop();
    expect(performance.now() - before).toBeLessThan(1_000);
    await start;
    expect(server.asked.length).toBe(1);
  });
});

describe('several providers', () => {
  const three = (servers: readonly FeedServer[], more: object = {}) => ({
    providers: servers.map(({ url }, n) => ({ id: `p${n}`, shape: 'coingecko', url })),
    currencies: { coin: { ids: { p0: 'coin', p1: 'coin', p2: 'coin' } } },
    minProviders: 2,
    jumpQuorum: 3,
    ...more,
  });

  it('outvote one that lies, and one that is silent', async () => {
    const liar = await gecko({ coin: '1' });
    const servers = [await gecko({ coin: '3000' }), await gecko({ coin: '3010' }), liar];
    const plugin = await started(three(servers));
    expect(usd(plugin)).toBe('3005');
    expect(plugin.alerts.get('outlier-coin-p2')).toContain('p2 says 1 USD');
    liar.instead = (_, response) => void response.destroy();
    await delay(100);
    expect(usd(plugin)).toBe('3005');
  });

  it('must all confirm a jump, where the quorum says so', async () => {
    const prices = [{ coin: '100' }, { coin: '100' }, { coin: '100' }];
    const servers = await Promise.all(prices.map(gecko));
    const plugin = await started(three(servers));
    expect(usd(plugin)).toBe('100');
    for (const known of prices.slice(0, 2)) known.coin = '200';
    await until('the jump to be held', () => plugin.alerts.has('jump-coin'));
    expect(usd(plugin)).toBe('stale');
    for (const known of prices) known.coin = '201';
    await until('the jump to be believed', () => usd(plugin) === '201');
    expect(plugin.alerts.has('jump-coin')).toBe(false);
  });

  it('may report a price in another currency', async () => {
    const exchange = await serveShape('binance', { COINUSDT: '3000.1' });
    ends.push(() => exchange.stop());
    const servers = [await gecko({ tether: '0.9997' })];
    const plugin = await started({
      providers: [one(servers[0] as FeedServer), { id: 'exchange', shape: 'binance', url: exchange.url }],
      currencies: {
        coin: { ids: { exchange: { id: 'COINUSDT', in: 'tether' } } },
        tether: { ids: { one: 'tether' } },
      },
    });
    await until('a price', () => usd(plugin) === '2999.19997');
  });

  it('of a shape of their own are read by its pointers', async () => {
    const server = await serve((_, response) => {
      const at = Date.now();
      response.end(
        `{"ok":true,"rows":[{"sym":"C","q":{"mid":"7.25"},"ms":${at}},{"sym":"D","q":{"mid":1.5},"ms":${at}}]}`,
      );
    });
    ends.push(() => server.stop());
    const json = {
      path: '/all?s={ids}',
      list: '/rows',
      listId: '/sym',
      price: '/q/mid',
      at: '/ms',
      atUnit: 'milliseconds',
    };
    const plugin = await started({
      providers: [{ id: 'one', shape: 'json', url: `${server.url}/v1/`, json }],
      currencies: { coin: { ids: { one: 'C' } }, dollar: { ids: { one: 'D' } } },
    });
    expect([usd(plugin), usd(plugin, currency('dollar'))]).toEqual(['7.25', '1.5']);
    expect(server.asked[0]?.path).toBe('/v1/all?s=C,D');
  });
});
