import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The port cannot be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface HttpServer {
  readonly url: string;
  /** Refuses new connections and ends idle ones at once; resolves when the rest have been answered. */
  close(): Promise<void>;
}

/** Most slow clients are attacks: headers must arrive within this. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

export async function listen(
  host: string,
  port: number,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpServer> {
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: 65_000 },
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(explain(error, host, port), { cause: error })),
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

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} on ${host} is taken; stop what uses it, or choose another (service.port, PORT)`;
  if (error.code === 'EACCES') return `port ${port} needs privileges; choose one above 1023 (service.port, PORT)`;
  return `cannot listen on ${host}:${port} (${error.code ?? error.message})`;
}
