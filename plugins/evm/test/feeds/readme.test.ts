import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { expect, it } from 'vitest';
import { feedsConfig } from '../../src/feeds/feed-config.js';
import type { EvmOptions } from '../../src/options.js';

const HERE = fileURLToPath(new URL('../..', import.meta.url));

it('the feeds in the README load as they stand', async () => {
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```yaml\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block);
  const block = blocks.find((text) => text.includes('aggregators'));
  const folder = mkdtempSync(join(tmpdir(), 'causeway-feeds-'));
  try {
    const file = join(folder, 'solver.yaml');
    writeFileSync(file, `service: { network: testnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${block}\n`);
    const { plugins } = await loadConfig(file, { directory: HERE, environment: {}, checkKeys: false });
    const config = feedsConfig(plugins[0]?.options as EvmOptions);
    expect(config?.assets.map(({ name }) => name)).toEqual(['ether', 'staked-ether']);
    expect(config?.chains.get(0)).toMatchObject({ pollMs: 10_000, sequencer: { graceMs: 3_600_000 } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
