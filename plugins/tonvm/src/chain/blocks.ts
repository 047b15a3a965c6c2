import type { BlockRef } from '@causeway/core';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { keepNewest } from './keep-newest.js';
import { surely, type TonAccount, type TonProvider } from './read.js';

const MASTERCHAIN = { workchain: -1, shard: '-9223372036854775808' } as const;
const MAX_CACHED_BLOCKS = 512;

interface BlockId {
  readonly seqno: number;
  readonly root_hash: string;
}

/** Masterchain blocks; what one covers is final, so each is read once. */
export class Blocks {
  readonly #byHeight = new Map<number, BlockRef>();
  readonly #byLt = new Map<bigint, BlockRef>();

  /** The block as of which an account was read. @throws TransportError */
  async of(provider: TonProvider, { height, blockId }: Pick<TonAccount, 'height' | 'blockId'>): Promise<BlockRef> {
    return await this.#named(provider, height, blockId);
  }

  /**
   * The first masterchain block whose logical time is not below: the same for every caller, and never above a block
   * that shows the transaction.
   */
  async ofLt(provider: TonProvider, lt: bigint): Promise<BlockRef> {
    const known = this.#byLt.get(lt);
    if (known) return known;
    const id = await surely<BlockId>(provider, 'lookupBlock', { ...MASTERCHAIN, lt: lt.toString() });
    const block = await this.#named(provider, id.seqno, hexOf(id.root_hash));
    this.#byLt.set(lt, block);
    keepNewest(this.#byLt, MAX_CACHED_BLOCKS);
    return block;
  }

  /** The provider's block id at a height; undefined where it has none. @throws TransportError */
  async at({ rpc }: TonProvider, height: number): Promise<string | undefined> {
    try {
      return hexOf((await rpc.call<BlockId>('lookupBlock', { ...MASTERCHAIN, seqno: height })).root_hash);
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  async #named(provider: TonProvider, seqno: number, id: string): Promise<BlockRef> {
    const known = this.#byHeight.get(seqno);
    if (known?.id === id) return known;
    const params = { ...MASTERCHAIN, seqno };
    const header = await surely<{ readonly gen_utime: number; readonly id?: BlockId }>(
      provider,
      'getBlockHeader',
      params,
    );
    if (header.id?.seqno !== seqno || hexOf(header.id.root_hash) !== id || !Number.isSafeInteger(header.gen_utime))
      throw new TransportError(`${provider.name}: the header of another block`, 'malformed');
    const block = Object.freeze({ height: seqno, id, timestamp: header.gen_utime * 1_000 });
    this.#byHeight.set(seqno, block);
    keepNewest(this.#byHeight, MAX_CACHED_BLOCKS);
    return block;
  }
}

/** Empty for what is no hash, which matches no block. */
function hexOf(base64: unknown): string {
  if (typeof base64 !== 'string') return '';
  return Buffer.from(base64, 'base64').toString('hex');
}
