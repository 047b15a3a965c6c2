import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import type { BvmOptions } from '../src/options.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));

async function firstChain(yaml: string) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bvm-'));
  try {
    const file = join(folder, 'solver.yaml');
    writeFileSync(file, `service: { network: mainnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${yaml}\n`);
    const { plugins } = await loadConfig(file, {
      directory: HERE,
      environment: { RPC_PASSWORD: 'p' },
      checkKeys: false,
    });
    const [chain] = (plugins[0]?.options as BvmOptions | undefined)?.chains ?? [];
    if (chain === undefined) throw new Error('no chain');
    return chainConfig(chain, 'mainnet', 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [chain = '', network = ''] = [
  ...readFileSync(join(HERE, 'README.md'), 'utf8').matchAll(/^```yaml\n([\s\S]*?)\n```$/gm),
].map(([, block]) => block);

it('the chain in the README loads as it stands', async () => {
  const config = await firstChain(chain);
  expect(config.facts).toMatchObject({ name: 'bitcoin', vmType: 'bvm', publicRpcUrl: '' });
  expect([config.facts.currency.symbol, config.endpoints.length, config.depth]).toEqual(['BTC', 2, 6]);
  expect(config.payers?.esplora).toEqual(['https://explorer.example.org/api']);
});

it('so does a network of another chain', async () => {
  const nested = network.replace(/\n/g, '\n          ');
  const config = await firstChain(chain.replace(/network: bitcoin [^\n]*/, nested));
  expect(config.network).toMatchObject({ name: 'example', bech32: 'ex', taproot: false, rbf: false });
  expect(config.facts.currency.symbol).toBe('EX');
});
