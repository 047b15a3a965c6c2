import { setTimeout as delay } from 'node:timers/promises';
import type { Currency } from '@causeway/core';
import { type PriceHarness, priceConformance, runConformance } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import type { PresetName } from '../src/shapes/presets.js';
import { type Prices, serveShape } from './support/feed-server.js';
import { clock, currency, register } from './support/services.js';

const STALE_MS = 2_000;
const POLL_MS = 20;
const [COIN, DOLLAR, OTHER] = [currency('coin'), currency('dollar'), currency('other')];
const SHAPES = ['coingecko', 'defillama', 'coinbase', 'binance', 'kraken'] as const satisfies readonly PresetName[];

async function harness(): Promise<PriceHarness> {
  const prices: Prices = { coin: '3021.57', dollar: '0.9998' };
  let now = (): number => Date.now();
  const servers = await Promise.all(SHAPES.map((shape) => serveShape(shape, prices, () => now())));
  now = () => Math.ceil(Date.now() / 1000) * 1000;
  const nonsense = ['-1', '0', '"1e"', '"NaN"', 'null', '{}', '""', '[]'];
  const ids = Object.fromEntries(SHAPES.map((shape) => [shape, 'coin']));
  const plugin = register({
    providers: SHAPES.map((shape, n) => ({ id: shape, shape, url: servers[n]?.url })),
    currencies: {
      coin: { ids },
      [`${DOLLAR.chainId}:${DOLLAR.address}`]: { ids: Object.fromEntries(SHAPES.map((shape) => [shape, 'dollar'])) },
    },
    minProviders: 3,
    jumpQuorum: 3,
    pollMs: POLL_MS,
    maxAgeMs: STALE_MS,
    backoff: { firstMs: 10, maxMs: 50 },
    breaker: { failures: 5, openMs: 50, maxOpenMs: 100 },
  });
  await plugin.start();
  const turn = (on: boolean, answer: (n: number) => string | undefined): void => {
    for (const server of servers) {
      server.instead = on
        ? (_, response) => {
            const body = answer(server.asked.length);
            if (body === undefined) response.destroy();
            else response.end(body);
          }
        : undefined;
    }
  };
  return {
    lacks: {},
    source: plugin.source,
    known: [
      { currency: COIN, usd: '3021.57' },
      { currency: DOLLAR, usd: '0.9998' },
    ],
    unknown: [OTHER],
    now: clock.now,
    requests: () => servers.reduce((sum, { asked }) => sum + asked.length, 0),
    pass: (ms) => delay(ms),
    staleAfterMs: STALE_MS,
    publish: async ({ group }: Currency, usd) => {
      prices[group] = usd;
      await delay(POLL_MS * 2);
    },
    silence: (on) => turn(on, () => undefined),
    garble: (on) =>
      turn(on, (n) => {
        const some = nonsense[n % nonsense.length];
        if (n % 3 === 0) return '<html>';
        const all = `"usd":${some},"price":${some},"c":[${some}],"symbol":"coin","last_updated_at":1,"time":"x"`;
        return n % 3 === 1
          ? `{"coin":{${all}},"coins":{"coin":{${all}}},"result":{"coin":{${all}}},${all}}`
          : `[{${all}}]`;
      }),
    dispose: async () => {
      await plugin.stop();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

it('holds prices over HTTP against the kit, on a real server of each public shape', async () => {
  const report = await runConformance(priceConformance, harness, { on: 'prices-http' });
  expect(report.cases.filter(({ outcome }) => outcome !== 'passed').map(({ name, reason }) => [name, reason])).toEqual(
    [],
  );
  expect(report.cases.length).toBeGreaterThan(6);
});
