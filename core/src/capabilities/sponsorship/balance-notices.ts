import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { OutboxEvent } from '../../contract/notifier.js';
import { counter } from '../../domain/accounts.js';
import { metaChange } from '../../domain/meta-rows.js';
import { mayWork, type WorkContext } from '../../engine/base/context.js';
import { isLow } from './low-balances.js';
import type { NoticeEndpoints } from './notice-endpoints.js';

/**
 * Posts `app-balance.low` to the endpoints of an integrator whose balance fell below what the operator asks for.
 *
 * Invariant: one event per crossing, under one id: the crossing is written, under the lease, before anything is posted.
 *
 * Not guaranteed: that an endpoint gets it once, as the answer to a post may be lost, or that one gets it which fails for a
 * day. No money depends on it.
 */

/** The latest crossing of a balance. */
interface Crossing {
  /** Counts those of the integrator. */
  readonly nth: number;
  readonly isLow: boolean;
  readonly at: UnixMs;
  /** Micro-USD, when it was noticed. */
  readonly available: string;
  /** Ids of endpoints that did not take it yet. */
  readonly open: readonly string[];
}

/** A notice that could not be delivered for longer is dropped. */
const MAX_DELAY_MS = 86_400_000;
/** Integrators notified concurrently: an endpoint that hangs delays the others of its batch. */
const CONCURRENCY = 20;

type Deps = Pick<WorkContext, 'store' | 'policy' | 'clock' | 'tenure' | 'stopping'>;

export class BalanceNotices {
  readonly #work: Deps;
  readonly #endpoints: NoticeEndpoints;

  constructor(work: Deps, endpoints: NoticeEndpoints) {
    this.#work = work;
    this.#endpoints = endpoints;
  }

  /** @returns false: nothing is left to do at once. */
  async round(): Promise<boolean> {
    const prefix = counter.available('');
    const pots = await this.#work.store.pots(prefix);
    for (let from = 0; from < pots.length && mayWork(this.#work); from += CONCURRENCY) {
      const some = pots.slice(from, from + CONCURRENCY);
      await Promise.all(some.map(({ account, amount }) => this.#look(account.slice(prefix.length), amount)));
    }
    return false;
  }

  async #look(integratorId: string, available: bigint): Promise<void> {
    const { store, policy, clock } = this.#work;
    const row = await store.meta(keyOf(integratorId));
    const known = row === undefined ? undefined : (JSON.parse(row.value) as Crossing);
    const low = isLow(policy, available);
    if (known === undefined && !low) return;
    if (known !== undefined && known.isLow === low) {
      if (low && known.open.length > 0) await this.#post(integratorId, known, row?.version);
      return;
    }
    const endpoints = low ? await this.#activeOf(integratorId) : [];
    await this.#write(integratorId, row?.version, {
      ...{ nth: (known?.nth ?? 0) + (low ? 1 : 0), isLow: low, at: clock.now(), available: available.toString() },
      open: endpoints.map(({ id }) => id),
    });
  }

  async #post(integratorId: string, crossing: Crossing, version: number | undefined): Promise<void> {
    const active = await this.#activeOf(integratorId);
    const isLate = this.#work.clock.now() > crossing.at + MAX_DELAY_MS;
    const left = await Promise.all(
      crossing.open.map(async (id) => {
        const endpoint = active.find((one) => one.id === id);
        if (endpoint === undefined || isLate) return [];
        const outcome = await this.#endpoints.post(endpoint, eventOf(integratorId, crossing));
        return outcome?.outcome === 'delivered' || outcome?.outcome === 'gone' ? [] : [id];
      }),
    );
    const open = left.flat();
    if (open.length < crossing.open.length) await this.#write(integratorId, version, { ...crossing, open });
  }

  async #activeOf(integratorId: string): Promise<readonly EndpointRow[]> {
    return (await this.#endpoints.list(integratorId)).filter(({ state }) => state === 'active');
  }

  /** A conflict means that another holder of the lease did the same; it is looked at again. */
  async #write(integratorId: string, version: number | undefined, crossing: Crossing): Promise<void> {
    const before = version === undefined ? undefined : { version };
    const change = metaChange(before, keyOf(integratorId), JSON.stringify(crossing));
    await this.#work.tenure.apply({ name: 'engine.balances.notice', changes: [change] });
  }
}

const keyOf = (integratorId: string): string => `balance-notice:${integratorId}`;

function eventOf(integratorId: string, { nth, at, available }: Crossing): OutboxEvent {
  return {
    ...{ position: 0, id: `app-balance:${integratorId}:${nth}`, requestId: '', sequence: 0, kind: 'app-balance.low' },
    payload: { event: 'app-balance.low', timestamp: at, data: { integratorId, available } },
    createdAt: at,
  };
}
