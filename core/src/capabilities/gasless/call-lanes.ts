import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { EngineContext } from '../../engine/base/context.js';

/** How long counts of waiting calls are reused. */
const CACHE_MS = 500;
/** Waiting calls above which lanes are no longer distinguished. */
const MAX_COUNTED = 500;

interface Lane {
  readonly signer: string;
  waiting: number;
}

interface Counted {
  readonly lanes: readonly Lane[];
  readonly until: number;
}

/**
 * Spreads calls for others over the lanes of a chain that make them, by what waits in each.
 *
 * Not guaranteed: that another process does not choose the same lane at the same time. What waits is counted again soon.
 */
export class CallLanes {
  readonly #context: Pick<EngineContext, 'store' | 'clock'>;
  readonly #counted = new Map<ChainId, Promise<Counted>>();

  constructor(context: Pick<EngineContext, 'store' | 'clock'>) {
    this.#context = context;
  }

  /** Accounts that may make a call now, the least busy first, which is taken to get it. */
  async of(chain: ChainAdapter): Promise<readonly string[]> {
    const { lanes } = await this.#countedOf(chain);
    const able = lanes.filter((lane) => canPay(chain, lane)).sort((a, b) => a.waiting - b.waiting);
    const [first] = able;
    if (first !== undefined) first.waiting += 1;
    return able.map(({ signer }) => signer);
  }

  async #countedOf(chain: ChainAdapter): Promise<Counted> {
    const { id } = chain.facts;
    const kept = this.#counted.get(id);
    const counted = await kept?.catch(() => undefined);
    if (counted !== undefined && counted.until > this.#context.clock.monotonic()) return counted;
    // Of many at once that find it outdated, the first counts.
    if (this.#counted.get(id) === kept) this.#counted.set(id, this.#count(chain));
    return this.#counted.get(id) as Promise<Counted>;
  }

  async #count({ facts: { id }, lanes }: ChainAdapter): Promise<Counted> {
    const { store, clock } = this.#context;
    const callers = lanes.filter(({ sends }) => sends.includes('call'));
    const found = await Promise.all(
      callers.map(async ({ signer }): Promise<readonly Lane[]> => {
        const row = await store.lane(id, signer);
        if (row === undefined || row.halted !== null) return [];
        return [{ signer, waiting: callers.length === 1 ? 0 : await store.waiting(id, signer, MAX_COUNTED) }];
      }),
    );
    return { lanes: found.flat(), until: clock.monotonic() + CACHE_MS };
  }
}

/** With what is left after its waiting calls; true if its balance or the cost is unknown. */
function canPay(chain: ChainAdapter, { signer, waiting }: Lane): boolean {
  const currency = chain.facts.currency.address;
  const [balance, cost] = [chain.laneBalance(signer, currency)?.value, chain.legCost('call', currency)?.native];
  // guard: lanes-short-of-gas-get-no-calls
  return balance === undefined || cost === undefined || balance >= cost * BigInt(waiting + 1);
}
