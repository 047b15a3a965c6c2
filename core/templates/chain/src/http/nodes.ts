import { type Clock, NotWrittenError } from '@causeway/core';

/**
 * Sends a query to one node, and to the next if that fails. A node that times out, lags, serves another chain or has pruned its
 * history has not answered the query: handle these as failures. For JSON-RPC and REST, `@causeway/core/rpc` has ready clients.
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

  /** @throws if no node answers within `timeoutMs`. */
  async ask<T>(_what: string): Promise<T> {
    throw new NotWrittenError(
      'Nodes.ask: send a query to a node within the time limit, and to the next node if it fails',
      'src/http/nodes.ts',
    );
  }
}
