import type { AddressBook, DepositBatch, DepositObservation, IsPromised } from '@causeway/core';
import { chainConfig } from '../../src/chain-config.js';
import { ChainView } from '../../src/chain-view.js';
import type { BvmChainOptions, RpcEndpointOptions } from '../../src/options.js';
import type { LocalNode } from './node.js';
import { services } from './services.js';

export const CHAIN = 8253038;

export interface Own {
  readonly depository: string;
  readonly lane: string;
}

/** With short polling intervals. */
export function chainOptions(node: LocalNode, more: Partial<BvmChainOptions> = {}): BvmChainOptions {
  return {
    ...{ id: CHAIN, name: 'local', displayName: 'Local', network: node.network.name as 'bitcoin-regtest' },
    rpc: [{ http: node.url }],
    finality: { depth: 6 },
    watch: { pollMs: 50, poolPollMs: 50 },
    ...more,
  };
}

export async function startView(node: LocalNode, own: Own, more: Partial<BvmChainOptions> = {}) {
  const reported = services();
  const view = new ChainView(chainConfig(chainOptions(node, more), 'local', 0), own, reported);
  await view.start();
  return { view, reported };
}

/** Endpoints of a node that is only polled. */
export function polled(node: LocalNode): readonly RpcEndpointOptions[] {
  return [{ http: node.url, zmq: 'off' }];
}

export interface Saved {
  readonly cursor: string;
  readonly known: ReadonlyMap<string, DepositObservation>;
}

/** Follows deposits and applies `DepositBatch` rules like a service. */
export class Following {
  readonly batches: DepositBatch[] = [];
  readonly saved: Saved[] = [];
  readonly known: Map<string, DepositObservation>;
  /** First report of each transaction (`performance.now()`). */
  readonly reportedAt = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #failure: unknown;

  constructor(view: ChainView, from?: Saved, isPromised?: IsPromised, book?: AddressBook) {
    this.known = new Map(from?.known ?? []);
    this.#done = this.#follow(view, from?.cursor, isPromised, book).catch((error: unknown) => {
      this.#failure = error;
    });
  }

  async #follow(
    view: ChainView,
    cursor: string | undefined,
    isPromised: IsPromised | undefined,
    book: AddressBook | undefined,
  ): Promise<void> {
    for await (const batch of view.watchDeposits(cursor, this.#stop.signal, isPromised, book)) {
      const { rewoundTo = Number.POSITIVE_INFINITY, readFrom = Number.POSITIVE_INFINITY } = batch;
      const readTo = batch.readTo ?? batch.head.height;
      for (const [key, one] of this.known) {
        const height = one.block?.height ?? 0;
        if (one.state === 'included' && (height > rewoundTo || (height > readFrom && height <= readTo)))
          this.known.set(key, { ...one, state: 'vanished', block: null });
      }
      const now = performance.now();
      for (const one of batch.deposits) {
        if (!this.reportedAt.has(one.transactionHash)) this.reportedAt.set(one.transactionHash, now);
        const before = this.known.get(one.fundingKey);
        if (before?.state !== 'final') this.known.set(one.fundingKey, one);
        else if (one.state !== 'final') throw new Error(`${one.fundingKey} was final`);
      }
      for (const [key, one] of this.known) {
        if (one.state === 'included' && (one.block?.height ?? 0) <= batch.finalized.height)
          this.known.set(key, { ...one, state: 'final' });
      }
      this.batches.push(batch);
      this.saved.push({ cursor: batch.cursor, known: new Map(this.known) });
    }
  }

  states(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.known.values()].map(({ transactionHash, state }) => [transactionHash, state]));
  }

  state(txid: string): string | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    return this.states()[txid];
  }

  get newest(): Saved {
    const saved = this.saved.at(-1);
    if (saved === undefined) throw new Error('no batch yet');
    return saved;
  }

  isAt(id: string): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    return this.batches.at(-1)?.cursor.includes(id) ?? false;
  }

  reported(): readonly unknown[] {
    return [...this.known.values()]
      .filter(({ state }) => state === 'included' || state === 'final')
      .map(({ fundingKey, amount, orderId, depositor, block }) => [fundingKey, amount, orderId, depositor, block?.id])
      .sort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
