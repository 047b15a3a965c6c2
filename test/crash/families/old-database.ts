import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../support/config.js';

const ENDS = ['', '-wal', '-shm'];

/** A copy of a service's database to restore later. The service must not run meanwhile. */
export class OldDatabase {
  readonly #kept: string;
  readonly #database: string;

  constructor({ dir, database }: Pick<Home, 'dir' | 'database'>) {
    this.#kept = join(dir, 'old.db');
    this.#database = database;
  }

  keep(): void {
    copyAll(this.#database, this.#kept);
  }

  restore(): void {
    copyAll(this.#kept, this.#database);
  }
}

function copyAll(from: string, to: string): void {
  for (const end of ENDS) {
    rmSync(`${to}${end}`, { force: true });
    if (existsSync(`${from}${end}`)) copyFileSync(`${from}${end}`, `${to}${end}`);
  }
}
