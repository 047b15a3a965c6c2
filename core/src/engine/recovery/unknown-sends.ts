import type { KeysByHistory } from '../../contract/lane-keys.js';
import type { KeySpender } from '../../contract/legs.js';
import type { LaneRow } from '../../contract/store-rows.js';
import type { LaneContext } from './lane-starts.js';

/** Missing from the signer's ledger, where keys end by history. */
export interface UnknownSends {
  readonly sent: readonly KeySpender[];
  /** Transactions signed before this ledger or process began may still land (lane-starts.ts). */
  readonly pending: boolean;
  readonly position: string;
}

/**
 * Invariant (G5, G15): the chain is read first, and bytes are durable before they are sent: what is missing from the
 * ledger then was signed elsewhere.
 *
 * @throws on infrastructure failure: nothing was compared.
 */
export async function unknownSends(context: LaneContext, keys: KeysByHistory, lane: LaneRow): Promise<UnknownSends> {
  const start = await context.starts.of(context, keys, lane);
  const { sent, pending, position } = await keys.sentSince(lane.signer, lane.position, start);
  const hashes = sent.map(({ hash }) => hash);
  const own = new Set((await context.store.attemptsByHash(lane.chainId, hashes)).map(({ hash }) => hash));
  const fresh = context.starts.isFresh(lane.id);
  return { sent: sent.filter(({ hash }) => !own.has(hash)), pending: pending && !fresh, position };
}
