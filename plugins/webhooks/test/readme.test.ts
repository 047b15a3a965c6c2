import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@causeway/core/host';
import { freePorts } from '@causeway/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { event, REQUEST, registered, SECRET } from './support/receiver.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)\n\`\`\`$`, 'm').exec(readme)?.[1] ?? '';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-webhooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the config in the README loads as it stands', async () => {
  const file = join(folder, 'solver.yaml');
  writeFileSync(
    file,
    `service: { network: testnet, orderSigner: env:ORDER, adminKey: env:ADMIN }\n${blockOf('yaml')}\n`,
  );
  const { plugins } = await loadConfig(file, { directory: HERE, environment: {}, checkKeys: false });
  const [only] = plugins;
  const { endpoints, ...rest } = (only?.options ?? {}) as Parameters<typeof registered>[0];
  const keys = ['env:SHOP_WEBHOOK_SECRET', 'file:keys/ledger-new', 'file:keys/ledger-old', 'env:LEDGER_TOKEN'];
  const secrets = Object.fromEntries(keys.map((key) => [key, SECRET]));
  const { added, stop } = registered({ endpoints, ...rest }, { network: 'testnet', secrets });
  expect(added.map(({ id }) => id)).toEqual(['webhooks-shop', 'webhooks-ledger']);
  await stop();
});

it('the receiver in the README takes what is ours and nothing else', async () => {
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, blockOf('js'));
  const port = await freePorts();
  const env = { ...process.env, NODE_OPTIONS: '', PORT: String(port), WEBHOOK_SECRET: SECRET };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('listening');
    const url = `http://127.0.0.1:${port}/`;
    const { notifier, stop } = registered({ endpoints: [{ url }] });
    expect(await notifier.deliver(event(3))).toMatchObject({ outcome: 'delivered' });
    expect((await lines.next()).value).toBe(`${REQUEST} 3 pending`);
    const forged = registered(
      { endpoints: [{ url, secrets: ['env:OTHER'] }] },
      {
        secrets: { 'env:OTHER': `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
      },
    );
    expect(await forged.notifier.deliver(event(4))).toMatchObject({ outcome: 'retry', why: 'it answers 400' });
    await stop();
    await forged.stop();
  } finally {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  }
});
