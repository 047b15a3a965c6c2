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
  /** Most bytes per second and direction. */
  readonly bytesPerSecond?: number;
}

interface Pair {
  readonly number: number;
  readonly client: Socket;
  readonly server: Socket;
  frozen: boolean;
}

/**
 * Stands between a client and any TCP server and breaks connections in the ways networks do: resets, half-open black
 * holes (both ends believe the connection alive, nothing arrives), slowness, cuts at chosen bytes, outages.
 *
 * ```ts
 * const proxy = await tcpProxy({ host: '127.0.0.1', port: 5432 });
 * proxy.plan = loseAnswerTo((bytes) => bytes.includes('COMMIT')); // it commits, and nobody hears of it
 * ```
 */
export class TcpProxy {
  /** Decides about every chunk from now on. */
  plan: TcpPlan = () => 'pass';
  throttle: Throttle = {};
  /** Where new connections go; those that are open stay where they are. Another one stands for an address that failed over. */
  target: TcpTarget;
  /** Connections accepted since the start. */
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

  /** Listens, again at the same port after a `stop`. */
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
    // Whoever waits in a black hole would wait for ever.
    this.#release();
    await closed;
  }

  /** Ends every open connection at once, with a reset towards both ends. New ones are welcome. */
  reset(): void {
    for (const pair of this.#pairs) cut(pair);
  }

  /** From now on nothing arrives anywhere, on old connections and new ones; none is closed. */
  blackHole(): void {
    this.#blackHole = true;
  }

  /** Plays no faults any more. What was held back arrives; connections that a plan froze stay frozen. */
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
      // The connection broke. The other end hears of it unless nothing arrives there.
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
