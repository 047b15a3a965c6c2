import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from './fingerprint.js';

export interface SeedRecord {
  readonly fingerprint: string;
  readonly fillSigner: string;
  readonly allocator: string;
  /** Newest block at the end of set-up. A chain without it is another one or lost its tail. */
  readonly anchor: { readonly height: number; readonly hash: string };
}

export interface StateFiles {
  readonly state: string;
  readonly record: string;
  readonly cache: string;
}

export function stateFiles(stateDir: string): StateFiles {
  return { state: join(stateDir, 'anvil.json'), record: join(stateDir, 'seed.json'), cache: join(stateDir, 'cache') };
}

/** Before start: removes state of another build, truncated state, and a record without state. */
export function discardUnusable(stateDir: string): void {
  const files = stateFiles(stateDir);
  rmSync(files.cache, { recursive: true, force: true });
  mkdirSync(files.cache, { recursive: true });
  if (readRecord(stateDir)?.fingerprint === fingerprint && isWhole(files.state)) return;
  rmSync(files.state, { force: true });
  rmSync(files.record, { force: true });
}

export function readRecord(stateDir: string): SeedRecord | undefined {
  const { record } = stateFiles(stateDir);
  if (!existsSync(record)) return undefined;
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as SeedRecord;
  } catch {
    return undefined;
  }
}

export function writeRecord(stateDir: string, record: SeedRecord): void {
  const path = stateFiles(stateDir).record;
  writeFileSync(`${path}.tmp`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${path}.tmp`, path);
}

/** A truncated dump lacks the closing brace. Reads one byte: dumps have many megabytes. */
function isWhole(path: string): boolean {
  if (!existsSync(path)) return false;
  const { size } = statSync(path);
  if (size === 0) return false;
  const file = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    return last.toString() === '}';
  } finally {
    closeSync(file);
  }
}
