import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { expect, it } from 'vitest';
import { register } from './support/services.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));

it('the config in the README loads as it stands, and every currency in it can get a price', async () => {
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  const [, block = ''] = /^```yaml\n([\s\S]*?)\n```$/m.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'causeway-prices-'));
  try {
    const file = join(folder, 'solver.yaml');
    writeFileSync(file, `service: { network: testnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${block}\n`);
    const { plugins } = await loadConfig(file, { directory: HERE, environment: {}, checkKeys: false });
    expect(plugins.map(({ id }) => id)).toEqual(['prices-http']);
    const options = plugins[0]?.options as { currencies: object };
    expect(Object.keys(options.currencies)).toEqual(['ether', 'usd-coin', 'tether']);
    const { source } = register(options, { 'env:COINGECKO_KEY': 'key' });
    const ether = { chainId: 1, address: '0x0', symbol: 'ETH', name: 'Ether', decimals: 18, group: 'ether' };
    expect(source.price({ ...ether, isNative: true, verified: true })).toBe('stale');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
