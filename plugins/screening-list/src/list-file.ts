import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type BlockList, parseList } from './parse-list.js';

interface Loaded {
  /** Tells this state of the file from any other. */
  readonly mark: string;
  readonly list: BlockList;
}

const MOST_TRIES = 3;

/** A list in a file, as the file is now. */
export class ListFile {
  readonly #path: string;
  #loaded: Loaded;
  #loading: Promise<Loaded> | undefined;

  /** Reads it at once. @throws where it cannot be read, or says nothing. */
  constructor(path: string) {
    this.#path = path;
    const mark = markOf(statSync(path, { bigint: true }));
    this.#loaded = { mark, list: parseList(readFileSync(path, 'utf8')) };
  }

  /**
   * The list, read anew where the file changed since. All of it or nothing: what cannot be read leaves no older list in force, because
   * whoever was added since would pass.
   *
   * @throws where it cannot be read, or a line of it says nothing.
   */
  async now(): Promise<BlockList> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (markOf(await stat(this.#path, { bigint: true })) === this.#loaded.mark) return this.#loaded.list;
      // Another question may have begun to read it before it changed last.
      this.#loading ??= load(this.#path).finally(() => {
        this.#loading = undefined;
      });
      this.#loaded = await this.#loading;
    }
    throw new Error(`${this.#path} keeps changing`);
  }
}

/** The file may be written while it is read: what was read is the file of one moment, or it is read again the next time. */
async function load(path: string): Promise<Loaded> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    const before = markOf(await handle.stat({ bigint: true }));
    const list = parseList(await handle.readFile('utf8'));
    const after = markOf(await handle.stat({ bigint: true }));
    if (before !== after) throw new Error(`${path} changed while it was read`);
    return { mark: before, list };
  } finally {
    await handle?.close();
  }
}

interface State {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

function markOf({ ino, size, mtimeNs }: State): string {
  return `${ino}:${size}:${mtimeNs}`;
}
