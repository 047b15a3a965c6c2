import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ROOT, repositoryFiles } from '../support/repository.js';
import type { Lane } from './guard.js';
import { MARKED } from './markers.js';

export interface Verdict {
  /** `red`: a test failed. `green`: all passed. `broken`: nothing ran, which proves nothing. */
  readonly outcome: 'red' | 'green' | 'broken';
  /** The first failing test, or why nothing ran. */
  readonly what: string;
  readonly seconds: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Lanes are as whole as at night, but for the simulation: it plays its kept seeds and as few others as it may, because they
 * find a missing guard within the first dozens.
 */
const ENV = { CI: '', CAUSEWAY_NIGHTLY: '1', CAUSEWAY_SIM_SECONDS: '0' };

/** Tests that start the service as it is built; all others run from sources. */
const BUILT = /^test\/(?:e2e|crash|faults|scars|sdk)\//;
const BUILD_TIMEOUT_MS = 300_000;

/**
 * A copy of the working tree in which guards can be removed while others work on the original. Installed packages are
 * linked one by one, because the workspace packages among them must be those of the copy.
 */
export class Workshop {
  readonly dir = mkdtempSync(join(tmpdir(), 'causeway-mutation-'));
  #end: () => void = () => undefined;

  /** @param commit whose files to copy; the working tree's when not given. */
  constructor(commit?: string) {
    if (commit === undefined) this.#copyWorkingTree();
    else this.#checkOut(commit);
    this.#link('node_modules');
    for (const folder of ['core', ...readdirSync(join(ROOT, 'plugins')).map((name) => join('plugins', name))]) {
      this.#link(join(folder, 'node_modules'));
      const generated = join(folder, 'src', 'generated');
      if (existsSync(join(ROOT, generated)))
        cpSync(join(ROOT, generated), join(this.dir, generated), { recursive: true });
    }
  }

  #copyWorkingTree(): void {
    for (const { path } of repositoryFiles(/./)) {
      mkdirSync(dirname(join(this.dir, path)), { recursive: true });
      copyFileSync(join(ROOT, path), join(this.dir, path));
    }
  }

  #checkOut(commit: string): void {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: ROOT,
      maxBuffer: 256 * 1024 * 1024,
    });
    execFileSync('tar', ['-x', '-C', this.dir], { input: archive });
  }

  #link(folder: string): void {
    if (!existsSync(join(ROOT, folder))) return;
    mkdirSync(join(this.dir, folder), { recursive: true });
    for (const name of readdirSync(join(ROOT, folder))) {
      if (name === '@causeway') {
        // Relative links into the workspace: copied as they are, they lead into the copy.
        cpSync(join(ROOT, folder, name), join(this.dir, folder, name), { recursive: true, verbatimSymlinks: true });
      } else {
        symlinkSync(join(ROOT, folder, name), join(this.dir, folder, name));
      }
    }
  }

  /** Files of the product that may have markers. */
  product(): readonly string[] {
    const folders = ['core', ...readdirSync(join(this.dir, 'plugins')).map((name) => join('plugins', name))];
    return folders
      .flatMap((folder) => [join(folder, 'src'), join(folder, 'contracts')])
      .filter((folder) => existsSync(join(this.dir, folder)))
      .flatMap((folder) =>
        readdirSync(join(this.dir, folder), { recursive: true }).map((name) => join(folder, String(name))),
      )
      .filter((file) => MARKED.test(file));
  }

  read(file: string): string {
    return readFileSync(join(this.dir, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.dir, file), text);
  }

  /** Ends what runs in it, too. */
  remove(): void {
    this.#end();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /**
   * Generates what is made from other sources: the contracts' code.
   *
   * @returns why it could not, or null.
   */
  async generate(): Promise<string | null> {
    const args = ['run', 'generate', '--workspaces', '--if-present', '--silent'];
    const { code, output } = await this.#run('npm', args, 300_000);
    return code === 0 ? null : `nothing was generated: ${output.slice(0, 300)}`;
  }

  async run(lane: Lane, timeoutMs: number): Promise<Verdict> {
    const began = performance.now();
    const built = lane.files.some((file) => BUILT.test(file)) ? await this.#build() : null;
    if (built !== null) return { outcome: 'broken', what: built, seconds: (performance.now() - began) / 1000 };
    const report = join(this.dir, 'mutation-report.json');
    rmSync(report, { force: true });
    const args = [
      'vitest',
      'run',
      '--project',
      lane.project,
      '--bail',
      '1',
      '--reporter=json',
      `--outputFile=${report}`,
      ...(lane.test === undefined ? [] : ['--testNamePattern', lane.test]),
    ];
    const { output, timedOut } = await this.#run('npx', ['--no-install', ...args, ...lane.files], timeoutMs);
    const seconds = (performance.now() - began) / 1000;
    // A guard whose loss makes the tests hang is missed as much as one that makes them fail.
    if (timedOut) return { outcome: 'red', what: `no end within ${timeoutMs / 1000} s`, seconds };
    return { ...this.#verdictOf(report, output), seconds };
  }

  /** @returns why it could not, or null. */
  async #build(): Promise<string | null> {
    const { code, output } = await this.#run('npm', ['run', '--silent', 'build'], BUILD_TIMEOUT_MS);
    return code === 0 ? null : `it cannot be built: ${output.slice(-500)}`;
  }

  #run(command: string, args: readonly string[], timeoutMs: number) {
    return new Promise<{ code: number | null; output: string; timedOut: boolean }>((resolve) => {
      const child = spawn(command, args, { cwd: this.dir, detached: true, env: { ...process.env, ...ENV } });
      let output = '';
      let timedOut = false;
      const collect = (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-20_000);
      };
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      const end = () => {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      };
      this.#end = end;
      const timer = setTimeout(() => {
        timedOut = true;
        end();
      }, timeoutMs);
      child.once('close', (code) => {
        clearTimeout(timer);
        this.#end = () => undefined;
        resolve({ code, output, timedOut });
      });
    });
  }

  #verdictOf(file: string, output: string): Pick<Verdict, 'outcome' | 'what'> {
    if (!existsSync(file)) return { outcome: 'broken', what: `no report: ${output.slice(-500)}` };
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    for (const { name, assertionResults } of report.testResults) {
      const failed = assertionResults.find(({ status }) => status === 'failed');
      if (failed) return { outcome: 'red', what: `${relative(this.dir, name)}: ${failed.fullName}` };
    }
    const unloaded = report.testResults.find(({ message }) => message !== '');
    if (unloaded) return { outcome: 'broken', what: unloaded.message.slice(0, 500) };
    if (report.numPassedTests === 0) return { outcome: 'broken', what: `no test ran: ${output.slice(-500)}` };
    return { outcome: 'green', what: `${report.numPassedTests} passed` };
  }
}
