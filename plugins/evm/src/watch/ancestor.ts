import type { Logger } from '@causeway/core';
import { headerAt } from '../logs/view-moved.js';
import type { RpcBlock } from '../rpc/types.js';
import { quantity } from '../rpc/types.js';
import { type Cursor, type Mark, tip } from './cursor.js';
import type { Head } from './heads.js';

/**
 * Newest mark that is still canonical. Undefined when the provider of `head` lags. Without any such mark, the reorg
 * went beyond finality and scanning restarts at the oldest mark.
 */
export async function commonAncestor(
  deps: { readonly log: Logger },
  cursor: Cursor,
  head: Head,
): Promise<Mark | undefined> {
  const { provider } = head;
  const marks = cursor.marks.filter(({ number }) => number <= head.height);
  for (let end = marks.length; end > 0; end -= 16) {
    const some = marks.slice(Math.max(0, end - 16), end).reverse();
    const blocks = await Promise.all(
      some.map(({ number }) =>
        number === head.height
          ? Promise.resolve({ hash: head.id })
          : provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(number), false]),
      ),
    );
    const found = some.find((mark, n) => blocks[n]?.hash === mark.hash);
    if (found !== undefined) return lagging(cursor, head, found) ? undefined : found;
  }
  const oldest = cursor.marks[0]?.number ?? 0;
  if (head.height < oldest) return undefined;
  deps.log.error({ height: oldest, head: head.height }, 'the chain was replaced below the oldest processed block');
  const header = await headerAt(provider, Math.max(0, oldest - 1));
  return { number: Number(header.number), hash: header.hash };
}

/** A head below the newest mark that contradicts no mark at or below it proves nothing about higher marks. */
function lagging(cursor: Cursor, head: Head, found: Mark): boolean {
  if (head.height >= tip(cursor).number) return false;
  return !cursor.marks.some(({ number }) => number > found.number && number <= head.height);
}
