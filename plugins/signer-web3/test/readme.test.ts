import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('..', import.meta.url));

it('the config in the README loads as it stands', async () => {
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  const [, block = ''] = /^```yaml\n([\s\S]*?)\n```$/m.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'causeway-signer-'));
  try {
    const file = join(folder, 'solver.yaml');
    writeFileSync(file, `service: { network: testnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${block}\n`);
    const { plugins } = await loadConfig(file, { directory: HERE, environment: {}, checkKeys: false });
    expect(plugins.map(({ id }) => id)).toEqual(['vault', 'evm']);
    expect(plugins[1]?.options).toMatchObject({
      signers: { fill: expect.stringMatching(/^remote:vault#0x[0-9a-f]{40}$/) },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
