import type { BlockRef, Clock, Hex, Logger, UnixMs } from '@causeway/core';
import { isTransportError, type Provider, type Providers } from '@causeway/core/rpc';
import { blockRef } from '../finality.js';
import type { RpcBlock } from '../rpc/types.js';
import { HeadSocket } from './socket.js';

/** The newest block as the provider in use names it. May go back: by a reorg, or after a change of provider. */
export interface Head {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: UnixMs;
  readonly baseFee: bigint | null;
  readonly logsBloom: Hex | undefined;
  /** Whoever named this head also has its logs and state; nobody else is sure to. */
  readonly provider: Provider;
  /** When it arrived here. */
  readonly at: UnixMs;
}

const CUT_BACK_MS = 15_000;
/** Heads in a row that polling had to find before a silent connection is made anew. */
const MOST_MISSED = 5;

export function headRef(head: Pick<Head, 'number' | 'hash' | 'timestamp'>): BlockRef {
  return { height: head.number, id: head.hash, timestamp: head.timestamp };
}

/**
 * Follows the head of the first usable provider: its websocket wakes us, polling is the truth.
 */
export class HeadFeed {
  readonly #providers: Providers;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #pollMs: number;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(head: Head) => void>();
  #wake = new AbortController();
  #socket: HeadSocket | undefined;
  #missed = 0;
  #highest = { number: -1, at: 0 };
  #done: Promise<void> = Promise.resolve();
  current: Head | undefined;

  constructor(providers: Providers, pollMs: number, services: { clock: Clock; log: Logger }) {
    this.#providers = providers;
    this.#pollMs = pollMs;
    this.#clock = services.clock;
    this.#log = services.log;
  }

  start(): void {
    const off = this.#providers.onChange(() => this.poke());
    this.#done = this.#run().finally(off);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.poke();
    this.#socket?.close();
    await this.#done;
  }

  onHead(listener: (head: Head) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Height that a provider must have reached before the absence of something means anything: the highest head seen
   * from anybody. A provider taken over from another may lag, and what it does not have yet is not gone. A chain that
   * really was cut back is believed after a while.
   */
  floor(): number {
    const { number, at } = this.#highest;
    return this.#clock.monotonic() - at > CUT_BACK_MS ? (this.current?.number ?? number) : number;
  }

  /** Polls now. */
  poke(): void {
    this.#wake.abort();
  }

  /** Resolves once `current` is another head than `seen`, or when `signal` aborts. */
  changed(seen: Head | undefined, signal: AbortSignal): Promise<void> {
    if (this.current !== seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        off();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const off = this.onHead(end);
      signal.addEventListener('abort', end);
    });
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const wake = this.#wake.signal;
      const provider = this.#providers.active();
      this.#attach(provider);
      if (provider !== undefined) await this.#poll(provider);
      if (!this.#stop.signal.aborted) await this.#clock.sleep(this.#pollMs, wake);
    }
  }

  #attach(provider: Provider | undefined): void {
    if (this.#socket?.url === provider?.ws && provider !== undefined) return;
    this.#socket?.close();
    this.#socket = undefined;
    if (provider?.ws === undefined || this.#stop.signal.aborted) return;
    this.#socket = new HeadSocket(provider.ws, { clock: this.#clock }, (block) => {
      if (this.#providers.active() !== provider) return;
      try {
        this.#accept(block, provider);
      } catch {
        // Malformed on the socket: the poll asks for the same block and judges the provider.
        this.poke();
      }
    });
  }

  async #poll(provider: Provider): Promise<void> {
    try {
      const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', ['latest', false]);
      if (block === null || this.#stop.signal.aborted) return;
      const fresh = block.hash !== this.current?.hash;
      this.#accept(block, provider);
      this.#watchSocket(Number(block.number), fresh);
    } catch (error) {
      if (isTransportError(error)) this.#providers.failed(provider, error);
      else this.#log.warn({ provider: provider.name, error: String(error) }, 'cannot read the head');
    }
  }

  /**
   * A connection that stays open but delivers nothing is worth nothing. Only heads that polling had to find count
   * against it: between two blocks every connection is silent.
   */
  #watchSocket(polled: number, fresh: boolean): void {
    if (this.#socket === undefined) return;
    if (this.#socket.newest >= polled) this.#missed = 0;
    else if (fresh) this.#missed += 1;
    if (this.#missed < MOST_MISSED) return;
    this.#missed = 0;
    this.#socket.restart();
  }

  #accept(block: RpcBlock, provider: Provider): void {
    if (this.#stop.signal.aborted) return;
    if (this.current?.hash === block.hash && this.current.provider === provider) return;
    const { height, timestamp } = blockRef(block);
    const head: Head = {
      number: height,
      hash: block.hash,
      parentHash: block.parentHash,
      timestamp,
      baseFee: block.baseFeePerGas === undefined ? null : BigInt(block.baseFeePerGas),
      logsBloom: block.logsBloom,
      provider,
      at: this.#clock.now(),
    };
    this.current = head;
    if (height >= this.#highest.number) this.#highest = { number: height, at: this.#clock.monotonic() };
    for (const listener of [...this.#listeners]) listener(head);
  }
}
