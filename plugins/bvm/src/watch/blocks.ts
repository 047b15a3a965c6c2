import { TransportError } from '@causeway/core/rpc';
import { type BlockInterest, type ScannedBlock, scanBlock } from '../raw/block.js';
import { MalformedError } from '../raw/reader.js';
import { blockBytes, type Node, ViewMoved } from '../rpc/node.js';

/** Several readers request the newest blocks at nearly the same time. */
const MAX_CACHED_BLOCKS = 3;

/** Caches only bytes, which each reader scans: memory does not grow with readers or findings. */
export class Blocks {
  readonly #kept = new Map<string, Promise<Buffer>>();

  /** @throws ViewMoved if the node does not have it, TransportError if another block came, PrunedError. */
  async scan(node: Node, id: string, interest: BlockInterest): Promise<ScannedBlock> {
    const bytes = await this.#bytes(node, id);
    try {
      return scanBlock(bytes, id, interest);
    } catch (error) {
      this.#kept.delete(id);
      if (error instanceof MalformedError) throw new TransportError(error.message, 'malformed');
      throw error;
    }
  }

  #bytes(node: Node, id: string): Promise<Buffer> {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const reading = fetched(node, id);
    this.#kept.set(id, reading);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_CACHED_BLOCKS) break;
      this.#kept.delete(oldest);
    }
    reading.catch(() => {
      if (this.#kept.get(id) === reading) this.#kept.delete(id);
    });
    return reading;
  }
}

async function fetched(node: Node, id: string): Promise<Buffer> {
  const bytes = await blockBytes(node, id);
  if (bytes === undefined) throw new ViewMoved(`block ${id} is not there any more`);
  return bytes;
}
