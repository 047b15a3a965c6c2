import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type BlockList, parseList } from './parse-list.js';

interface Loaded {
  readonly mark: string;
  readonly list: BlockList;
}

const MAX_TRIES = 3;

export class ListFile {
  readonly #path: string;
  #loaded: Loaded;
  #loading: Promise<Loaded> | undefined;

  /** Reads it at once. @throws where it is unreadable or malformed. */
  constructor(path: string) {
    this.#path = path;
    const mark = markOf(statSync(path, { bigint: true }));
    this.#loaded = { mark, list: parseList(readFileSync(path, 'utf8')) };
  }

  /**
   * The current list, read again after a change. An unreadable file leaves no older list in force, because addresses
   * added since would pass.
   *
   * @throws where it is unreadable or a line is malformed.
   */
  async now(): Promise<BlockList> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (markOf(await stat(this.#path, { bigint: true })) === this.#loaded.mark) return this.#loaded.list;
      // A concurrent load may have begun before the last change.
      this.#loading ??= load(this.#path).finally(() => {
        this.#loading = undefined;
      });
      this.#loaded = await this.#loading;
    }
    throw new Error(`${this.#path} keeps changing`);
  }
}

/** The file may change while it is read: the text is of one moment, or it is read again next time. */
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
