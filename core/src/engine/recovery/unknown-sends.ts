import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { KeySpender } from '../../contract/legs.js';
import type { LaneRow } from '../../contract/store-rows.js';
import type { LaneContext } from './lane-starts.js';

/** What a signer sent that its ledger does not have, where a chain tells its history. */
export interface UnknownSends {
  readonly sent: readonly KeySpender[];
  /** More may land of what was signed before the life of the ledger, or this process, began (lane-starts.ts). */
  readonly pending: boolean;
  /** Where the lane goes on once all of them are dealt with. */
  readonly position: string;
}

/**
 * Compares what landed of a signer with what its ledger signed, by transaction; undefined where positions tell that.
 *
 * Invariant (G5, G15): the chain is read first, and bytes are durable before they are sent, so what is not in the
 * ledger then was signed by something else.
 *
 * @throws on infrastructure failure: then nothing was compared.
 */
export async function unknownSends(
  context: LaneContext,
  chain: ChainAdapter,
  lane: LaneRow,
): Promise<UnknownSends | undefined> {
  if (!chain.sentSince) return undefined;
  const start = await context.starts.of(context, chain, lane);
  const { sent, pending, position } = await chain.sentSince(lane.signer, lane.position, start);
  const hashes = sent.map(({ hash }) => hash);
  const own = new Set((await context.store.attemptsByHash(lane.chainId, hashes)).map(({ hash }) => hash));
  const fresh = context.starts.isFresh(lane.id);
  return { sent: sent.filter(({ hash }) => !own.has(hash)), pending: pending && !fresh, position };
}
