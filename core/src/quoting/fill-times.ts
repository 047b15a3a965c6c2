import type { Clock } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { Logger } from '../contract/observability.js';
import type { Store } from '../contract/store.js';

const READ_INTERVAL_MS = 30_000;
const WINDOW_MS = 86_400_000;
const MAX_FILLS_READ = 1_000;
/** Newest fills per route that count, and the minimum sample size. */
const MAX_SAMPLES = 50;
const MIN_SAMPLES = 5;
/** Nearest rank: three of four fills were at least as fast. Robust against single stuck fills. */
const PER_CENT = 75;

/** From the deposit seen to the fill included. */
export interface FillTimes {
  /** Milliseconds; undefined with too few fills. Never waits for the store. */
  of(origin: ChainId, destination: ChainId): number | undefined;
}

/**
 * Reads at most every half minute, and only while quotes are requested. A call uses the last read and may start the
 * next.
 */
export function createFillTimes(deps: {
  readonly store: Pick<Store, 'recentFills'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly log: Logger;
}): FillTimes {
  const { store, clock, log } = deps;
  let known: ReadonlyMap<string, number> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading = false;

  const read = async () => {
    try {
      known = estimates(await store.recentFills(clock.now() - WINDOW_MS, MAX_FILLS_READ));
    } catch (error) {
      log.debug({ err: error }, 'cannot read fill times');
    } finally {
      reading = false;
    }
  };

  return {
    of: (origin, destination) => {
      const now = clock.monotonic();
      if (!reading && now - readAt >= READ_INTERVAL_MS) {
        reading = true;
        readAt = now;
        void read();
      }
      return known.get(routeOf(origin, destination));
    },
  };
}

type Fills = Awaited<ReturnType<Store['recentFills']>>;

function estimates(fills: Fills): Map<string, number> {
  const times = new Map<string, number[]>();
  for (const { originChainId, destinationChainId, ms } of fills) {
    const route = routeOf(originChainId, destinationChainId);
    const list = times.get(route) ?? [];
    if (list.length < MAX_SAMPLES) list.push(ms);
    times.set(route, list);
  }
  const found = new Map<string, number>();
  for (const [route, list] of times) if (list.length >= MIN_SAMPLES) found.set(route, percentile(list));
  return found;
}

function percentile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * PER_CENT) / 100) - 1] ?? 0;
}

function routeOf(origin: ChainId, destination: ChainId): string {
  return `${origin}>${destination}`;
}
