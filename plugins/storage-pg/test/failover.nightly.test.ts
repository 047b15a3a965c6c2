import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { DatabaseWentBackError, type Logger, type Store, StoreUnavailableError } from '@causeway/core';
import { RESTORED_MARK } from '@causeway/core/sql';
import { type TcpProxy, tcpProxy } from '@causeway/core/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PgOptions } from '../src/index.js';
import { alerts, log, storeOn } from './support/pg-harness.js';
import { type OwnPostgres, startOwnPostgres } from './support/postgres.js';
import { applied, insert, legRow, set } from './support/rows.js';
import { type Standby, standbyOf } from './support/standby.js';

let primary: OwnPostgres;
let standby: Standby | undefined;
let address: TcpProxy;
let url: string;
let stores: Store[];
let raised: string[];
let logged: string[];

beforeEach(async () => {
  [stores, raised, logged, standby] = [[], [], [], undefined];
  // Written data outlives the process.
  primary = await startOwnPostgres({ durable: false });
  address = await tcpProxy(primary);
  const through = new URL(await primary.database());
  through.port = String(address.port);
  url = through.href;
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await address.stop();
  await standby?.stop();
  await primary.stop();
});

async function opened(options: Partial<PgOptions> = {}, at = url): Promise<Store> {
  const reporting: Logger = { ...log, error: (_, message) => void logged.push(message) };
  const raising = { ...alerts, raise: (id: string) => void raised.push(id) };
  const store = storeOn(at, options, { log: reporting, alerts: raising });
  await store.open();
  stores.push(store);
  return store;
}

/** A working store and a disconnected standby, which lacks all later writes. */
async function lagging(): Promise<Store> {
  const first = await opened();
  await applied(first, insert('legs', legRow(1)));
  standby = await standbyOf(primary);
  const store = await opened();
  await standby.caughtUp();
  await standby.cutOff();
  return store;
}

function moveTo(server: { readonly host: string; readonly port: number }): void {
  address.target = server;
  address.reset();
}

async function failOver(): Promise<void> {
  await primary.halt('crash');
  await standby?.promote();
  moveTo(standby!);
}

const late = set(insert('legs', legRow(3)), { op: 'count', account: '#n', by: 1n });

async function becomes(call: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 0; tries < 100; tries += 1) {
    const outcome = await call().catch((error: unknown) => error);
    if (!(outcome instanceof StoreUnavailableError || String(outcome).includes('CommitUnknown'))) return outcome;
  }
  throw new Error('the database does not come back');
}

const restored = async (store: Store) => Number((await store.meta(RESTORED_MARK))?.value);

describe('a standby that lagged and was promoted under a live process', () => {
  it('takes no change set and gives no lease, for as long as the process lives', async () => {
    const store = await lagging();
    await applied(store, insert('legs', legRow(2)));
    await failOver();
    expect(await becomes(() => store.apply(late))).toBeInstanceOf(DatabaseWentBackError);
    await expect(store.claimLeases(['service'], 'one', 3_000)).rejects.toThrow(DatabaseWentBackError);
    const next = await opened();
    expect((await next.legs([1, 2, 3].map((n) => legRow(n).id))).map(({ id }) => id)).toEqual(['leg:1']);
    expect(await next.pot('#n')).toBe(0n);
    expect(await next.claimLeases(['service'], 'two', 3_000)).toHaveLength(1);
    // Reads of the other state still count.
    await primary.resume();
    moveTo(primary);
    await expect(store.apply(late)).rejects.toThrow(DatabaseWentBackError);
  });

  it('gives no lease to a heartbeat that comes first, and takes no change set after it', async () => {
    const store = await lagging();
    await failOver();
    expect(await becomes(() => store.claimLeases(['service'], 'one', 3_000))).toBeInstanceOf(DatabaseWentBackError);
    await expect(store.apply(late)).rejects.toThrow(DatabaseWentBackError);
    expect(await (await opened()).claimLeases(['service'], 'two', 3_000)).toHaveLength(1);
  });

  it('fails as any other until it is promoted', async () => {
    const store = await lagging();
    await primary.halt('crash');
    moveTo(standby!);
    await expect.poll(() => store.apply(late).catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailableError);
    await expect(store.claimLeases(['service'], 'one', 3_000)).rejects.toThrow(StoreUnavailableError);
    await standby?.promote();
    expect(await becomes(() => store.apply(late))).toBeInstanceOf(DatabaseWentBackError);
  });
});

