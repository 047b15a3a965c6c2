import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to connections that go out: one of those would be in the way of a server that starts, or returns. */
const [LEAST, MOST] = [10_000, 30_000];
/** Given away by this process, perhaps not used yet. */
const given = new Set<number>();

/**
 * A port of this machine that was free a moment ago, the first of `count` in a row. For servers whose port must be known
 * before they start, or stay over restarts. Given to nobody else by this process.
 */
export async function freePorts(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(LEAST, MOST);
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
