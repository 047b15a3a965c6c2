import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ApiKeyRow } from '../../src/contract/store-rows.js';
import { runCli } from '../../src/host/cli/index.js';
import { apiKeyRow, changeSet, insert } from '../../src/testing/store-fixtures.js';
import { storeOn } from '../store/sqlite-harness.js';
import { newHome, SECRET } from './home.js';

const LATER = Date.now() + 3_600_000;
const CHAINS = ['6f6e6500-0000-4000-8000-000000000001', '74776f00-0000-4000-8000-000000000002'];

let home: ReturnType<typeof newHome>;
let config: string;
let said = '';

beforeEach(() => {
  said = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
  }
  home = newHome();
  home.write('order.key', SECRET);
  config = home.write(
    'solver.yaml',
    'service:\n  network: local\n  orderSigner: file:./order.key\n  database: { file: ./ledger.db }\nplugins: []\n',
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function write(file: string, ...keys: readonly ApiKeyRow[]): Promise<void> {
  const store = storeOn(home.path(file));
  await store.open();
  for (const key of keys) expect(await store.apply(changeSet(insert('apiKeys', key)))).toEqual({ ok: true });
  await store.close();
}

async function change(id: string, set: Partial<ApiKeyRow>): Promise<void> {
  const store = storeOn(home.path('ledger.db'));
  await store.open();
  const update = { op: 'update', table: 'apiKeys', key: { id }, version: 1, set } as const;
  expect(await store.apply(changeSet(update))).toEqual({ ok: true });
  await store.close();
}

async function keys(): Promise<ReadonlyMap<string, ApiKeyRow>> {
  const store = storeOn(home.path('ledger.db'));
  await store.open();
  const rows = await store.apiKeys();
  await store.close();
  return new Map(rows.map((row) => [row.id, row]));
}

it('a restore keeps later revocations of rights, and prints them', async () => {
  const rights = { tier: 'elevated', privateChains: JSON.stringify(CHAINS) } as const;
  await write('ledger.db', ...[1, 2, 3, 4].map((n) => apiKeyRow(n, { name: `app-${n}`, ...rights })));
  await runCli(['backup', config, home.path('copy.db')]);
  await change('key-1', { revokedAt: 1_700_000_000_000 });
  await change('key-2', { expiresAt: LATER });
  await change('key-3', { scopes: '["quote"]', tier: 'default', privateChains: JSON.stringify([CHAINS[1]]) });
  await write('ledger.db', apiKeyRow(5, { name: 'younger' }), apiKeyRow(6, { revokedAt: 1 }));

  said = '';
  expect(await runCli(['restore', config, home.path('copy.db')]), said).toBe(0);
  const now = await keys();
  expect(now.get('key-1')).toMatchObject({ revokedAt: 1_700_000_000_000, tier: 'elevated' });
  expect(now.get('key-2')).toMatchObject({ expiresAt: LATER, revokedAt: null });
  expect(now.get('key-3')).toMatchObject({
    ...{ scopes: '["quote"]', tier: 'default', privateChains: JSON.stringify([CHAINS[1]]), version: 2 },
  });
  expect(now.get('key-4')).toEqual(apiKeyRow(4, { name: 'app-4', ...rights }));
  expect(said).toMatch(
    /stay revoked or narrowed.*\n {2}key-1 {2}app-1 {2}revoked\n {2}key-2 {2}app-2 {2}expires at .*Z\n/,
  );
  expect(said).toContain(`  key-3  app-3  default rates  scopes quote  private chains ${CHAINS[1]}\n`);
  expect(said).toMatch(/does not contain.*\n {2}key-5 {2}younger\n$/);
  expect(said).not.toMatch(/key-4|key-6/);
});

it('grants no right that the backup does not contain', async () => {
  await write('ledger.db', apiKeyRow(1, { scopes: '["quote"]', expiresAt: LATER }), apiKeyRow(2, { revokedAt: 7 }));
  await runCli(['backup', config, home.path('copy.db')]);
  await change('key-1', { scopes: '["*"]', expiresAt: null, tier: 'elevated' });
  rmSync(home.path('ledger.db'));
  await write('ledger.db', apiKeyRow(1, { tier: 'elevated' }), apiKeyRow(2));
  expect(await runCli(['restore', config, home.path('copy.db')]), said).toBe(0);
  const now = await keys();
  expect(now.get('key-1')).toEqual(apiKeyRow(1, { scopes: '["quote"]', expiresAt: LATER }));
  expect(now.get('key-2')).toEqual(apiKeyRow(2, { revokedAt: 7 }));
});

it.each([
  ['there is none', () => undefined],
  ['it cannot be read', () => writeFileSync(home.path('ledger.db'), 'no database, but long enough to be opened')],
  ['it is a fresh one', () => write('ledger.db')],
])('asks for --yes before keys are restored without a ledger that shows later revocations: %s', async (_, former) => {
  await write(
    'ledger.db',
    apiKeyRow(1, { name: 'app' }),
    apiKeyRow(2, { revokedAt: 7 }),
    apiKeyRow(3, { expiresAt: 8 }),
  );
  await runCli(['backup', config, home.path('copy.db')]);
  for (const end of ['', '-wal', '-shm']) rmSync(home.path(`ledger.db${end}`), { force: true });
  await former();

  said = '';
  expect(await runCli(['restore', config, home.path('copy.db')])).toBe(1);
  expect(said).toMatch(/are accepted again.*\n {2}key-1 {2}app\n.*--yes/);
  expect(said).not.toMatch(/key-2|key-3/);

  said = '';
  expect(await runCli(['restore', config, home.path('copy.db'), '--yes']), said).toBe(0);
  expect(said).toMatch(/accepted again.*keys revoke:\n {2}key-1 {2}app\n$/);
  expect([...(await keys()).keys()]).toEqual(['key-1', 'key-2', 'key-3']);
});
