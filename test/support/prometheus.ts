import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { ROOT } from './repository.js';
import { until } from './until.js';

const CACHE = `${ROOT}node_modules/.cache/causeway/prometheus`;

/**
 * Folder of `prometheus` and `promtool`: those of the machine, else Debian's package, fetched and checked by apt and
 * unpacked without an installation.
 */
export function prometheusFolder(): string {
  const own = (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, 'promtool')));
  if (own !== undefined) return own;
  const unpacked = join(CACHE, 'usr/bin');
  if (existsSync(join(unpacked, 'promtool'))) return unpacked;
  mkdirSync(CACHE, { recursive: true });
  execFileSync('apt-get', ['download', '-qq', 'prometheus'], { cwd: CACHE, stdio: 'pipe' });
  const file = readdirSync(CACHE).find((name) => name.endsWith('.deb'));
  if (file === undefined) throw new Error('apt-get download prometheus left no package');
  execFileSync('dpkg-deb', ['-x', join(CACHE, file), CACHE], { stdio: 'pipe' });
  return unpacked;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state: string;
}

/** A server that scrapes one target each second. */
export class Prometheus {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** @param folder for its data. @param key Bearer token of the target. */
  static async start(folder: string, target: string, key: string, rules: string): Promise<Prometheus> {
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [
        { job_name: 'causeway', authorization: { credentials: key }, static_configs: [{ targets: [target] }] },
      ],
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const port = await freePorts();
    const flags = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'prometheus-data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn(join(prometheusFolder(), 'prometheus'), flags, { stdio: 'ignore' });
    const server = new Prometheus(child, `http://127.0.0.1:${port}`);
    await until('Prometheus is ready', async () => (await fetch(`${server.#url}/-/ready`)).ok, { ms: 30_000 });
    return server;
  }

  /** @throws with Prometheus's words where the expression is wrong. */
  async query(expression: string): Promise<readonly Sample[]> {
    const answer = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const body = (await answer.json()) as { readonly error?: string; readonly data?: { readonly result: Sample[] } };
    if (body.data === undefined) throw new Error(`${expression}: ${body.error}`);
    return body.data.result;
  }

  async rules(): Promise<readonly Rule[]> {
    const answer = await fetch(`${this.#url}/api/v1/rules`);
    const body = (await answer.json()) as { readonly data: { readonly groups: readonly { rules: Rule[] }[] } };
    return body.data.groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
