import { once } from 'node:events';
import { createServer } from 'node:net';

/** The first of as many free ports in a row. */
export async function freePorts(count = 1): Promise<number> {
  for (;;) {
    const first = await listening(0);
    const others = Array.from({ length: count - 1 }, (_, n) => listening(first.port + 1 + n).catch(() => undefined));
    const all = [first, ...(await Promise.all(others))];
    await Promise.all(all.map((each) => each?.close()));
    if (all.every((each) => each !== undefined)) return first.port;
  }
}

async function listening(at: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer();
  server.listen(at, '127.0.0.1');
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
