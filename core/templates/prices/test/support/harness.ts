import type { Currency } from '@causeway/core';
import { type PriceHarness, realClock, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';
import { openFeed } from './feed-server.js';

const INTERVAL_MS = 20;
const STALE_MS = 600;

function currency(symbol: string, group: string): Currency {
  const address = `0x${symbol.toLowerCase()}`;
  return { chainId: 1, address, symbol, name: symbol, decimals: 18, isNative: false, group, verified: true };
}

/** Opens a separate feed for each case. If your source queries no feed, set `lacks: { upstream: 'the reason' }`. */
export async function harness(): Promise<PriceHarness> {
  const [coin, dollar] = [currency('COIN', 'coin'), currency('DOLLAR', 'dollar')];
  const feed = await openFeed({ COIN: '3021.57', USD: '0.9998' });
  const names: Readonly<Record<string, string>> = { coin: 'COIN', '1:0xdollar': 'USD' };
  const options = { url: feed.url, names, everyMs: INTERVAL_MS, staleAfterMs: STALE_MS, timeoutMs: 2_000 };
  const registered = registerAlone(plugin, options);
  const [source] = registered.prices;
  if (source === undefined) throw new Error('the plugin adds no price source');
  const dispose = async () => {
    await registered.stop();
    await feed.close();
  };
  await registered.start().catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  return {
    lacks: {},
    source,
    known: [
      { currency: coin, usd: '3021.57' },
      { currency: dollar, usd: '0.9998' },
    ],
    unknown: [currency('OTHER', 'other')],
    now: realClock.now,
    requests: feed.requests,
    pass: (ms) => realClock.sleep(ms),
    staleAfterMs: STALE_MS,
    publish: async ({ group }, usd) => {
      feed.publish(names[group] ?? '', usd);
      await realClock.sleep(INTERVAL_MS * 3);
    },
    silence: feed.silence,
    garble: feed.garble,
    dispose,
  };
}
