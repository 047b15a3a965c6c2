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

/** The attempt that was made durable last, as its ledger names it. */
export interface Signed {
  readonly chainId: number;
  readonly hash: string;
}

/** What the machine remembers of a ledger. */
export interface Remembered {
  readonly epoch: string;
  /** Null: none in this epoch so far. */
  readonly newest: Signed | null;
}

/** Linux's mark of a file system that is nowhere but in memory. */
const TMPFS = 0x01021994;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** Written whole each time, so that a page of it is there for good, and what is shorter leaves nothing behind. */
const BYTES = 1_024;

/**
 * A note about a ledger in the machine's memory: it survives the end of a process, and no backup, snapshot or copy of a disk
 * brings an older note back. It is gone after a restart of the machine.
 *
 * Invariant: an attempt is noted here before its caller learns that it is durable. So a ledger that has the newest noted
 * attempt has every attempt that may have been sent; a ledger that lacks it has lost a part of itself.
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
   * @returns undefined where this machine has no such memory, or somebody else could write to it.
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
      // Without it every start proves less, and waits.
      if (file !== undefined) closeSync(file);
    }
    return undefined;
  }

  /** Undefined where it says nothing, or nothing of this run of the machine. */
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

  /** @throws where neither the new note can be written nor the old note be removed. */
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

  /** Removes the note and writes no more notes, so that the next start waits. @throws where it cannot be removed. */
  forget(): void {
    if (this.#file === undefined) return;
    try {
      // Its name may be out of reach where its content is not.
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
