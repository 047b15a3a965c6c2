import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to connections that go out: one of those would be in the way of a node that begins, or returns. */
const [LEAST, MOST] = [10_000, 30_000];
/** Given away by this process, perhaps not used yet. */
const given = new Set<number>();

/** The first of as many free ports in a row. */
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
