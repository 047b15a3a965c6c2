import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

/** Socket paths of the system are limited, to 104 bytes on some. */
const MAX_BYTES = 100;

/**
 * At most one process holds the lock of a path: it listens on a socket file, which the system closes however the
 * process ends, unlike a file with a process id.
 *
 * @returns a function that frees it; undefined while another process holds it.
 * @throws the system's error where the folder cannot be written.
 */
export async function lockSocket(file: string): Promise<(() => void) | undefined> {
  const path = shortest(file);
  for (let attempt = 0; ; attempt += 1) {
    const server = createServer((socket) => socket.destroy());
    const taken = await listenOn(server, path);
    if (!taken) {
      server.unref();
      return () => {
        server.close();
      };
    }
    if (attempt > 0 || (await answers(path))) return undefined;
    rmSync(path, { force: true });
  }
}

function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  const short = near.length < path.length ? near : path;
  if (Buffer.byteLength(short) <= MAX_BYTES) return short;
  const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 32);
  return join(tmpdir(), `causeway-${name}.sock`);
}

function listenOn(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(true) : reject(error),
    );
    server.listen(path, () => resolve(false));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
