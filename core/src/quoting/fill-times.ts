import type { Clock } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { Logger } from '../contract/observability.js';
import type { Store } from '../contract/store.js';

const EVERY_MS = 30_000;
const WINDOW_MS = 86_400_000;
/** Fills read at a time, all routes together. */
const READ = 1_000;
/** Newest fills of a route that count, and the fewest that tell anything. */
const MOST = 50;
const LEAST = 5;
/** Nearest rank: three of four fills were at least as fast. Single stuck ones do not move it. */
const PER_CENT = 75;

/** How long fills really took, from the deposit seen to the fill included. */
export interface FillTimes {
  /** Milliseconds; undefined while too few fills of the route are known. Warm: never waits for the store. */
  of(origin: ChainId, destination: ChainId): number | undefined;
}

/**
 * Reads the recently completed fills, at most every half minute and only while somebody quotes. A question is answered from
 * the reading before it; the reading that it may start serves later questions.
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
      known = estimates(await store.recentFills(clock.now() - WINDOW_MS, READ));
    } catch (error) {
      // What was known stays: an estimate is no promise, and the store's trouble is told where it matters.
      log.debug({ err: error }, 'cannot read fill times');
    } finally {
      reading = false;
    }
  };

  return {
    of: (origin, destination) => {
      const now = clock.monotonic();
      if (!reading && now - readAt >= EVERY_MS) {
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
    if (list.length < MOST) list.push(ms);
    times.set(route, list);
  }
  const found = new Map<string, number>();
  for (const [route, list] of times) if (list.length >= LEAST) found.set(route, percentile(list));
  return found;
}

function percentile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * PER_CENT) / 100) - 1] ?? 0;
}

function routeOf(origin: ChainId, destination: ChainId): string {
  return `${origin}>${destination}`;
}
