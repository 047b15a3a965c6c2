import type { KeysByHistory } from '../../contract/lane-keys.js';
import type { KeySpender } from '../../contract/legs.js';
import type { LaneRow } from '../../contract/store-rows.js';
import type { LaneContext } from './lane-starts.js';

/** Transactions of a signer that its ledger does not have, where keys end by history. */
export interface UnknownSends {
  readonly sent: readonly KeySpender[];
  /** Transactions that were signed before this ledger, or this process, began may still land (lane-starts.ts). */
  readonly pending: boolean;
  /** Where the lane goes on once all of them are dealt with. */
  readonly position: string;
}

/**
 * Compares the transactions of a signer that landed with those that its ledger signed.
 *
 * Invariant (G5, G15): the chain is read first, and bytes are durable before they are sent, so what is not in the
 * ledger then was signed by something else.
 *
 * @throws on infrastructure failure: then nothing was compared.
 */
export async function unknownSends(context: LaneContext, keys: KeysByHistory, lane: LaneRow): Promise<UnknownSends> {
  const start = await context.starts.of(context, keys, lane);
  const { sent, pending, position } = await keys.sentSince(lane.signer, lane.position, start);
  const hashes = sent.map(({ hash }) => hash);
  const own = new Set((await context.store.attemptsByHash(lane.chainId, hashes)).map(({ hash }) => hash));
  const fresh = context.starts.isFresh(lane.id);
  return { sent: sent.filter(({ hash }) => !own.has(hash)), pending: pending && !fresh, position };
}
