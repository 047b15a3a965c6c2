import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { expect, it } from 'vitest';
import { NAMES } from '../src/shapes/fill-in.js';
import { PRESETS } from '../src/shapes/presets.js';
import { register } from './support/services.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(HERE, 'README.md'), 'utf8');

it('the config in the README loads as it stands, and each entry is a source of its own', async () => {
  const [, block = ''] = /^```yaml\n([\s\S]*?)\n```$/m.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'causeway-swaps-'));
  try {
    const file = join(folder, 'solver.yaml');
    writeFileSync(file, `service: { network: testnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${block}\n`);
    const { plugins } = await loadConfig(file, { directory: HERE, environment: {}, checkKeys: false });
    expect(plugins.map(({ id }) => id)).toEqual(['zeroex', 'paraswap', 'desk']);
    const secrets = { 'env:ZEROEX_KEY': 'key', 'file:keys/desk': 'Bearer key' };
    for (const { id, options } of plugins) {
      const { source, stop } = register(options as object, { id, secrets, network: 'mainnet' });
      expect([source.id, source.supports(8453), source.supports(1)]).toEqual([id, true, false]);
      await stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the README reports every shape and every name', () => {
  for (const shape of [...Object.keys(PRESETS), 'json']) expect(readme).toContain(`| \`${shape}\` |`);
  for (const name of NAMES) expect(readme).toContain(`\`${name}\``);
});
