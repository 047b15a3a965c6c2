import type { ChainAdapter, ChainPayouts } from '../../contract/chain-adapter.js';
import type { LaneKeys } from '../../contract/lane-keys.js';
import type { LaneRow } from '../../contract/store-rows.js';
import { EPOCH_MARK, lifeOf } from '../../domain/epoch.js';
import { RESTORED_MARK } from '../../domain/restored.js';
import type { EngineContext, WorkContext } from '../base/context.js';
import { laneId } from '../base/lanes.js';
import { putMeta } from '../base/put-meta.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

const startKey = (lane: string): string => `start:${lane}`;

/** Where a lane stood when the unbroken life of its ledger was first looked at. */
interface Kept {
  readonly life: string;
  /** Null: the ledger of the lane began in this life, so that nothing of it can be lost. */
  readonly position: string | null;
}

/** What a round that compares lanes with their chains has. */
export interface LaneContext extends WorkContext {
  readonly starts: LaneStarts;
}

/**
 * Where lanes stood when this process started, or first looked at them. A database may have been put back before a
 * process starts, never while it works, since it ends where that happens: what the lost part signed, it signed before.
 *
 * Where the store proves that its ledger lost nothing since an earlier process looked (epoch.ts), that process's look counts:
 * a start on such a ledger is no other thing than not to have ended.
 */
export class LaneStarts {
  readonly #starts = new Map<string, string>();
  readonly #looked = new Map<string, string>();
  readonly #fresh = new Set<string>();
  #ledgerIsOlder = false;
  #life: string | undefined;

  /**
   * Looks whether somebody worked on this ledger before. Before this process claims a lease, and before it looks at any
   * chain: a life that began after a look would take what it lost for older than it is.
   */
  async readLedger({ store, chains }: Pick<EngineContext, 'store' | 'chains'>): Promise<void> {
    const [lanes, cursors, epoch, restored] = await Promise.all([
      store.lanes(),
      Promise.all([...chains.keys()].map((chainId) => store.cursor(chainId))),
      store.meta(EPOCH_MARK),
      store.meta(RESTORED_MARK),
    ]);
    this.#ledgerIsOlder = lanes.length > 0 || cursors.some((cursor) => cursor !== undefined);
    this.#life = lifeOf(epoch, restored);
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
  async look(chain: Pick<ChainAdapter, 'facts' | 'lanes' | 'keys'>): Promise<void> {
    if (chain.keys.by !== 'history') return;
    for (const { signer } of chain.lanes) {
      const position = await chain.keys.lanePosition(signer).catch(() => undefined);
      const id = laneId(chain.facts.id, signer);
      if (position !== undefined && !this.#looked.has(id)) this.#looked.set(id, position);
    }
  }

  /** @throws on infrastructure failure. */
  async of({ store }: Pick<EngineContext, 'store'>, keys: LaneKeys, lane: LaneRow): Promise<string> {
    const known = this.#starts.get(lane.id);
    if (known !== undefined) return known;
    const kept = await this.#kept(store, lane.id);
    if (kept?.position === null) this.#fresh.add(lane.id);
    const position = kept?.position ?? this.#looked.get(lane.id) ?? (await keys.lanePosition(lane.signer));
    this.#starts.set(lane.id, position);
    return position;
  }

  /**
   * Keeps where the lane stood for whoever starts after this process, in the change set of a comparison.
   *
   * @param begins the lane's row is written by the same change set, and nobody worked on the ledger before.
   */
  async keep(
    context: WorkContext,
    unit: UnitOfWork,
    chain: Pick<ChainPayouts, 'keys'>,
    lane: LaneRow,
    begins: boolean,
  ): Promise<void> {
    const life = this.#life;
    if (chain.keys.by !== 'history' || life === undefined) return;
    if ((await this.#kept(context.store, lane.id)) !== undefined) return;
    const position = begins || this.isFresh(lane.id) ? null : await this.of(context, chain.keys, lane);
    await putMeta(context, unit, startKey(lane.id), () => JSON.stringify({ life, position } satisfies Kept));
  }

  /** What was kept in another life says nothing: the lost part may have signed after it. */
  async #kept(store: EngineContext['store'], lane: string): Promise<Kept | undefined> {
    if (this.#life === undefined) return undefined;
    const row = await store.meta(startKey(lane));
    if (!row) return undefined;
    const kept = JSON.parse(row.value) as Kept;
    return kept.life === this.#life ? kept : undefined;
  }
}
