import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { ChainId } from '../contract/ids.js';
import type { Engine } from './engine.js';

/** More than any amount that a quote could ask for. */
const WITHOUT_LIMIT = 2n ** 250n;

interface Rehearsing {
  statusOf(chainId: ChainId): ReturnType<ChainAdapter['status']>;
  /** Without the pause of quotes on chains that are not watched. */
  readonly paused: Engine['paused'];
}

/** The engine of a rehearsal. Invariant: it starts no work, so nothing is watched, decided, signed or sent. */
export function rehearsed(engine: Engine, { statusOf, paused }: Rehearsing): Engine {
  return {
    ...engine,
    start: () => engine.start({ work: false }),
    available: () => WITHOUT_LIMIT,
    volumeLeft: () => null,
    paused,
    // No chain is watched, so none can be behind its head.
    unserved: () => null,
    chainStatus: statusOf,
  };
}
