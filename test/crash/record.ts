import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT, repositoryFiles } from '../support/repository.js';
import { FLOWS } from './flows.js';

const FILE = `${ROOT}.causeway/crash-matrix.json`;

interface DryRun {
  readonly code: string;
  readonly reached: Readonly<Record<string, number>>;
}

interface Entry {
  readonly at: number;
  readonly runs: number;
  readonly failed: boolean;
}

interface Content {
  readonly dryRuns: Record<string, DryRun>;
  readonly plays: Record<string, Entry>;
}

/** Not in version control. Each run continues where the previous one ended; parallel shards merge their entries. */
export class RunRecord {
  readonly code = fingerprint();
  readonly #content = read();

  dryRun(flow: string): ReadonlyMap<string, number> | undefined {
    const found = this.#content.dryRuns[flow];
    return found?.code === this.code ? new Map(Object.entries(found.reached)) : undefined;
  }

  keepDryRun(flow: string, reached: ReadonlyMap<string, number>): void {
    this.#content.dryRuns[flow] = { code: this.code, reached: Object.fromEntries(reached) };
    this.#save();
  }

  of(play: string): Entry | undefined {
    return this.#content.plays[play];
  }

  keep(play: string, failed: boolean): void {
    const runs = (this.of(play)?.runs ?? 0) + 1;
    this.#content.plays[play] = { at: Date.now(), runs, failed };
    this.#save();
  }

  #save(): void {
    const newest = read();
    const plays = { ...newest.plays };
    for (const [name, entry] of Object.entries(this.#content.plays))
      if (entry.at >= (plays[name]?.at ?? 0)) plays[name] = entry;
    const dryRuns = { ...newest.dryRuns };
    for (const [name, run] of Object.entries(this.#content.dryRuns)) if (run.code === this.code) dryRuns[name] = run;
    mkdirSync(dirname(FILE), { recursive: true, mode: 0o700 });
    writeFileSync(`${FILE}.${process.pid}`, JSON.stringify({ dryRuns, plays }));
    renameSync(`${FILE}.${process.pid}`, FILE);
  }
}

function read(): Content {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Content;
  } catch {
    return { dryRuns: {}, plays: {} };
  }
}

function fingerprint(): string {
  const hash = createHash('sha256').update(FLOWS.map(({ name }) => name).join());
  const files = repositoryFiles(/^(core|plugins\/[^/]+)\/(src|contracts)\/(?!testing\/)|^test\/(crash|support)\//);
  for (const { path, text } of files) hash.update(path).update(text);
  return hash.digest('hex');
}

/** Order of plays that never ran: the same in every run of one commit, another in the next. */
export function shuffle(name: string): string {
  return createHash('sha256').update(commit()).update(name).digest('hex');
}

let known: string | undefined;

function commit(): string {
  try {
    known ??= execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    known = 'not a checkout';
  }
  return known;
}
