import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseInUseError } from '../../src/store/index.js';
import { range } from '../../src/testing/store-asserts.js';
import { legRow, requestId } from '../../src/testing/store-fixtures.js';
import { storeOn } from './sqlite-harness.js';

const SCRIPT = fileURLToPath(new URL('./writing-child.ts', import.meta.url));

let folder: string;
let file: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-process-'));
  file = join(folder, 'nested', 'causeway.db');
});

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await rm(folder, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** A writing process and its output. */
function writer(first = 1) {
  const args = ['--import', 'tsx', '--conditions=@causeway/source', SCRIPT, file, String(first)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done) throw new Error('the child said nothing more');
  return value;
}

describe('one process per database', () => {
  it('refuses a second process and names the file', async () => {
    const store = storeOn(file);
    await store.open();
    const { lines } = writer();
    expect(await nextLine(lines)).toMatch(/^refused DatabaseInUseError: .*causeway\.db/);
    await store.close();
    const later = writer();
    expect(await nextLine(later.lines)).toBe('open');
    await expect(storeOn(file).open()).rejects.toThrow(DatabaseInUseError);
    await expect(storeOn(file).open()).rejects.toThrow(file);
  });

  it('refuses a second store in the same process', async () => {
    const store = storeOn(file);
    await store.open();
    await expect(storeOn(file).open()).rejects.toThrow(DatabaseInUseError);
    await store.close();
  });
});

describe('a killed process', () => {
  it('leaves whole change sets, everything it answered, and no lock', async () => {
    let first = 1;
    for (const answers of [1, 40, 333]) {
      const { child, lines } = writer(first);
      expect(await nextLine(lines)).toBe('open');
      const answered: number[] = [];
      while (answered.length < answers) answered.push(Number(await nextLine(lines)));
      await kill(child);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) break;
        answered.push(Number(value));
      }

      const store = storeOn(file);
      await store.open();
      const most = Math.max(...answered) + 100;
      const stored = new Set((await store.requests(range(most).map(requestId))).map((row) => row.id));
      expect(answered.filter((n) => !stored.has(requestId(n)))).toEqual([]);
      expect((await store.legs(range(most).map((n) => legRow(n).id))).length).toBe(stored.size);
      expect((await store.events(0, most)).length).toBe(stored.size);
      expect(await store.pot('to')).toBe(BigInt(stored.size));
      expect(await store.pot('from')).toBe(-BigInt(stored.size));
      expect(await store.pot('#sets')).toBe(BigInt(stored.size));
      await store.close();
      first = most + 1;
    }
  });
});
