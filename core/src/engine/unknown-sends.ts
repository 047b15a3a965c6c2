import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { KeySpender } from '../contract/legs.js';
import type { LaneRow } from '../contract/store-rows.js';
import type { EngineContext } from './context.js';
import { laneId } from './lanes.js';

/**
 * Where lanes stood when this process started, or first looked at them. A database may have been put back before a
 * process starts, never while it works, since it ends where that happens: what the lost part signed, it signed before.
 */
export class LaneStarts {
  readonly #starts = new Map<string, string>();
  readonly #fresh = new Set<string>();
  #ledgerIsOlder = false;

  /** Looks whether somebody worked on this ledger before. Before this process claims a lease. */
  async readLedger({ store, chains }: Pick<EngineContext, 'store' | 'chains'>): Promise<void> {
    const [lanes, cursors] = await Promise.all([
      store.lanes(),
      Promise.all([...chains.keys()].map((chainId) => store.cursor(chainId))),
    ]);
    this.#ledgerIsOlder = lanes.length > 0 || cursors.some((cursor) => cursor !== undefined);
  }

  /** A lane that is missing from such a ledger may be younger than it, or younger than the backup that it is. */
  get ledgerIsOlder(): boolean {
    return this.#ledgerIsOlder;
  }

  /** The ledger of this lane begins with this process: nothing of it can be lost. Once its row is durable. */
  begin(laneId: string): void {
    this.#fresh.add(laneId);
  }

  isFresh(laneId: string): boolean {
    return this.#fresh.has(laneId);
  }

  /**
   * Looks at the lanes of a chain where others may work them for now: whoever takes them over later has waited already.
   * A chain that does not answer is asked again by whoever begins to work its lanes.
   */
  async look(chain: ChainAdapter): Promise<void> {
    if (!chain.sentSince) return;
    for (const { signer } of chain.lanes) {
      const position = await chain.lanePosition(signer).catch(() => undefined);
      const id = laneId(chain.facts.id, signer);
      if (position !== undefined && !this.#starts.has(id)) this.#starts.set(id, position);
    }
  }

  /** @throws on infrastructure failure. */
  async of(chain: ChainAdapter, lane: LaneRow): Promise<string> {
    const known = this.#starts.get(lane.id);
    if (known !== undefined) return known;
    const position = await chain.lanePosition(lane.signer);
    this.#starts.set(lane.id, position);
    return position;
  }
}

/** What a signer sent that its ledger does not have, where a chain tells its history. */
export interface UnknownSends {
  readonly sent: readonly KeySpender[];
  /** More may land of what was signed before this process started. */
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
  context: EngineContext,
  chain: ChainAdapter,
  lane: LaneRow,
): Promise<UnknownSends | undefined> {
  if (!chain.sentSince) return undefined;
  const start = await context.starts.of(chain, lane);
  const { sent, pending, position } = await chain.sentSince(lane.signer, lane.position, start);
  const hashes = sent.map(({ hash }) => hash);
  const own = new Set((await context.store.attemptsByHash(lane.chainId, hashes)).map(({ hash }) => hash));
  const fresh = context.starts.isFresh(lane.id);
  return { sent: sent.filter(({ hash }) => !own.has(hash)), pending: pending && !fresh, position };
}
