import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY } from '../support/config.js';
import { codeBlocks } from '../support/documents.js';
import { ROOT } from '../support/repository.js';
import { World } from '../support/world.js';

const guide = readFileSync(`${ROOT}core/docs/integrate.md`, 'utf8');
const run = promisify(execFile);

let world: World;
let folder: string;

beforeAll(async () => {
  world = await World.start({ addresses: true });
  folder = mkdtempSync(join(tmpdir(), 'causeway-guide-'));
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The guide's blocks as one script, against this world instead of the local build. */
it('leads from nothing to a finished transfer', { timeout: 120_000 }, async () => {
  const blocks = codeBlocks(guide, 'sh');
  expect(blocks.length).toBeGreaterThan(5);
  const env = { ...process.env, NODE_OPTIONS: '', SERVICE: world.rest.baseUrl, RPC: world.a.url, API_KEY };
  const script = ['set -eu', ...blocks].join('\n');
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, timeout: 100_000 });
  expect(stdout).toContain('31337 alpha');
  const listed = /^(0x[0-9a-f]{64}) success$/m.exec(stdout)?.[1] ?? '';
  expect(listed).toMatch(/^0x/);
  expect((await world.rest.status(listed)).status).toBe('success');
  // The newest is the one by a deposit address.
  expect((await world.rest.request(listed)).depositAddress).toMatchObject({ type: 'strict' });

  // The socket reports the same.
  const [program = ''] = codeBlocks(guide, 'js');
  writeFileSync(join(folder, 'follow.mjs'), program);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const reported = await run(process.execPath, ['follow.mjs', listed], { cwd: folder, env, timeout: 20_000 });
  expect(reported.stdout).toMatch(/^\d+ success 0x[0-9a-f]{64}\n$/);
});
