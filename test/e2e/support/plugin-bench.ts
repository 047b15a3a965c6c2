import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/repository.js';

export interface Answer {
  readonly code: number;
  readonly text: string;
}

/** A folder outside of the checkout in which somebody begins plugins, with core as a package beside them. */
export interface Bench {
  readonly folder: string;
  /** `causeway plugin new`, into a folder of the kind's name. */
  begin(name: string, kind: string): Answer;
  compile(kind: string): Promise<Answer>;
  /** Packs it, as for a registry, and puts it beside core. */
  pack(name: string, kind: string): Promise<void>;
  /** Examines its `try/solver.yaml`. @param use what the config says of it there: `by path`, else its name. */
  doctor(kind: string, use: string): Promise<Answer>;
  kit(kind: string): Promise<Answer>;
}

/** What core depends on, and the compiler and the test runner, are those of the checkout; core is what `npm pack` makes of it. */
export function linkedBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@causeway'), { recursive: true });
  unpack(pack(ROOT, folder, ['--workspace', '@causeway/core']), join(modules, '@causeway/core'));
  for (const name of readdirSync(`${ROOT}node_modules`))
    if (!name.startsWith('.') && name !== '@causeway')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  mkdirSync(join(modules, '.bin'));
  for (const [bin, script] of [
    ['tsc', '../typescript/bin/tsc'],
    ['vitest', '../vitest/vitest.mjs'],
  ] as const)
    symlinkSync(script, join(modules, '.bin', bin));
  return benchIn(folder, (tarball, name) => unpack(tarball, join(modules, name)));
}

/** @param install puts a packed plugin beside core. */
export function benchIn(folder: string, install: (tarball: string, name: string) => void): Bench {
  const modules = join(folder, 'node_modules');
  const causeway = join(modules, '@causeway/core/bin/causeway.js');
  const at = (kind: string) => join(folder, kind);
  return {
    folder,
    begin: (name, kind) => {
      const args = [causeway, 'plugin', 'new', name, '--kind', kind, '--dir', at(kind)];
      return { code: 0, text: execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }) };
    },
    compile: (kind) => run(at(kind), join(modules, 'typescript/bin/tsc'), ['-p', 'tsconfig.json']),
    pack: async (name, kind) => install(pack(at(kind), folder), name),
    doctor: async (kind, use) => {
      const text = readFileSync(join(at(kind), 'try/solver.yaml'), 'utf8');
      if (use !== 'by path')
        writeFileSync(join(at(kind), 'try/solver.yaml'), text.replace('use: ../', `use: ${JSON.stringify(use)}`));
      const answer = await run(at(kind), 'try/doctor.mjs', []);
      writeFileSync(join(at(kind), 'try/solver.yaml'), text);
      return answer;
    },
    kit: (kind) => run(at(kind), join(modules, 'vitest/vitest.mjs'), ['run']),
  };
}

/** @returns the path of the tarball. */
export function pack(from: string, into: string, more: readonly string[] = []): string {
  // What a package builds before it is packed prints, too: the name of the tarball is the last line.
  const text = execFileSync('npm', ['pack', '--silent', '--pack-destination', into, ...more], {
    cwd: from,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return join(into, text.trim().split('\n').at(-1) ?? '');
}

function unpack(tarball: string, into: string): void {
  mkdirSync(dirname(into), { recursive: true });
  mkdirSync(into);
  execFileSync('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
}

/** A program of Node in a process of its own; what it says has no colours. */
function run(cwd: string, script: string, args: readonly string[]): Promise<Answer> {
  const { VITEST: _, VITEST_MODE: __, VITEST_WORKER_ID: ___, VITEST_POOL_ID: ____, ...rest } = process.env;
  const env = { ...rest, NODE_OPTIONS: '', NODE_ENV: '', NO_COLOR: '1', FORCE_COLOR: '0' };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, text: `${stdout}${stderr}` });
    });
  });
}
