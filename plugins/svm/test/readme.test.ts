import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import type { SvmOptions } from '../src/options.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));

it('the chain in the README loads as it stands', async () => {
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  const [, block = ''] = /^```yaml\n([\s\S]*?)\n```$/m.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'causeway-svm-'));
  try {
    const file = join(folder, 'solver.yaml');
    writeFileSync(file, `service: { network: mainnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${block}\n`);
    const environment = { RPC_KEY: 'k' };
    const { plugins } = await loadConfig(file, { directory: HERE, environment, checkKeys: false });
    const [chain] = (plugins[0]?.options as SvmOptions | undefined)?.chains ?? [];
    if (chain === undefined) throw new Error('no chain');
    const config = chainConfig(chain, 'mainnet', 0);
    expect(config.facts).toMatchObject({ name: 'solana', vmType: 'svm', publicRpcUrl: 'https://public.example.org' });
    expect([...config.currencies.values()].map(({ symbol }) => symbol)).toEqual(['SOL', 'USDC']);
    expect(config.endpoints).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
