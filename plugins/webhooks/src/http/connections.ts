import { isIP, type LookupFunction, connect as plain, type Socket } from 'node:net';
import { connect as secure, type TLSSocket } from 'node:tls';
import type { Clock } from '@causeway/core';
import { type buildConnector, type Dispatcher, Pool } from 'undici';

/** Parallel deliveries per endpoint. */
const MAX_SOCKETS_PER_ENDPOINT = 8;
/** Slightly below common servers' time-outs. */
const KEEP_ALIVE_MS = 30_000;
const ALIVE_MS = 60_000;

export const NOT_IN_TIME = 'ENOTINTIME';

export class Connections {
  readonly #pool: Pool;
  readonly #connecting = new Set<Socket>();
  #session: Buffer | undefined;

  /** @param lookup resolves the name for each connection. */
  constructor(url: URL, lookup: LookupFunction, connectMs: number, clock: Clock) {
    const connect: buildConnector.connector = ({ hostname, port, protocol, servername }, done) => {
      const socket =
        protocol === 'https:'
          ? this.#secure(hostname, Number(port || 443), servername, lookup)
          : plain({ host: hostname, port: Number(port || 80), lookup });
      this.#connecting.add(socket);
      const over = new AbortController();
      const end = (): boolean => {
        over.abort();
        return this.#connecting.delete(socket);
      };
      socket.setNoDelay(true).setKeepAlive(true, ALIVE_MS);
      socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => end() && done(null, socket));
      socket.on('error', (error) => end() && done(error, null));
      socket.once('close', () => end() && done(new Error('closed'), null));
      void clock.sleep(connectMs, over.signal).then(() => {
        if (this.#connecting.has(socket)) socket.destroy(Object.assign(new Error(NOT_IN_TIME), { code: NOT_IN_TIME }));
      });
    };
    this.#pool = new Pool(url.origin, {
      ...{
        connect,
        connections: MAX_SOCKETS_PER_ENDPOINT,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        allowH2: false,
      },
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    });
  }

  dispatch(options: Omit<Dispatcher.DispatchOptions, 'origin'>, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(options, handler);
  }

  /** Lets running posts end; keeps no connection. */
  retire(): void {
    if (!this.#pool.closed) void this.#pool.close();
  }

  close(): void {
    if (!this.#pool.destroyed) void this.#pool.destroy();
    for (const socket of this.#connecting) socket.destroy();
  }

  /** Resumption saves most of the cost of a new connection. */
  #secure(host: string, port: number, name: string | null | undefined, lookup: LookupFunction): TLSSocket {
    const servername = name ?? (isIP(host) === 0 ? host : '');
    const resumed = this.#session === undefined ? {} : { session: this.#session };
    const socket = secure({ host, port, servername, lookup, ALPNProtocols: ['http/1.1'], ...resumed });
    socket.on('session', (session) => {
      this.#session = session;
    });
    return socket;
  }
}
