import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../devnet/obtain.mjs', import.meta.url));
const VERSION = 'Bitcoin Core daemon version v29.0.0';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'causeway-obtain-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function program(folder: string, said: string, name = 'bitcoind'): string {
  const path = join(home, folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "${said}"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Hides this machine's programs and apt. */
function obtain(env: Readonly<Record<string, string>> = {}): { readonly path: string } | { readonly reason: string } {
  const folders = { HOME: home, PATH: join(home, 'bin'), CAUSEWAY_NODES: join(home, 'cache') };
  try {
    const path = execFileSync(process.execPath, [SCRIPT, 'bitcoin'], {
      ...{ encoding: 'utf8', env: { ...folders, ...env } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { path: path.trim() };
  } catch (error) {
    return { reason: String((error as { stderr: unknown }).stderr).trim() };
  }
}

it('takes the program that is named, and no other in its place', () => {
  const path = program('somewhere', VERSION);
  program('bin', VERSION);
  expect(obtain({ BITCOIND: path })).toEqual({ path });
  const wrong = program('elsewhere', 'Dogecoin Core version 1.14');
  expect(obtain({ BITCOIND: wrong })).toMatchObject({ reason: expect.stringContaining('is another program') });
  const old = program('old', 'Bitcoin Core version v0.11.2');
  expect(obtain({ BITCOIND: old })).toMatchObject({ reason: expect.stringContaining('is too old') });
  expect(obtain({ BITCOIND: join(home, 'nothing') })).toMatchObject({
    reason: expect.stringContaining('does not run'),
  });
});

it('takes one of the path, then one that was fetched before', () => {
  const fetched = program('cache/bitcoin', VERSION);
  expect(obtain()).toEqual({ path: fetched });
  const path = program('bin', VERSION);
  expect(obtain()).toEqual({ path });
  program('bin', 'not a node');
  expect(obtain()).toEqual({ path: fetched });
});

it('says what would help where there is none, and does not try again at once', () => {
  const { reason } = obtain() as { reason: string };
  expect(reason).toContain('there is no apt-get');
  expect(reason).toContain('BITCOIND');
  expect(obtain()).toMatchObject({ reason: expect.stringContaining('tried a moment ago') });
});

it('never shows a mirror', () => {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const tool = (name: string, body: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  tool('dpkg', 'exit 0');
  tool('apt-cache', 'exit 0');
  tool(
    'apt-get',
    'case "$*" in *indextargets*) echo "http://mirror.example/debian/ bookworm main";; *) echo "E: Failed to fetch http://mirror.example/debian/x" >&2; exit 100;; esac',
  );
  const { reason } = obtain({ PATH: `${bin}:/usr/bin:/bin` }) as { reason: string };
  expect(reason).toContain('cannot be fetched');
  expect(reason).not.toContain('mirror.example');
});
