import { createServer } from 'node:net';

export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

export async function freePort(preferred: number, reserved: ReadonlySet<number>, count = 1): Promise<number> {
  for (let port = preferred; port < Math.min(preferred + 1_000, 65_537 - count); port += 1) {
    const taken = await firstTaken(port, reserved, count);
    if (taken === undefined) return port;
    port = taken;
  }
  throw new Error(`no ${count === 1 ? 'free port' : `${count} free ports in a row`} from ${preferred} on`);
}

async function firstTaken(from: number, reserved: ReadonlySet<number>, count: number): Promise<number | undefined> {
  for (let port = from; port < from + count; port += 1) {
    if (reserved.has(port) || !(await isFree(port))) return port;
  }
  return undefined;
}
