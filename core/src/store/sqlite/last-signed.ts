import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Signed {
  readonly chainId: number;
  readonly hash: string;
}

export interface Remembered {
  readonly epoch: string;
  readonly newest: Signed | null;
}

const TMPFS = 0x01021994;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** Fixed size: allocates the page once and overwrites longer notes completely. */
const BYTES = 1_024;

/**
 * A note in the machine's memory: survives the process, not a reboot, and no backup or disk snapshot restores an older
 * one.
 *
 * Invariant: an attempt is noted before its caller learns that it is durable. So a ledger with the newest noted attempt
 * has every attempt that may have been sent; one without it has lost data.
 */
export class LastSigned {
  readonly #path: string;
  readonly #boot: string;
  #file: number | undefined;

  private constructor(path: string, boot: string, file: number) {
    this.#path = path;
    this.#boot = boot;
    this.#file = file;
  }

  /**
   * @param database its file, which exists. @param folder in memory.
   * @returns undefined if this machine has no such memory, or others could write to it.
   */
  static open(database: string, folder: string): LastSigned | undefined {
    let file: number | undefined;
    try {
      const boot = readFileSync(BOOT_ID, 'utf8').trim();
      if (boot === '' || statfsSync(folder).type !== TMPFS) return undefined;
      const name = createHash('sha256').update(realpathSync(database)).digest('hex').slice(0, 32);
      const path = join(folder, `causeway-${name}`);
      const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
      file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      const { uid, mode, nlink } = fstatSync(file);
      if (uid === process.getuid?.() && (mode & 0o077) === 0 && nlink === 1) return new LastSigned(path, boot, file);
      closeSync(file);
    } catch {
      // A note is optional: without one, the next start proves less and waits longer.
      if (file !== undefined) closeSync(file);
    }
    return undefined;
  }

  /** Undefined without a valid note of this boot. */
  read(): Remembered | undefined {
    const buffer = Buffer.alloc(BYTES);
    try {
      if (this.#file === undefined || readSync(this.#file, buffer, 0, BYTES, 0) === 0) return undefined;
      const { boot, epoch, newest } = JSON.parse(buffer.toString('utf8')) as Remembered & { readonly boot: string };
      return boot === this.#boot && typeof epoch === 'string' ? { epoch, newest } : undefined;
    } catch {
      return undefined;
    }
  }

  note(remembered: Remembered): void {
    if (this.#file === undefined) return;
    const text = JSON.stringify({ boot: this.#boot, ...remembered });
    try {
      if (Buffer.byteLength(text) > BYTES) throw new RangeError('too long to be noted');
      if (writeSync(this.#file, text.padEnd(BYTES), 0, 'utf8') < BYTES) throw new RangeError('not noted whole');
    } catch {
      this.forget();
    }
  }

  /** Removes the note permanently, so that the next start waits. @throws if it cannot be removed. */
  forget(): void {
    if (this.#file === undefined) return;
    try {
      // The content may be writable where the name cannot be unlinked.
      ftruncateSync(this.#file);
    } catch {
      unlinkSync(this.#path);
    }
    this.close();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
