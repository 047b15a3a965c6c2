import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EPOCH_MARK } from '../../src/domain/epoch.js';
import type { SqliteStore } from '../../src/store/index.js';
import { attemptRow, changeSet, insert, keyRow } from '../../src/testing/store-fixtures.js';
import { storeOn } from './sqlite-harness.js';

/** A memory file system, where the machine has one. */
const MEMORY = '/dev/shm';

let folder: string;
let memory: string;
let file: string;
let open: SqliteStore[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-epoch-'));
  memory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'causeway-epoch-'));
  file = join(folder, 'data', 'causeway.db');
  open = [];
});

afterEach(async () => {
  for (const store of open) await store.close().catch(() => undefined);
  for (const each of [folder, memory]) rmSync(each, { recursive: true, force: true });
});

async function start(where = memory): Promise<SqliteStore> {
  const store = storeOn(file, { memory: where });
  await store.open();
  open.push(store);
  return store;
}

const nameOf = async (store: SqliteStore) => (await store.meta(EPOCH_MARK))?.value;

/** Disk state after a kill. */
async function keep(store: SqliteStore, name: string): Promise<void> {
  await store.close();
  mkdirSync(join(folder, name));
  for (const each of readdirSync(join(folder, 'data')))
    copyFileSync(join(folder, 'data', each), join(folder, name, each));
}

function restore(name: string): void {
  for (const each of readdirSync(join(folder, name)))
    copyFileSync(join(folder, name, each), join(folder, 'data', each));
}

async function sign(store: SqliteStore, n: number): Promise<void> {
  const outcome = await store.apply(changeSet(insert('keys', keyRow(n)), insert('attempts', attemptRow(n))));
  expect(outcome).toEqual({ ok: true });
}

const noted = () => join(memory, readdirSync(memory)[0] ?? 'nothing');

describe.skipIf(!existsSync(MEMORY))('the name of an unbroken life', () => {
  it('stays over starts that lost nothing, whatever was signed', async () => {
    const first = await start();
    const name = await nameOf(first);
    expect(name).toMatch(/^[0-9a-f]{32}$/);
    await sign(first, 1);
    await first.close();
    const second = await start();
    expect(await nameOf(second)).toBe(name);
    await sign(second, 2);
    await second.close();
    expect(await nameOf(await start())).toBe(name);
  });

  it('is another where what was signed last is missing, and then stays that one', async () => {
    const first = await start();
    const name = await nameOf(first);
    await sign(first, 1);
    await keep(first, 'old');
    const second = await start();
    await sign(second, 2);
    await second.close();
    restore('old');
    const third = await start();
    const other = await nameOf(third);
    expect(other).not.toBe(name);
    await third.close();
    expect(await nameOf(await start())).toBe(other);
  });

  it('is another where a process was killed before the machine learned of the new one', async () => {
    const first = await start();
    await sign(first, 1);
    await keep(first, 'old');
    const second = await start();
    await sign(second, 2);
    await second.close();
    const before = readFileSync(noted());
    restore('old');
    const third = await start();
    const other = await nameOf(third);
    await third.close();
    // As if killed between the two.
    writeFileSync(noted(), before);
    expect(await nameOf(await start())).not.toBe(other);
  });

  it('covers what was committed and not noted, once another process opened it that may send it', async () => {
    const first = await start();
    const name = await nameOf(first);
    await sign(first, 1);
    const before = readFileSync(noted());
    await keep(first, 'old');
    const second = await start();
    await sign(second, 2);
    await second.close();
    writeFileSync(noted(), before);
    const third = await start();
    expect(await nameOf(third)).toBe(name);
    await third.close();
    restore('old');
    expect(await nameOf(await start())).not.toBe(name);
  });

  it('is another in every run of the machine, and of what no one but it could have written', async () => {
    const first = await start();
    let name = await nameOf(first);
    await first.close();
    const changes: readonly (() => void)[] = [
      () => writeFileSync(noted(), readFileSync(noted(), 'utf8').replace(/"boot":"./, '"boot":"x')),
      () => writeFileSync(noted(), 'no note of this service'),
      () => rmSync(noted()),
      () => linkSync(noted(), join(memory, 'another')),
    ];
    for (const change of changes) {
      change();
      const store = await start();
      const next = await nameOf(store);
      expect(next).not.toBe(name);
      name = next;
      await store.close();
    }
  });

  it('is another at each start where nothing can be noted', async () => {
    for (const where of [folder, join(memory, 'missing')]) {
      const first = await start(where);
      const name = await nameOf(first);
      await first.close();
      const second = await start(where);
      expect(await nameOf(second)).not.toBe(name);
      await second.close();
    }
  });

  it('is another after attempts that no one could know to be durable', async () => {
    const first = await start();
    const name = await nameOf(first);
    await sign(first, 1);
    // An incomplete note is deleted before any answer.
    const long = { ...attemptRow(2), hash: 'h'.repeat(2_000) };
    expect(await first.apply(changeSet(insert('keys', keyRow(2)), insert('attempts', long)))).toEqual({ ok: true });
    await first.close();
    expect(await nameOf(await start())).not.toBe(name);
  });
});
