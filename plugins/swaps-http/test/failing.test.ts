import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type AggregatorServer, answerTo, json, ROUTER, serveJson, written } from './support/aggregator-server.js';
import { build, endAll, kept, QUICK, quoted, quoteOf, started, wish } from './support/asking.js';
import { clock, until } from './support/services.js';

afterEach(endAll);

describe('an aggregator that fails', () => {
  const hows: readonly [string, string, (server: AggregatorServer) => void][] = [
    ['says nothing', 'no answer within 250 ms', (s) => (s.instead = () => undefined)],
    ['drips', 'no whole answer within 300 ms', (s) => (s.instead = (_, r) => drip(r))],
    ['never ends', 'longer than 2000 bytes', (s) => (s.instead = (_, r) => flood(r))],
    ['sends elsewhere', 'status 302', (s) => (s.instead = (_, r) => r.writeHead(302, { location: s.url }).end())],
    ['is broken', 'status 500', (s) => (s.instead = (_, r) => json(r, '{}', 500))],
    ['knows no such key', 'status 401', (s) => (s.instead = (_, r) => json(r, '{}', 401))],
    ['answers an empty object', 'does not say amountOut', (s) => (s.instead = (_, r) => json(r, '{}'))],
    ['answers something else', 'does not say amountOut', (s) => (s.instead = (_, r) => json(r, '{"result":{}}'))],
    ['answers no JSON', 'not JSON', (s) => (s.instead = (_, r) => json(r, '<html>'))],
    ['breaks off', 'ECONNRESET', (s) => (s.instead = (_, r) => breakOff(r))],
    ['hangs up', 'ECONNRESET', (s) => (s.instead = (_, r) => r.destroy())],
    ['compresses', 'compresses', (s) => (s.instead = (_, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end())],
  ];
  const drip = (response: { write(text: string): void; readonly destroyed: boolean }) => {
    const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(' ')), 20);
  };
  const flood = (response: { write(text: string): void; readonly destroyed: boolean }) => {
    const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write('x'.repeat(1_000))), 1);
  };
  const breakOff = (response: { write(text: string): void; destroy(): void }) => {
    response.write('{"in":');
    setTimeout(() => response.destroy(), 20);
  };

  it.each(hows)('%s: is unavailable, in time, and let go of', async (_, why, fail) => {
    const server = kept(await serveJson());
    const plugin = started(server, { maxBytes: 2_000, timeouts: QUICK });
    fail(server);
    const before = performance.now();
    expect(await quoted(plugin)).toMatchObject({
      ok: false,
      why: 'unavailable',
      message: expect.stringContaining(why),
    });
    expect(performance.now() - before).toBeLessThan(1_000);
    await until('it to let go', () => server.pending() === 0);
    // A redirect never repeats the request.
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['quotes that say nothing', 'quote', '{}'],
    ['builds that say nothing', 'build', '{}'],
    ['builds without data', 'build', `{"to":"${ROUTER}"}`],
    ['builds that are no JSON', 'build', 'soon'],
  ] as const)('is left alone after answers in a row that no one can read: %s', async (_, stage, body) => {
    const server = kept(await serveJson());
    const plugin = started(server);
    const quote = await quoteOf(plugin);
    server.instead = (_request, response) => json(response, body);
    for (let n = 1; n <= 3; n += 1) {
      const said = stage === 'quote' ? quoted(plugin, wish({ amount: BigInt(n) })) : build(plugin, wish(), quote);
      expect(await said).toMatchObject({ ok: false, why: 'unavailable' });
    }
    expect(plugin.gauges.get('circuit_open')).toBe(1);
    expect(plugin.alerts.has('circuit-open')).toBe(true);
    const before = server.asked.length;
    expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'unavailable' });
    expect(server.asked).toHaveLength(before);
  });

  it('is left alone after failures in a row, tried with one question, and asked again once that works', async () => {
    const server = kept(await serveJson());
    const plugin = started(server);
    server.instead = (_, response) => json(response, '{}', 500);
    for (let n = 1; n <= 3; n += 1) await quoted(plugin, wish({ amount: BigInt(n) }));
    expect(plugin.alerts.get('circuit-open')).toMatch(/failed 3 times .* status 500/);
    expect(plugin.gauges.get('circuit_open')).toBe(1);
    for (let n = 1; n <= 5; n += 1) expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'unavailable' });
    expect(server.asked).toHaveLength(3);
    await delay(160);
    const trial = await Promise.all([1n, 2n, 3n, 4n].map((amount) => quoted(plugin, wish({ amount }))));
    expect(trial.filter(({ ok }) => !ok)).toHaveLength(4);
    expect(server.asked).toHaveLength(4);
    // The failed trial doubles the pause.
    await delay(200);
    server.instead = undefined;
    await quoted(plugin);
    expect(server.asked).toHaveLength(4);
    await delay(120);
    expect(await quoted(plugin)).toMatchObject({ ok: true });
    expect(plugin.alerts.size).toBe(0);
    expect(plugin.gauges.get('circuit_open')).toBe(0);
  });

  it('is not asked while it asks for a pause, which is believed within bounds', async () => {
    const server = kept(await serveJson());
    const plugin = started(server);
    server.instead = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
    await quoted(plugin);
    server.instead = undefined;
    expect(await quoted(plugin)).toMatchObject({ ok: false });
    expect(server.asked).toHaveLength(1);
    await delay(310);
    expect(await quoted(plugin)).toMatchObject({ ok: true });
  });

  it('does not fail by what a third party takes back, and lets go of that at once', async () => {
    const server = kept(await serveJson());
    const plugin = started(server);
    server.instead = () => undefined;
    for (let n = 0; n < 5; n += 1) {
      const leaving = new AbortController();
      const answer = quoted(plugin, wish(), leaving.signal);
      await until('the question', () => server.asked.length === n + 1);
      leaving.abort();
      const before = performance.now();
      expect(await answer).toMatchObject({ ok: false, why: 'unavailable' });
      expect(performance.now() - before).toBeLessThan(100);
    }
    await until('it to let go', () => server.pending() === 0);
    server.instead = undefined;
    expect(await quoted(plugin)).toMatchObject({ ok: true });
  });

  it('goes on for those who stay when one leaves', async () => {
    const server = kept(await serveJson());
    const plugin = started(server);
    server.instead = (request, response) => {
      const url = new URL(request.url ?? '', 'http://here');
      setTimeout(() => json(response, written(answerTo({ url }))), 100);
    };
    const leaving = new AbortController();
    const [gone, stays] = [quoted(plugin, wish(), leaving.signal), quoted(plugin)];
    setTimeout(() => leaving.abort(), 30);
    expect(await gone).toMatchObject({ ok: false });
    expect(await stays).toMatchObject({ ok: true });
    expect(server.asked).toHaveLength(1);
  });

  it('is asked by so many at once, lets so many wait, and turns the others away', async () => {
    const server = kept(await serveJson());
    const plugin = started(server, { room: { atOnce: 2, waiting: 3, perSecond: 1_000, burst: 1_000 } });
    let most = 0;
    server.instead = (request, response) => {
      most = Math.max(most, server.pending());
      const url = new URL(request.url ?? '', 'http://here');
      setTimeout(() => json(response, written(answerTo({ url }))), 50);
    };
    const all = await Promise.all(Array.from({ length: 9 }, (_, n) => quoted(plugin, wish({ amount: BigInt(n + 1) }))));
    expect(all.filter(({ ok }) => ok)).toHaveLength(5);
    expect(all.filter((one) => !one.ok && one.message.includes('it has too many requests'))).toHaveLength(4);
    expect([most, server.connections()]).toEqual([2, 2]);
  });

  it('is asked no more often than it may be', async () => {
    const server = kept(await serveJson());
    let now = 0;
    const stopped = { ...clock, monotonic: () => now };
    const plugin = started(server, { room: { atOnce: 9, waiting: 9, perSecond: 10, burst: 3 } }, { clock: stopped });
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => quoted(plugin, wish({ amount: BigInt(n + 1) }))));
    expect(all.filter(({ ok }) => ok)).toHaveLength(3);
    now += 150;
    expect(await quoted(plugin)).toMatchObject({ ok: true });
    expect(await quoted(plugin, wish({ amount: 9n }))).toMatchObject({ ok: false });
  });

  it('is let go of when the service stops', async () => {
    const server = kept(await serveJson());
    const plugin = started(server);
    server.instead = () => undefined;
    const answer = quoted(plugin);
    await until('the question', () => server.asked.length === 1);
    await plugin.stop();
    expect(await answer).toMatchObject({ ok: false, why: 'unavailable' });
    await until('it to let go', () => server.pending() === 0);
  });
});

describe('a name', () => {
  it('that leads to this machine is not asked, unless that is meant', async () => {
    const server = kept(await serveJson());
    const { port } = new URL(server.url);
    const inside = { url: `https://localhost:${port}` };
    const plugin = started(inside, {}, { network: 'mainnet' });
    expect(await quoted(plugin)).toMatchObject({ ok: false, message: expect.stringContaining('of this network') });
    expect(server.connections()).toBe(0);
    const meant = started({ url: `http://localhost:${port}` }, { allowInside: true }, { network: 'mainnet' });
    expect(await quoted(meant)).toMatchObject({ ok: true });
  });
});
