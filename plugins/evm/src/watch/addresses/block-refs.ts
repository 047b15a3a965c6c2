import type { BlockRef, Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { blockRef } from '../../finality.js';
import { headerAt, ViewMoved } from '../../logs/view-moved.js';
import { type Head, headRef } from '../heads.js';

/** Blocks that one reading looks up. */
const MAX_CACHED_BLOCKS = 16;

/** Blocks by height, of the chain that the head is on; each read once. */
export class BlockRefs {
  readonly #provider: Provider;
  readonly #known: Map<number, BlockRef>;
  #left = MAX_CACHED_BLOCKS;

  constructor(head: Head) {
    this.#provider = head.provider;
    this.#known = new Map([[head.height, headRef(head)]]);
  }

  /**
   * Undefined once `MAX_CACHED_BLOCKS` were looked up.
   *
   * @param id of the expected block.
   * @throws ViewMoved if another block is at that height by now.
   */
  async of(height: number, id: Hex | string): Promise<BlockRef | undefined> {
    const block = await this.at(height);
    if (block !== undefined && block.id !== id) throw new ViewMoved(`block ${height} is of another fork`);
    return block;
  }

  /** Undefined once `MAX_CACHED_BLOCKS` were looked up. */
  async at(height: number): Promise<BlockRef | undefined> {
    const known = this.#known.get(height);
    if (known !== undefined || this.#left === 0) return known;
    this.#left -= 1;
    const block = blockRef(await headerAt(this.#provider, height));
    this.#known.set(height, block);
    return block;
  }
}
