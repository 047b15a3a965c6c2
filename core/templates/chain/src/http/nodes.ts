import { type Clock, NotWrittenError } from '@causeway/core';

/**
 * The nodes, asked one after the other until one answers. A node that does not answer, lags, serves another chain or forgot is no
 * fact about the chain: tell those apart from an answer. For JSON-RPC take the clients of `@causeway/core/rpc`.
 */
export class Nodes {
  readonly urls: readonly string[];
  readonly timeoutMs: number;
  readonly clock: Clock;

  constructor(urls: readonly string[], timeoutMs: number, clock: Clock) {
    this.urls = urls;
    this.timeoutMs = timeoutMs;
    this.clock = clock;
  }

  /** Rejects where nobody answers within the time limit. */
  async ask<T>(_what: string): Promise<T> {
    throw new NotWrittenError(
      'Nodes.ask: one question to a node, in time, the next node where it fails',
      'src/http/nodes.ts',
    );
  }
}
