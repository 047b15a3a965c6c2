import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface HttpServer {
  readonly url: string;
  /** Refuses new connections and closes idle ones; resolves when the rest are answered. */
  close(): Promise<void>;
}

export interface HttpLimits {
  readonly maxHeaderBytes: number;
  readonly requestWithinMs: number;
}

/** Limits slow-header attacks. */
const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;
/** Longer than common proxies keep idle connections, so that none sends into a closing one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** A client that reads nothing for so long is dropped. */
const SOCKET_TIMEOUT_MS = 300_000;

export async function listen(
  host: string,
  port: number,
  api: {
    readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
    readonly broken: (error: Error, socket: Duplex) => void;
    readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  },
  limits: HttpLimits,
  settings = 'service.port, PORT',
): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, limits.requestWithinMs),
      requestTimeout: limits.requestWithinMs,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // The server's own response would have no body or request id; the API handles a missing host.
      requireHostHeader: false,
    },
    api.handler,
  );
  server.timeout = SOCKET_TIMEOUT_MS;
  server.on('clientError', api.broken);
  server.on('upgrade', api.upgrade);
  // Unknown expectations may be ignored (RFC 9110, 10.1.1); tunnels are declined like upgrades.
  server.on('checkExpectation', api.handler);
  server.on('connect', api.upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(explain(error, host, port, settings), { cause: error })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = ['0.0.0.0', '::'].includes(address.address) ? '127.0.0.1' : address.address;
  return {
    url: `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function explain(error: NodeJS.ErrnoException, host: string, port: number, settings: string): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} on ${host} is taken; stop what uses it, or choose another (${settings})`;
  if (error.code === 'EACCES') return `port ${port} needs privileges; choose one above 1023 (${settings})`;
  return `cannot listen on ${host}:${port} (${error.code ?? error.message})`;
}
