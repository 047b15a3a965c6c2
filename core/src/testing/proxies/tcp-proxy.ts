import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpPlan } from './tcp-faults.js';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

export interface Throttle {
  /** Added to every chunk, in each direction. */
  readonly delayMs?: number;
  /** Per direction. */
  readonly bytesPerSecond?: number;
}

interface Pair {
  readonly number: number;
  readonly client: Socket;
  readonly server: Socket;
  frozen: boolean;
}

/**
 * A proxy before any TCP server that plays resets, half-open black holes (both ends believe the connection alive,
 * nothing arrives), slowness, cuts at chosen bytes and outages.
 *
 * ```ts
 * const proxy = await tcpProxy({ host: '127.0.0.1', port: 5432 });
 * proxy.plan = loseAnswerTo((bytes) => bytes.includes('COMMIT')); // it commits, and the client never learns it
 * ```
 */
export class TcpProxy {
  plan: TcpPlan = () => 'pass';
  throttle: Throttle = {};
  /** Target of new connections, as after a failover; open ones keep theirs. */
  target: TcpTarget;
  /** Connections since the start. */
  accepted = 0;
  readonly #pairs = new Set<Pair>();
  #server: Server;
  #port = 0;
  #blackHole = false;
  #thaw = gate();

  constructor(target: TcpTarget) {
    this.target = target;
    this.#server = this.#newServer();
  }

  get host(): string {
    return '127.0.0.1';
  }

  /** Stays the same over `stop` and `start`. */
  get port(): number {
    return this.#port;
  }

  get open(): number {
    return this.#pairs.size;
  }

  async start(port = this.#port): Promise<void> {
    this.#server = this.#newServer();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, this.host, resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** An outage: open connections are reset, new ones refused until `start`. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.reset();
    // Black-holed connections would otherwise wait forever.
    this.#release();
    await closed;
  }

  /** Resets every open connection at both ends; new ones are accepted. */
  reset(): void {
    for (const pair of this.#pairs) cut(pair);
  }

  /** Nothing arrives any more, on old and new connections; none is closed. */
  blackHole(): void {
    this.#blackHole = true;
  }

  /** Ends the faults. Held bytes arrive; frozen connections stay frozen. */
  heal(): void {
    this.plan = () => 'pass';
    this.throttle = {};
    this.#release();
  }

  #release(): void {
    this.#blackHole = false;
    this.#thaw.open();
    this.#thaw = gate();
  }

  #newServer(): Server {
    return createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#accept(client));
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    const server = connect({ ...this.target, noDelay: true, allowHalfOpen: true });
    const pair: Pair = { number: this.accepted, client, server, frozen: false };
    this.#pairs.add(pair);
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => client.destroyed && server.destroyed && this.#pairs.delete(pair));
    }
    void this.#pump(pair, 'client', client, server);
    void this.#pump(pair, 'server', server, client);
  }

  async #pump(pair: Pair, from: 'client' | 'server', source: Socket, sink: Socket): Promise<void> {
    let before = 0;
    try {
      for await (const chunk of source) {
        const bytes = chunk as Buffer;
        await this.#passable();
        if (pair.frozen) continue;
        const fate = this.plan({ from, bytes, connection: pair.number, before });
        before += bytes.length;
        if (fate === 'freeze') pair.frozen = true;
        if (fate === 'cut') return cut(pair);
        if (fate === 'hold') await this.#thaw.opened;
        if (pair.frozen) continue;
        await this.#slowly(bytes.length);
        if (!sink.write(bytes)) await drained(sink);
        if (fate === 'cutAfter') {
          sink.end(() => cut(pair));
          return;
        }
      }
      await this.#passable();
      if (!pair.frozen) sink.end();
    } catch {
      // The other end learns of the break unless it is black-holed.
      await this.#passable();
      if (!pair.frozen) sink.resetAndDestroy();
    }
  }

  async #passable(): Promise<void> {
    while (this.#blackHole) await this.#thaw.opened;
  }

  async #slowly(bytes: number): Promise<void> {
    const { delayMs = 0, bytesPerSecond } = this.throttle;
    const pause = delayMs + (bytesPerSecond === undefined ? 0 : (bytes / bytesPerSecond) * 1_000);
    if (pause > 0) await sleep(pause);
  }
}

/** Starts a proxy on loopback before `target`. Stop it when done. */
export async function tcpProxy(target: TcpTarget): Promise<TcpProxy> {
  const proxy = new TcpProxy(target);
  await proxy.start();
  return proxy;
}

function cut({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function drained(sink: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (sink.destroyed) return resolve();
    sink.once('drain', resolve).once('close', resolve);
  });
}
