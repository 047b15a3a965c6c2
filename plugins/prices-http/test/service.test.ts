import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '@causeway/core/host';
import { expect, it } from 'vitest';
import { serveShape } from './support/feed-server.js';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const CHAIN = `import { definePlugin } from '@causeway/core';
import { fakeChain, SeededRandom } from '@causeway/core/testing';
export const plugin = definePlugin({
  id: 'chain',
  coreRange: '*',
  options: { type: 'object' },
  register: ({ chains, clock, lifecycle }) => {
    const [random, ended] = [new SeededRandom('prices'), new AbortController()];
    const chain = fakeChain({ id: 7, clock, random, native: { symbol: 'ETH', decimals: 18, group: 'ether' } });
    chains.add(chain.adapter({ clock, random, signal: ended.signal }));
    lifecycle.onStop(async () => ended.abort());
  },
});
`;

it('a service that a config file describes asks for prices, shows them and lets go of them', async () => {
  const feeds = [
    await serveShape('coingecko', { ethereum: '3021.57' }),
    await serveShape('kraken', { XETHZUSD: '3021.6' }),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'causeway-prices-'));
  try {
    const file = join(folder, 'solver.yaml');
    symlinkSync(MODULES, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'chain.mjs'), CHAIN);
    writeFileSync(join(folder, 'key'), `0x${'5e'.repeat(32)}`, { mode: 0o600 });
    writeFileSync(
      file,
      `service:
  network: local
  port: 0
  metricsPort: 0
  orderSigner: file:key
  database: { file: solver.db }
plugins:
  - use: ./chain.mjs
  - use: '@causeway/plugin-prices-http'
    options:
      pollMs: 50
      providers:
        - { id: gecko, shape: coingecko, url: ${feeds[0]?.url} }
        - { id: kraken, shape: kraken, url: ${feeds[1]?.url} }
      currencies:
        ether: { ids: { gecko: ethereum, kraken: XETHZUSD } }
`,
    );
    const lines: string[] = [];
    const service = await startService(file, { writeLog: (line) => lines.push(line) });
    const metrics = await (await fetch(`${service.metricsUrl}/metrics`)).text();
    const here = service.metricsUrl ?? '';
    expect(new URL(here).hostname).toBe('127.0.0.1');
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
    const lives = await (await fetch(`${here}/lives?withReport=true`)).json();
    expect(lives).toMatchObject({ report: { database: { healthy: true } } });
    const others = ['/admin/keys', '/chains', '/'].map(async (path) => (await fetch(here + path)).status);
    expect(await Promise.all(others)).toEqual([404, 404, 404]);
    expect((await fetch(`${here}/metrics`, { method: 'POST' })).status).toBe(405);
    expect(await service.stop()).toBe(true);
    expect(metrics).toContain('causeway_prices_http_price_usd{asset="ether"} 3021.585');
    expect(metrics).toContain('causeway_prices_http_price_fresh{asset="ether"} 1');
    expect(metrics).toMatch(/causeway_prices_http_answers_total\{provider="kraken",result="price"\} \d/);
    expect(metrics).toMatch(/causeway_prices_http_request_seconds_count\{provider="gecko",ok="true"\} \d/);
    const asked = feeds.map((feed) => feed.asked.length);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(feeds.map((feed) => feed.asked.length)).toEqual(asked);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all(feeds.map((feed) => feed.stop()));
  }
});