describe('anyone who starts on a promoted standby', () => {
  it('finds the ledger marked as restored, once, and says so', async () => {
    await lagging();
    await failOver();
    const before = Date.now();
    const at = await restored(await opened());
    expect(at).toBeGreaterThanOrEqual(before);
    expect(logged).toEqual([expect.stringContaining('marked as restored')]);
    expect(raised).toEqual(['history']);
    expect(await restored(await opened())).toBe(at);
    expect(raised).toHaveLength(1);
  });

  it('keeps the later mark where two clocks report it', async () => {
    const store = await lagging();
    const later = String(Date.now() + 3_600_000);
    await standby?.stop();
    await applied(store, insert('meta', { key: RESTORED_MARK, version: 1, value: later }));
    standby = await standbyOf(primary);
    await failOver();
    expect(await restored(await opened())).toBe(Number(later));
  });

  it('goes on as it was where the standby is said to be synchronous, now and with later starts', async () => {
    await lagging();
    await failOver();
    expect(await restored(await opened({ synchronousStandby: true }))).toBeNaN();
    expect(await restored(await opened())).toBeNaN();
    expect(raised).toEqual([]);
  });

  it('learns the result of commits from the probe', async () => {
    const find = async (store: Store) => (await store.probe?.())?.find(({ name }) => name === 'database failover');
    expect(await find(await opened())).toMatchObject({ ok: true, message: expect.stringContaining('00000001') });
    expect(await find(await opened({ synchronousStandby: true }))).toMatchObject({ ok: false, level: 'error' });
  });
});

describe('an older state that is restored under a live process', () => {
  it('as by a snapshot of the disk, is noticed by its position', async () => {
    const store = await opened();
    await primary.halt('fast');
    execFileSync('cp', ['-a', primary.data, `${primary.data}.snapshot`]);
    await primary.resume();
    await becomes(() => store.apply(set(insert('legs', legRow(1)))));
    for (let n = 10; n < 60; n += 1) await applied(store, insert('legs', legRow(n)));
    await primary.halt('crash');
    renameSync(primary.data, `${primary.data}.lost`);
    renameSync(`${primary.data}.snapshot`, primary.data);
    await primary.resume();
    expect(await becomes(() => store.apply(late))).toBeInstanceOf(DatabaseWentBackError);
  });

  it('as by a dump in another cluster, is noticed by its identifier, whatever its timeline and position', async () => {
    const store = await opened();
    const other = await startOwnPostgres({ durable: false });
    try {
      const at = new URL(url);
      await asked(
        new URL(`postgres://causeway@127.0.0.1:${other.port}/postgres`),
        `create database "${at.pathname.slice(1)}"`,
      );
      at.port = String(other.port);
      const there = await opened({}, at.href);
      await asked(
        at,
        'create table filler as select repeat(md5(n::text), 20) as text from generate_series(1, 20000) n',
      );
      moveTo(other);
      expect(await becomes(() => store.apply(late))).toBeInstanceOf(DatabaseWentBackError);
      expect(await there.pot('#n')).toBe(0n);
      await asked(at, "update causeway.meta set value = '42/00000001' where key = 'storage-pg:history'");
      expect(await restored(await opened({}, at.href))).not.toBeNaN();
      await Promise.all(stores.splice(1).map((each) => each.close()));
    } finally {
      await other.stop();
    }
  });

  it('is noticed where it is older than our functions', async () => {
    const store = await opened();
    await asked(new URL(url), 'drop schema causeway cascade');
    await expect(store.apply(late)).rejects.toThrow(DatabaseWentBackError);
  });
});

describe('a server that ends and has lost nothing', () => {
  it.each(['fast', 'crash'] as const)('(%s) is worked on as before', async (how) => {
    const store = await opened();
    for (let n = 10; n < 30; n += 1) await applied(store, insert('legs', legRow(n)));
    await primary.halt(how);
    await primary.resume();
    expect(await becomes(() => store.apply(late))).toEqual({ ok: true });
    expect(await store.claimLeases(['service'], 'one', 3_000)).toHaveLength(1);
    expect(await restored(await opened())).toBeNaN();
  });
});

describe('a database that reports nothing of its log', () => {
  it('is worked on, and the probe says what that means', async () => {
    const at = new URL(url);
    await asked(at, 'create role plain login');
    await asked(at, 'revoke execute on function pg_walfile_name(pg_lsn) from public');
    await asked(at, `grant create on database "${at.pathname.slice(1)}" to plain`);
    at.username = 'plain';
    const store = await opened({}, at.href);
    await applied(store, insert('legs', legRow(1)));
    expect(await store.claimLeases(['service'], 'one', 3_000)).toHaveLength(1);
    expect((await store.probe?.())?.at(-1)).toMatchObject({ ok: false, level: 'warning', name: 'database failover' });
  });

  it('but for its identifier is watched by its timeline, and not marked when it reports more', async () => {
    const at = new URL(url);
    await asked(at, 'create role plain login');
    await asked(at, 'revoke execute on function pg_control_system() from public');
    await asked(at, `grant create on database "${at.pathname.slice(1)}" to plain`);
    at.username = 'plain';
    expect((await (await opened({}, at.href)).probe?.())?.at(-1)).toMatchObject({ ok: true });
    await asked(new URL(url), 'grant execute on function pg_control_system() to plain');
    expect(await restored(await opened({}, at.href))).toBeNaN();
  });
});

async function asked(at: URL, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: at.href });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
