import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';
import { type Bench, benchIn, pack } from './support/plugin-bench.js';

const run = promisify(execFile);
const KINDS = ['notifier', 'prices', 'liquidity', 'store', 'chain'] as const;
const PLUGINS = KINDS.map((kind) => ({ kind, name: `@acme/causeway-plugin-new-${kind}` }));

const INSTALL_MS = 900_000;

/** The tools that a new package asks for, in the versions that it pins, which are those of the checkout. */
const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const TOOLS = ['typescript', 'vitest', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);

let bench: Bench;

/** As a deployer does: nothing is linked, and nothing of the checkout is near. What cannot be had from the registry fails the test. */
async function npmInstall(folder: string, what: readonly string[]): Promise<void> {
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...what];
  await run('npm', args, { cwd: folder, timeout: INSTALL_MS, maxBuffer: 1 << 26 });
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-installed-'));
  // The embedded database has a part that is built, or fetched, when it is installed.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { sqlite3: true } }));
  const local = (tarballs: readonly string[]) => tarballs.map((tarball) => `./${relative(folder, tarball)}`);
  await npmInstall(folder, [...local(pack(ROOT, folder, ['--workspace', '@causeway/core'])), ...TOOLS]);
  bench = benchIn(folder, (tarballs) => npmInstall(folder, local(tarballs)));
  for (const { kind, name } of PLUGINS) bench.begin(name, kind);
  await bench.install(PLUGINS);
}, INSTALL_MS * 2);
afterAll(() => rmSync(bench.folder, { recursive: true, force: true }));

describe('packed core and packed plugins, installed by npm', () => {
  it.each(KINDS)(
    'compile and fail their kit with a list: %s',
    async (kind) => {
      expect(await bench.compile(kind)).toEqual({ code: 0, text: '' });
      const { code, text } = await bench.kit(kind);
      expect(code).toBe(1);
      expect(text).toMatch(/ cases pass, \d+ do not apply, \d+ to work through\n/);
    },
    120_000,
  );

  it('are loaded by their names', async () => {
    const { code, text } = await bench.doctorOfAll(PLUGINS);
    for (const { kind, name } of PLUGINS) expect(text).toContain(`new-${kind} (${name})`);
    expect(code, text).toBe(1);
  }, 60_000);

  it('need no store of their own: the embedded one is there', async () => {
    const { code, text } = await bench.doctor('notifier');
    expect(text).toContain('database: durable');
    expect(code, text).toBe(0);
  }, 60_000);
});
