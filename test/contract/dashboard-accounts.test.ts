import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevnetFile, writeDevnetFile } from '../../core/src/host/dev/devnet-file.js';
import { testAccounts } from '../../core/src/host/dev/test-accounts.js';
import { API_KEY, type DashboardWorld, dashboardWorld } from './dashboard/world.js';

const ADDRESS = `0x${'11'.repeat(20)}`;
const PRIVATE_KEY = `0x${'22'.repeat(32)}`;

let folder: string;
let world: DashboardWorld;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-accounts-'));
  world = await dashboardWorld({}, true, testAccounts(folder));
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Written by the local build whose service has the process id. */
function written(pid: number): void {
  const chain = {
    id: 31337,
    vmType: 'evm',
    name: 'local-a',
    rpcUrl: 'http://127.0.0.1:1',
    currencies: [],
    contracts: {},
  };
  const accounts = [{ vmType: 'evm', address: ADDRESS, privateKey: PRIVATE_KEY }];
  const keys = { baseUrl: '', wsUrl: null, dashboardUrl: null, apiKey: '', adminKey: '' };
  const file: DevnetFile = { ...keys, pid, chains: [chain], accounts };
  writeDevnetFile(folder, file);
}

it('lists the accounts of the own local build to those who are signed in, without private keys', async () => {
  written(process.pid);
  expect((await world.call('GET', '/dashboard/devnet')).status).toBe(401);
  const { headers } = await world.signIn(API_KEY);
  const { status, text, body } = await world.call('GET', '/dashboard/devnet', { headers });
  expect([status, body]).toEqual([200, { accounts: [{ vmType: 'evm', address: ADDRESS }] }]);
  expect(text).not.toContain(PRIVATE_KEY);
});

it('sends for no one who is not signed in, and only with accounts and chains of its own', async () => {
  written(process.pid);
  const { headers } = await world.signIn(API_KEY);
  const right = { from: ADDRESS, chainId: 31337, data: {} };
  const send = (json: unknown, more: Readonly<Record<string, string>> = headers) =>
    world.call('POST', '/dashboard/devnet/send', { headers: more, json });
  expect((await send(right, {})).status).toBe(401);
  expect((await send(right, { cookie: headers['cookie'] ?? '' })).status).toBe(403);
  for (const [field, json] of [
    ['from', { ...right, from: PRIVATE_KEY }],
    ['from', { ...right, from: 1 }],
    ['chainId', { ...right, chainId: 1 }],
    ['chainId', { ...right, chainId: '31337' }],
    ['data', { ...right, data: [] }],
    ['data', { ...right, data: null }],
    ['from', null],
  ] as const) {
    const { status, body } = await send(json);
    expect([status, body.errorCode, body.errorData.field], JSON.stringify(json)).toEqual([
      400,
      'INVALID_REQUEST',
      field,
    ]);
  }
});

it('knows no account of another local build', async () => {
  written(process.ppid);
  const { headers } = await world.signIn(API_KEY);
  expect((await world.call('GET', '/dashboard/devnet', { headers })).body).toEqual({ accounts: [] });
  const json = { from: ADDRESS, chainId: 31337, data: {} };
  const { status, body } = await world.call('POST', '/dashboard/devnet/send', { headers, json });
  expect([status, body.errorData.field]).toEqual([400, 'chainId']);
});
