import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** More than all nodes of a run have at once. */
const ENOUGH = 1_000_000_000;

/** Where nodes keep what is thrown away: in memory where the machine has room, because they wait for disks at every block. */
export function tempDir(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** An empty one, for a node that ends and starts again. Whoever asks removes it. */
export function newFolder(): string {
  return mkdtempSync(join(tempDir(), 'causeway-bvm-kept-'));
}
