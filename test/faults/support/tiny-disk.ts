import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A way to make a process's file writes fail and work again. */
export interface DiskFault {
  readonly begin: (pid: number) => void;
  readonly end: (pid: number) => void;
}

/** A file system of a few megabytes that the test can fill. Only root may mount one. */
export class TinyDisk implements DiskFault {
  readonly dir = mkdtempSync(join(tmpdir(), 'causeway-disk-'));

  constructor(megabytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'causeway-test', this.dir]);
  }

  static get possible(): boolean {
    return process.getuid?.() === 0;
  }

  begin(): void {
    const ballast = join(this.dir, 'ballast');
    for (let size = 8 * 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
      // Smaller pieces, until not one byte more fits.
      for (;;) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          break;
        }
      }
    }
  }

  end(): void {
    rmSync(join(this.dir, 'ballast'));
  }

  remove(): void {
    execFileSync('umount', [this.dir]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Every write of the process to a file fails, as on a broken device. Pipes and sockets work. */
export const unwritable: DiskFault = {
  begin: (pid) => limitFileSize(pid, '0'),
  end: (pid) => limitFileSize(pid, 'unlimited'),
};

function limitFileSize(pid: number, soft: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:unlimited`]);
}
