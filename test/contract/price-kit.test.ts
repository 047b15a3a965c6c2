import { setTimeout as delay } from 'node:timers/promises';
import type { Currency, Plugin, PluginContext, PriceSource } from '@causeway/core';
import { type PriceHarness, priceConformance, runConformance } from '@causeway/core/testing';
import { expect, it } from 'vitest';

const EXAMPLE = new URL('../fixtures/example-price-plugin/index.js', import.meta.url).href;
const { plugin } = (await import(EXAMPLE)) as { readonly plugin: Plugin<never> };

function currency(symbol: string, group: string, address = `0x${symbol.toLowerCase()}`): Currency {
  return { chainId: 1, address, symbol, name: symbol, decimals: 18, isNative: false, group, verified: true };
}

function registered(usd: Readonly<Record<string, string>>): PriceSource {
  const added: PriceSource[] = [];
  const context = {
    id: 'example-prices',
    options: { usd },
    clock: { now: () => Date.now() },
    log: { info: () => undefined },
    prices: { add: (one: PriceSource) => added.push(one) },
  };
  plugin.register(context as unknown as PluginContext<never>);
  const [source] = added;
  if (source === undefined) throw new Error('no source was added');
  return source;
}

const makeHarness = async (): Promise<PriceHarness> => ({
  lacks: { upstream: "prices are the operator's word" },
  source: registered({ block: '3.25', '1:0xdollar': '0.999800000000000001' }),
  known: [
    { currency: currency('BLOCK', 'block'), usd: '3.25' },
    { currency: currency('DOLLAR', 'dollar'), usd: '0.999800000000000001' },
  ],
  unknown: [currency('OTHER', 'other'), currency('NAMED', 'constructor')],
  now: () => Date.now(),
  requests: () => 0,
  pass: (ms) => delay(ms),
  staleAfterMs: Number.POSITIVE_INFINITY,
  dispose: async () => undefined,
});

it('the price source that README.md shows passes its kit', async () => {
  const report = await runConformance(priceConformance, makeHarness, { on: 'the example of README.md' });
  expect(report.text).toMatch(/\n\d+ passed, 0 failed/);
  expect(report.ok).toBe(true);
});
