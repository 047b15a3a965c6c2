import type { Clock, Logger } from '@causeway/core';
import type { Nodes } from './http/nodes.js';

/**
 * What is kept warm in the background for `src/state.ts`: head, fees, balances of our accounts, each with the time it was read. Dead
 * nodes only make it old: neither `start` nor a round of it rejects for that.
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

  /** To write: a first round, then one after the other until `stop`. Until then nothing is known, and `status` says so. */
  async start(): Promise<void> {}

  /** Everything that it owns is released when it resolves. */
  async stop(): Promise<void> {
    this.#ending.abort();
  }
}
