import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Clock } from '../../src/contract/clock.js';
import type { Currency } from '../../src/contract/currency.js';
import type { PluginContext } from '../../src/contract/plugin.js';
import type { PriceSource } from '../../src/contract/prices.js';
import { staticPrices } from '../../src/host/builtins/static-prices.js';
import { priceConformance } from '../../src/testing/prices/price-conformance.js';
import type { PriceHarness } from '../../src/testing/prices/price-harness.js';
import { runConformance } from '../../src/testing/report.js';
import { polledPrices } from './support/polled-prices.js';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => delay(ms),
  every: (ms, task) => {
    const timer = setInterval(task, ms);
    return () => clearInterval(timer);
  },
};

function currency(symbol: string, group: string, address = `0x${symbol.toLowerCase()}`): Currency {
  return { chainId: 1, address, symbol, name: symbol, decimals: 18, isNative: false, group, verified: true };
}

const COIN = currency('COIN', 'coin');
const DOLLAR = currency('DOLLAR', 'dollar');

function registered(prices: Readonly<Record<string, string>>): PriceSource {
  const added: PriceSource[] = [];
  const context = {
    id: 'static-prices',
    options: { prices },
    clock,
    prices: { add: (one: PriceSource) => added.push(one) },
  };
  staticPrices.register(context as unknown as PluginContext<{ prices: Readonly<Record<string, string>> }>);
  const [source] = added;
  if (source === undefined) throw new Error('no source was added');
  return source;
}

async function staticHarness(): Promise<PriceHarness> {
  return {
    lacks: { upstream: "prices are the operator's word" },
    source: registered({ coin: '3021.570000000000000001', '1:0xdollar': '1' }),
    known: [
      { currency: COIN, usd: '3021.570000000000000001' },
      { currency: DOLLAR, usd: '1' },
    ],
    unknown: [currency('OTHER', 'other')],
    now: clock.now,
    requests: () => 0,
    pass: (ms) => delay(ms),
    staleAfterMs: Number.POSITIVE_INFINITY,
    dispose: async () => undefined,
  };
}

const STALE_MS = 600;
const POLL_INTERVAL_MS = 20;

async function polledHarness(): Promise<PriceHarness> {
  const prices: Record<string, string> = { coin: '3021.57', dollar: '0.9998' };
  const nonsense = ['-1', '0', '1e3', 'NaN', null, 7, ''];
  let [asked, silent, garbled] = [0, false, false];
  const server = createServer((_, response) => {
    asked += 1;
    if (silent) return void response.destroy();
    const some = nonsense[asked % nonsense.length];
    const answer = garbled ? { coin: some, dollar: some } : prices;
    response.end(garbled && asked % 2 === 0 ? '<html>' : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source = await polledPrices({ url, everyMs: POLL_INTERVAL_MS, staleAfterMs: STALE_MS }, clock);
  return {
    lacks: {},
    source,
    known: [
      { currency: COIN, usd: '3021.57' },
      { currency: DOLLAR, usd: '0.9998' },
    ],
    unknown: [currency('OTHER', 'other')],
    now: clock.now,
    requests: () => asked,
    pass: (ms) => delay(ms),
    staleAfterMs: STALE_MS,
    publish: async ({ group }, usd) => {
      prices[group] = usd;
      await delay(POLL_INTERVAL_MS * 2);
    },
    silence: (on) => {
      silent = on;
    },
    garble: (on) => {
      garbled = on;
    },
    dispose: () =>
      new Promise((resolve) => {
        source.stop();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

it('holds the prices of the config against the kit', async () => {
  const report = await runConformance(priceConformance, staticHarness, { on: 'static-prices' });
  expect(report.cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(report.cases.filter(({ outcome }) => outcome === 'notApplicable')).toHaveLength(3);
});

it('holds a source that asks elsewhere against the kit', async () => {
  const report = await runConformance(priceConformance, polledHarness, { on: 'polled prices' });
  expect(report.cases.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
});
