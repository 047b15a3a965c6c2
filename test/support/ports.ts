import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that was free a moment ago, the first of `count` in a row. For servers whose port must be known before they
 * start, or stay over restarts.
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = await listening(0);
    const others = Array.from({ length: count - 1 }, (_, n) => listening(first.port + 1 + n).catch(() => undefined));
    const all = [first, ...(await Promise.all(others))];
    await Promise.all(all.map((each) => each?.close()));
    if (all.every((each) => each !== undefined)) return first.port;
  }
}

async function listening(at: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer().listen(at, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
