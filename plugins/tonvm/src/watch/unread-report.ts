import type { UnreadTransaction as UnreadReport } from '@causeway/core';
import type { Blocks } from '../chain/blocks.js';
import type { TonProvider } from '../chain/read.js';
import type { UnreadTransaction } from '../chain/transaction.js';

/** A deposit or not: an operator looks it up. @throws TransportError */
export async function unreadReport(
  blocks: Pick<Blocks, 'ofLt'>,
  provider: TonProvider,
  { hash, lt, unread }: UnreadTransaction,
): Promise<UnreadReport> {
  return { transactionHash: hash, block: await blocks.ofLt(provider, lt), why: unread };
}
