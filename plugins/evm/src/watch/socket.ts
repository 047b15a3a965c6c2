import type { Clock } from '@causeway/core';
import { WebSocket } from 'ws';
import type { RpcBlock } from '../rpc/types.js';

const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 10_000;
const HANDSHAKE_MS = 5000;

/**
 * Subscription to new block headers of one provider. A wake-up only: whatever it misses, polling finds.
 * Reconnects by itself until closed.
 */
export class HeadSocket {
  readonly #stop = new AbortController();
  readonly #clock: Clock;
  readonly #onHead: (block: RpcBlock) => void;
  #socket: WebSocket | undefined;
  /** Height of the newest header that arrived here. */
  newest = -1;

  constructor(
    readonly url: string,
    services: { clock: Clock },
    onHead: (block: RpcBlock) => void,
  ) {
    this.#clock = services.clock;
    this.#onHead = onHead;
    void this.#run();
  }

  close(): void {
    this.#stop.abort();
    this.#socket?.terminate();
  }

  /** Drops a connection that has gone silent; a new one is made at once. */
  restart(): void {
    this.#socket?.terminate();
  }

  async #run(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!this.#stop.signal.aborted) {
      const heard = await this.#connect();
      pause = heard ? FIRST_PAUSE_MS : Math.min(pause * 2, LAST_PAUSE_MS);
      await this.#clock.sleep(pause, this.#stop.signal);
    }
  }

  /** Resolves when the connection is over; true if it ever delivered a header. */
  #connect(): Promise<boolean> {
    return new Promise((resolve) => {
      let heard = false;
      const socket = new WebSocket(this.url, { handshakeTimeout: HANDSHAKE_MS, maxPayload: 8 * 1024 * 1024 });
      this.#socket = socket;
      socket.on('open', () => {
        if (this.#stop.signal.aborted) return socket.terminate();
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
      });
      socket.on('message', (data) => {
        const block = headerIn(String(data));
        if (block === undefined || this.#stop.signal.aborted) return;
        heard = true;
        this.newest = Number(block.number);
        this.#onHead(block);
      });
      // 'close' always follows 'error'.
      socket.on('error', () => socket.terminate());
      socket.on('close', () => resolve(heard));
    });
  }
}

function headerIn(text: string): RpcBlock | undefined {
  try {
    const message = JSON.parse(text) as { method?: unknown; params?: { result?: Partial<RpcBlock> } };
    const block = message.params?.result;
    if (message.method !== 'eth_subscription' || block === undefined) return undefined;
    return typeof block.hash === 'string' && typeof block.number === 'string' ? (block as RpcBlock) : undefined;
  } catch {
    return undefined;
  }
}
