import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainStatus } from '../../contract/chain-state.js';
import type { ChainId } from '../../contract/ids.js';
import { laneThatSends } from '../../contract/legs.js';
import { chainPatienceMs } from '../../domain/chain-patience.js';
import type { EngineContext } from '../base/context.js';

/** A change of provider takes less and only stops quotes: no alert. */
const ALERT_AFTER_MS = 10_000;

/** Of chains that another process watches. */
export interface Recorded {
  /** Of the durable cursor. */
  readonly height?: number | undefined;
  readonly problem?: string | undefined;
}

interface Mark {
  readonly height: number;
  readonly at: number;
}

/**
 * Judged by results, not by what providers claim: deposits read up to the head, and data for quotes and payments
 * known.
 */
export class ChainHealth {
  readonly #context: Pick<EngineContext, 'chains' | 'clock' | 'prices' | 'alerts' | 'followed'>;
  readonly #marks = new Map<ChainId, Mark>();
  readonly #missing = new Map<ChainId, string>();
  readonly #unpriced = new Map<ChainId, string>();
  readonly #since = new Map<ChainId, number>();

  constructor(context: Pick<EngineContext, 'chains' | 'clock' | 'prices' | 'alerts' | 'followed'>) {
    this.#context = context;
  }

  /** Problem of a chain whose adapter reports none; null for none. */
  unserved(chainId: ChainId): string | null {
    return this.#missing.get(chainId) ?? null;
  }

  status(chain: ChainAdapter): ChainStatus {
    const status = chain.status();
    const reason = this.unserved(chain.facts.id) ?? this.#unpriced.get(chain.facts.id) ?? null;
    return /* guard: served-chains */ !status.healthy || reason === null
      ? status
      : { ...status, healthy: false, reason };
  }

  judge(recorded: (chainId: ChainId) => Recorded): void {
    const { chains, followed, prices, clock, alerts } = this.#context;
    for (const chain of chains.values()) {
      const { id, displayName, currency } = chain.facts;
      const { height, problem } = recorded(id);
      put(this.#missing, id, this.#lag(chain, followed.get(id) ?? height) ?? problem ?? unknown(chain));
      put(this.#unpriced, id, prices.price(currency).ok ? undefined : `the price of ${currency.symbol} is not known`);
      const { healthy, reason } = this.status(chain);
      const alert = `chain-unserved:${id}`;
      if (healthy) {
        this.#since.delete(id);
        alerts.clear(alert);
        continue;
      }
      const since = this.#since.get(id) ?? clock.monotonic();
      this.#since.set(id, since);
      if (clock.monotonic() - since >= ALERT_AFTER_MS)
        alerts.raise(alert, `${displayName} is not served: ${reason ?? 'no reason is known'}`, { chainId: id });
    }
  }

  /** The lag counts from a head's sighting until it is read. */
  #lag(chain: ChainAdapter, read: number | undefined): string | undefined {
    const { id, blockTimeMs } = chain.facts;
    const head = chain.status().head?.value;
    if (head === undefined || read === undefined) return undefined;
    const now = this.#context.clock.monotonic();
    const mark = this.#marks.get(id);
    // A reorg or a lagging provider may lower the head.
    if (mark === undefined || read >= Math.min(mark.height, head)) {
      this.#marks.set(id, { height: head, at: now });
      return undefined;
    }
    if (now - mark.at < chainPatienceMs(blockTimeMs)) return undefined;
    return `deposits are read up to block ${read}, and block ${mark.height} is there since ${Math.round((now - mark.at) / 1_000)} s`;
  }
}

/** Data for payments that no provider returned in time. */
function unknown(chain: ChainAdapter): string | undefined {
  const [first = chain.facts.currency] = chain.currencies();
  if (chain.legCost('fill', chain.facts.currency.address) === undefined) return 'its fees are not known';
  const lane = laneThatSends(chain.lanes, 'fill');
  const isKnown = lane === undefined || chain.laneBalance(lane.signer, first.address) !== undefined;
  return isKnown ? undefined : `the balance of ${lane.signer} is not known`;
}

function put(map: Map<ChainId, string>, id: ChainId, text: string | undefined): void {
  if (text === undefined) map.delete(id);
  else map.set(id, text);
}
