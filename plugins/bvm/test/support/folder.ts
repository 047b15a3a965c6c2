import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** More than all nodes of a run use at once. */
const ENOUGH = 1_000_000_000;

/** In memory if it fits, because nodes sync to disk at every block. */
export function tempDir(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** For a node that restarts; the caller removes it. */
export function newFolder(): string {
  return mkdtempSync(join(tempDir(), 'causeway-bvm-kept-'));
}
