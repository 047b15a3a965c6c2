import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/repository.js';

export interface Answer {
  readonly code: number;
  readonly text: string;
}

export interface Begun {
  readonly kind: string;
  readonly name: string;
}

/** A folder outside of the checkout with core installed, for new plugins by kind. */
export interface Bench {
  readonly folder: string;
  begin(name: string, kind: string): string;
  /** Packs and installs them next to core. */
  install(plugins: readonly Begun[]): Promise<void>;
  compile(kind: string): Promise<Answer>;
  doctor(kind: string): Promise<Answer>;
  /** A config in the folder that names all of them. */
  doctorOfAll(plugins: readonly Begun[]): Promise<Answer>;
  kit(kind: string): Promise<Answer>;
}

/** Core and plugins as packed by `npm pack`; everything else is linked from the checkout. */
export function linkedBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  const [core = ''] = pack(ROOT, folder, ['--workspace', '@causeway/core']);
  unpack(core, join(modules, '@causeway/core'));
  for (const name of readdirSync(`${ROOT}node_modules`))
    if (!name.startsWith('.') && name !== '@causeway')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  symlinkSync('../typescript/bin/tsc', join(modules, '.bin/tsc'));
  return benchIn(folder, async (tarballs, plugins) => {
    for (const [n, { name }] of plugins.entries()) unpack(tarballs[n] ?? '', join(modules, name));
  });
}

export function benchIn(
  folder: string,
  install: (tarballs: readonly string[], plugins: readonly Begun[]) => Promise<void>,
): Bench {
  const modules = join(folder, 'node_modules');
  const causeway = join(modules, '@causeway/core/bin/causeway.js');
  const at = (kind: string) => join(folder, kind);
  const configOf = (kind: string) => readFileSync(join(at(kind), 'try/solver.yaml'), 'utf8');
  return {
    folder,
    begin: (name, kind) => {
      const args = [causeway, 'plugin', 'new', name, '--kind', kind, '--dir', at(kind)];
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    },
    install: async (plugins) => {
      const tarballs = pack(
        folder,
        folder,
        plugins.map(({ kind }) => `./${kind}`),
      );
      await install(tarballs, plugins);
    },
    compile: (kind) => run(at(kind), join(modules, 'typescript/bin/tsc'), ['-p', 'tsconfig.json']),
    doctor: (kind) => run(at(kind), 'try/doctor.mjs', []),
    doctorOfAll: (plugins) => {
      const [head = ''] = configOf('prices').split('plugins:');
      // A service needs the last entry of each.
      const entries = plugins.map(
        ({ kind, name }) => `  - use: ${JSON.stringify(name)}${configOf(kind).split('use: ../')[1]}`,
      );
      writeFileSync(join(folder, 'solver.yaml'), `${head}plugins:\n${entries.join('')}`);
      const key = '11'.repeat(32);
      const keys = { CAUSEWAY_ORDER_KEY: key, EVENTS_TOKEN: key, SCREENING_TOKEN: key, FILL_KEY: key };
      return run(folder, causeway, ['doctor', 'solver.yaml'], keys);
    },
    kit: (kind) => run(at(kind), join(modules, 'vitest/vitest.mjs'), ['run']),
  };
}

export function pack(from: string, into: string, what: readonly string[]): readonly string[] {
  const text = execFileSync('npm', ['pack', '--silent', '--pack-destination', into, ...what], {
    cwd: from,
    encoding: 'utf8',
    env: plainEnvironment(),
  });
  return text
    .split('\n')
    .filter((line) => line.endsWith('.tgz'))
    .map((name) => join(into, name.trim()));
}

function unpack(tarball: string, into: string): void {
  mkdirSync(into, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
}

/** Without the test runner's variables. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const plain = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|npm_)/.test(name));
  return { ...Object.fromEntries(plain), NO_COLOR: '1', FORCE_COLOR: '0' };
}

export function run(
  cwd: string,
  script: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const env = { ...plainEnvironment(), ...more };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, text: `${stdout}${stderr}` });
    });
  });
}
