import { createServer } from 'node:net';

/** Whether a port of this machine can be listened on now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The preferred port, else the next free one above it that is not reserved. */
export async function freePort(preferred: number, reserved: ReadonlySet<number>): Promise<number> {
  for (let port = preferred; port < Math.min(preferred + 1_000, 65_536); port += 1) {
    if (!reserved.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port from ${preferred} on`);
}
