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

/** Position when the unbroken life of the ledger was first looked at. */
interface Kept {
  readonly life: string;
  /** Null: the lane's ledger began in this life, so nothing is lost. */
  readonly position: string | null;
}

export interface LaneContext extends WorkContext {
  readonly starts: LaneStarts;
}

/**
 * Lane positions when this process first looked. A database is never restored while a process works, so the lost part
 * was signed before.
 *
 * Where the store proves that nothing was lost since an earlier process looked (epoch.ts), that look counts.
 */
export class LaneStarts {
  readonly #starts = new Map<string, string>();
  readonly #looked = new Map<string, string>();
  readonly #fresh = new Set<string>();
  #ledgerIsOlder = false;
  #life: string | undefined;

  /**
   * Before this process claims a lease or looks at a chain: a life that began after a look would make lost sends seem
   * older.
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

  /** A missing lane may be new, or the ledger an older backup. */
  get ledgerIsOlder(): boolean {
    return this.#ledgerIsOlder;
  }

  /** Nothing of the lane can be lost. Once its row is durable. */
  begin(laneId: string): void {
    this.#fresh.add(laneId);
  }

  isFresh(laneId: string): boolean {
    return this.#fresh.has(laneId);
  }

  /**
   * Looks at lanes held by other processes, so that a later takeover need not wait. An unanswered look is repeated
   * then.
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
   * In the change set of a comparison, for later processes.
   *
   * @param begins the same change set writes the lane's row, in a ledger never used before.
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

  /** A value from another life proves nothing: the lost part may have signed after it. */
  async #kept(store: EngineContext['store'], lane: string): Promise<Kept | undefined> {
    if (this.#life === undefined) return undefined;
    const row = await store.meta(startKey(lane));
    if (!row) return undefined;
    const kept = JSON.parse(row.value) as Kept;
    return kept.life === this.#life ? kept : undefined;
  }
}
