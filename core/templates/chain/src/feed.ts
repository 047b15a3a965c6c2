import type { Clock, Logger } from '@causeway/core';
import type { Nodes } from './http/nodes.js';

/**
 * Polls head, fees and balances of the solver's accounts in the background and caches each with the time of reading, for
 * `src/state.ts`. While nodes do not answer, the cached values age: neither `start` nor a poll rejects.
 */
export class Feed {
  readonly nodes: Nodes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly #ending = new AbortController();

  constructor(nodes: Nodes, clock: Clock, log: Logger) {
    this.nodes = nodes;
    this.clock = clock;
    this.log = log;
  }

  /** To write: poll once, then at an interval until `stop`. Before the first successful poll, `status` returns unhealthy. */
  async start(): Promise<void> {}

  /** Ends polling. Resolves once all timers and connections are released. */
  async stop(): Promise<void> {
    this.#ending.abort();
  }
}
