import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { formatEther, parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks } from '../support/documents.js';
import { ROOT } from '../support/repository.js';
import { World } from '../support/world.js';
import { whileChainsMove } from './sdk.js';

const PROGRAM = `${ROOT}test/fixtures/sdk-transfer/index.js`;

let world: World;

beforeAll(async () => {
  world = await World.start();
});

afterAll(async () => {
  await world?.close();
});

it('shows one program', () => {
  const text = readFileSync(`${ROOT}core/docs/sdk.md`, 'utf8');
  expect(codeBlocks(text, '\\w+')).toEqual([readFileSync(PROGRAM, 'utf8').trim()]);
});

it('which transfers, in a process of its own', async () => {
  const user = await world.user();
  const before = await world.b.balance(user.address, 'ETH');
  const env = { ...process.env, NODE_OPTIONS: '', SERVICE_URL: world.rest.baseUrl, PAYER_KEY: user.privateKey };
  const { stdout } = await whileChainsMove(
    world,
    promisify(execFile)(process.execPath, [PROGRAM], { env, timeout: 40_000 }),
  );
  const paid = /^paid (\d+) (0x[0-9a-f]{64})$/m.exec(stdout);
  expect(paid?.[1]).toBe(String(world.b.id));
  const gained = (await world.b.balance(user.address, 'ETH')) - before;
  expect(gained).toBeGreaterThan(parseEther('0.09'));
  expect(stdout).toContain(`quoted ${formatEther(gained)} ETH`);
});
