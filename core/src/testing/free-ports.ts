import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral range, whose outgoing connections could block a restarting server. */
const [MIN_PORT, MAX_PORT] = [10_000, 30_000];
/** Given out by this process, perhaps unused yet. */
const given = new Set<number>();

/**
 * The first of `count` consecutive ports that were free just before, for servers that need a fixed port before a start
 * or over restarts. Never issued twice by this process.
 */
export async function freePorts(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(MIN_PORT, MAX_PORT);
    const row = Array.from({ length: count }, (_, n) => first + n);
    if (row.some((port) => given.has(port))) continue;
    for (const port of row) given.add(port);
    if ((await Promise.all(row.map(isFree))).every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
