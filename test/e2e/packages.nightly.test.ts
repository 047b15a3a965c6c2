import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';
import { typed } from './support/deployer.js';
import { pack } from './support/plugin-bench.js';

/** Installed by the test, so that they are no dependencies of the repository. */
const LINTERS = 'publint@0.3.25 @arethetypeswrong/cli@0.18.5';
const INSTALL_MS = 900_000;

const NAMES = ['core', ...readdirSync(`${ROOT}plugins`).map((name) => `plugin-${name}`)];
const folder = mkdtempSync(join(tmpdir(), 'causeway-packages-'));
const lint = join(folder, 'lint');
let tarballs: readonly string[];

const tarball = (name: string): string => {
  const found = tarballs.find((path) => path.includes(`/causeway-${name}-`));
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
};

beforeAll(async () => {
  tarballs = pack(
    ROOT,
    folder,
    NAMES.flatMap((name) => ['--workspace', `@causeway/${name}`]),
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { sqlite3: true } }));
  const all = tarballs.map((path) => JSON.stringify(path)).join(' ');
  // Apart, so that what the linters need does not count as what the packages need.
  mkdirSync(lint);
  writeFileSync(join(lint, 'package.json'), JSON.stringify({ private: true }));
  for (const [cwd, what] of [
    [folder, `--omit=optional ${all}`],
    [lint, LINTERS],
  ] as const) {
    const installed = await typed(`npm install ${what}`, { cwd, ms: INSTALL_MS });
    expect(installed, installed.text).toMatchObject({ code: 0 });
  }
}, INSTALL_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(NAMES)('the package of %s', (name) => {
  it('has its licence, its readme, and nothing of tests or sources', () => {
    const files = execFileSync('tar', ['-tzf', tarball(name)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md', 'package/package.json']));
    const odd = files.filter(
      (file) => /^package\/(src|test|node_modules|scripts)\//.test(file) || /\.(tsbuildinfo|map)$/.test(file),
    );
    expect(odd).toEqual([]);
  });

  it('is published as publint and arethetypeswrong want it', async () => {
    const linted = await typed(
      `npx publint run ${tarball(name)} --strict && npx attw ${tarball(name)} --profile esm-only --no-emoji`,
      { cwd: lint },
    );
    expect(linted.code, linted.text).toBe(0);
  }, 120_000);

  it('gives every entry to a program in a folder without the checkout', async () => {
    const { exports } = JSON.parse(
      readFileSync(join(folder, 'node_modules/@causeway', name, 'package.json'), 'utf8'),
    ) as { readonly exports: Readonly<Record<string, unknown>> };
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'));
    expect(entries).toContain('.');
    // Kits are for test runners, and local chains for development.
    const usual = entries.filter((entry) => !['./testing', './devnet'].includes(entry));
    const lines = usual.map((entry) => `await import('@causeway/${name}${entry.slice(1)}');`);
    writeFileSync(join(folder, `${name}.mjs`), ["import 'reflect-metadata';", ...lines].join('\n'));
    const { code, text } = await typed(`node ${name}.mjs`, { cwd: folder });
    expect(code, text).toBe(0);
  });
});

it('needs neither a local chain nor a compiler in production', async () => {
  const { text } = await typed('npm ls --all --omit=dev --omit=optional --parseable', { cwd: folder });
  expect(text).toContain('node_modules/viem');
  expect(text).not.toMatch(/node_modules\/(@foundry-rs|solc|esbuild|vitest|litesvm)/);
  // Only the library of Solana's tokens asks for it, as a peer, and never runs it.
  const { text: why } = await typed('npm explain typescript', { cwd: folder });
  const askers = [...why.matchAll(/^\s*(?:peer )?typescript@\S+ from (\S+)@/gm)].map(([, name]) => name);
  expect(askers.length).toBeGreaterThan(0);
  expect(askers.filter((name) => name?.startsWith('@solana/') !== true)).toEqual([]);
});
