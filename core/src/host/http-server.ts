import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** The port cannot be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface HttpServer {
  readonly url: string;
  /** Refuses new connections and ends idle ones at once; resolves when the rest have been answered. */
  close(): Promise<void>;
}

export interface HttpLimits {
  readonly maxHeaderBytes: number;
  /** From the first byte of a request to its last. */
  readonly requestWithinMs: number;
}

/** Most slow clients are attacks: headers must arrive within this. */
const HEADERS_MS = 10_000;
/** How soon a request that is late is noticed. */
const CHECK_MS = 1_000;
/** Longer than common proxies keep an idle connection, so that no proxy sends into a connection that is being closed. */
const IDLE_MS = 65_000;
/** A client that reads nothing of its answer for so long is gone. */
const SILENT_MS = 300_000;

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
      headersTimeout: Math.min(HEADERS_MS, limits.requestWithinMs),
      requestTimeout: limits.requestWithinMs,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
      // What the server itself would answer has no body and no request id; the API serves whoever names no host.
      requireHostHeader: false,
    },
    api.handler,
  );
  server.timeout = SILENT_MS;
  server.on('clientError', api.broken);
  server.on('upgrade', api.upgrade);
  // Expectations that nobody knows may be ignored (RFC 9110, 10.1.1); tunnels are declined as upgrades are.
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
