import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../support/documents.js';
import { ROOT } from '../support/repository.js';
import { until } from '../support/until.js';
import { type Bench, benchIn, pack } from './support/plugin-bench.js';

const run = promisify(execFile);
const KINDS = ['notifier', 'prices', 'liquidity', 'screening', 'store', 'chain'] as const;
const PLUGINS = KINDS.map((kind) => ({ kind, name: `@acme/causeway-plugin-new-${kind}` }));

const INSTALL_MS = 900_000;

/** The tools of a new package in its pinned versions, which are the checkout's. */
const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const TOOLS = ['typescript', 'vitest', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);

let bench: Bench;
let core = '';

/** A real installation without links; an unavailable registry fails the test. */
async function npmInstall(folder: string, what: readonly string[]): Promise<void> {
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...what];
  await run('npm', args, { cwd: folder, timeout: INSTALL_MS, maxBuffer: 1 << 26 });
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-installed-'));
  // The embedded database builds or downloads a native part at installation.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { sqlite3: true } }));
  const local = (tarballs: readonly string[]) => tarballs.map((tarball) => `./${relative(folder, tarball)}`);
  const packed = pack(ROOT, folder, ['--workspace', '@causeway/core']);
  [core = ''] = packed;
  await npmInstall(folder, [...local(packed), ...TOOLS]);
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

describe('the guide to a chain', () => {
  /** Typed commands, in the folder that the first one creates. Core is the packed one, which no registry has. */
  const typed = async (commands: string, cwd: string): Promise<{ readonly code: number; readonly text: string }> => {
    const line = commands.replace('--kind chain', `--kind chain --core file:${core}`);
    const env = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|npm_)/.test(name));
    const options = {
      cwd,
      env: { ...Object.fromEntries(env), NO_COLOR: '1' },
      maxBuffer: 1 << 26,
      timeout: INSTALL_MS,
    };
    return run('bash', ['-ec', line], options).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, text: stdout + stderr }),
    );
  };

  /** Replaces what is not written by the example chain, on two local chains. */
  async function written(folder: string): Promise<void> {
    const example = `${ROOT}test/fixtures/example-chain`;
    for (const old of ['src', 'test']) rmSync(join(folder, old), { recursive: true });
    for (const part of ['src', 'node']) cpSync(join(example, part), join(folder, part), { recursive: true });
    const { dependencies } = JSON.parse(readFileSync(`${example}/package.json`, 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    await npmInstall(
      folder,
      Object.entries(dependencies).map(([name, range]) => `${name}@${range}`),
    );
    const chain = (id: number, name: string) =>
      `{ id: ${id}, name: ${name}, displayName: ${name}, rpc: devnet, blockTimeMs: 300, messageLifeS: 20, finality: { depth: 2 } }`;
    writeFileSync(
      join(folder, 'try/solver.yaml'),
      `service:
  network: local
  port: ${await freePorts()}
  orders: { ttl: 60s, deadlineMargin: 5s }
  fills: { inclusionWindow: 20s }
plugins:
  - use: ../
    options: { chains: [${chain(990_001, 'here')}, ${chain(990_002, 'there')}] }
  - use: builtin:static-prices
    options: { prices: { example-coin: 0.5 } }
`,
    );
  }

  async function moved([dev = '', ...others]: readonly string[], folder: string): Promise<void> {
    const build = spawn('bash', ['-ec', `exec ${dev}`], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [build.stdout, build.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
    try {
      await until('the local build is up', () => said.includes('next: causeway demo'), {
        ms: 120_000,
        seen: () => said,
      });
      const [demo, audit] = [await typed(others[0] ?? '', folder), await typed(others[1] ?? '', folder)];
      expect(demo.text).toMatch(/all \d+ succeeded/);
      expect(demo.code).toBe(0);
      expect(audit, audit.text).toMatchObject({ code: 0 });
    } finally {
      process.kill(-(build.pid ?? 0), 'SIGINT');
      await once(build, 'close');
    }
  }

  it(
    'is followed word by word, from an empty folder to a package',
    async () => {
      const blocks = codeBlocks(readFileSync(`${ROOT}core/docs/plugins/chain.md`, 'utf8'), 'sh');
      expect(blocks).toHaveLength(3);
      const [start = '', local = '', publish = ''] = blocks;
      const [make = '', enter = '', ...rest] = start.trim().split('\n');
      expect((await typed(make, bench.folder)).text).toContain('acme-chain');
      const folder = join(bench.folder, enter.replace('cd ', ''));
      const [install = '', check = '', doctor = '', test = ''] = rest;
      expect((await typed(install, folder)).code).toBe(0);
      expect(await typed(check, folder)).toMatchObject({ code: 0 });
      expect((await typed(doctor, folder)).text).toContain('not written yet');
      const kit = await typed(test, folder);
      expect(kit.code).toBe(1);
      expect(kit.text).toMatch(/ cases pass, \d+ do not apply, \d+ to work through\n/);
      await written(folder);
      expect(await typed(check, folder)).toMatchObject({ code: 0 });
      expect(await typed('npm run build', folder)).toMatchObject({ code: 0 });
      await moved(local.trim().split('\n'), folder);
      const packed = await typed(publish, folder);
      expect(packed.text).toContain('acme-chain-0.1.0.tgz');
      expect(packed.code).toBe(0);
    },
    INSTALL_MS,
  );
});
