import { LRUCache } from 'lru-cache';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { Logger } from '../contract/observability.js';

const CACHE_MS = 15_000;
const MAX_CACHED_BALANCES = 4_096;
/** Open lookups per chain; an unresponsive chain is not asked further. */
const MAX_UNANSWERED_READS = 8;

export interface BalanceSettings {
  /** Longest wait of a quote for an unknown balance, milliseconds; 0: none. */
  readonly waitMs: number;
  /** Maximum lookups per second and chain; 0: none. */
  readonly perSecond: number;
}

/** For `userBalance` of quotes, and to refuse deposits that cannot be made. No payment depends on them. */
export interface UserBalances {
  /**
   * Smallest unit; undefined if not known in time. Never rejects.
   *
   * @param leastMs minimum wait; absent: as configured.
   */
  of(chain: ChainAdapter, user: string, currency: string, leastMs?: number): Promise<bigint | undefined>;
}

interface Known {
  readonly amount: bigint;
  readonly at: number;
}

interface ChainState {
  unanswered: number;
  nextAt: number;
}

/** Unknown balances are looked up for later quotes of the same payer, within the configured rate per chain. */
export function createUserBalances(
  { waitMs, perSecond }: BalanceSettings,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  log: Logger,
): UserBalances {
  const known = new LRUCache<string, Known>({ max: MAX_CACHED_BALANCES });
  const asked = new Map<string, Promise<bigint | undefined>>();
  const chains = new Map<ChainId, ChainState>();

  const begin = (chain: ChainAdapter, user: string, currency: string, key: string) => {
    const running = asked.get(key);
    if (running !== undefined) return running;
    const { id } = chain.facts;
    const state = chains.get(id) ?? { unanswered: 0, nextAt: Number.NEGATIVE_INFINITY };
    chains.set(id, state);
    const now = clock.monotonic();
    if (perSecond === 0 || state.unanswered >= MAX_UNANSWERED_READS || now < state.nextAt) return undefined;
    state.nextAt = now + 1_000 / perSecond;
    state.unanswered += 1;
    const lookUp = read(chain, user, currency, log).then((amount) => {
      state.unanswered -= 1;
      asked.delete(key);
      if (amount !== undefined) known.set(key, { amount, at: clock.monotonic() });
      return amount;
    });
    asked.set(key, lookUp);
    return lookUp;
  };

  return {
    of: async (chain, user, currency, leastMs = 0) => {
      const key = `${chain.facts.id}:${currency}:${user}`;
      const found = known.get(key);
      if (found && clock.monotonic() - found.at < CACHE_MS) return found.amount;
      const lookUp = begin(chain, user, currency, key);
      const ms = Math.max(waitMs, leastMs);
      if (lookUp === undefined || ms === 0) return undefined;
      const over = new AbortController();
      const late = clock.sleep(ms, over.signal).then(() => undefined);
      return Promise.race([lookUp, late]).finally(() => over.abort('over'));
    },
  };
}

async function read(chain: ChainAdapter, user: string, currency: string, log: Logger): Promise<bigint | undefined> {
  try {
    return await chain.userBalance(user, currency);
  } catch (error) {
    log.debug({ err: error, chainId: chain.facts.id }, "cannot read a payer's balance");
    return undefined;
  }
}
