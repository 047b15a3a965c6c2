import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { readDevnetFile } from './devnet-file.js';

export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';
}

/**
 * At most one supervisor per folder: it listens on a socket file, which the system closes however the process ends,
 * unlike a file with a process id.
 *
 * @returns a function that frees it.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const path = shortest(join(folder, 'dev.sock'));
  for (let attempt = 0; ; attempt += 1) {
    const server = createServer((socket) => socket.destroy());
    const taken = await listenOn(server, path);
    if (!taken) {
      server.unref();
      return () => {
        server.close();
      };
    }
    if (attempt > 0 || (await answers(path))) throw new AlreadyRunningError(describe(folder));
    rmSync(path, { force: true });
  }
}

/** Socket paths are limited to about 100 bytes. */
function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  return near.length < path.length ? near : path;
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

function describe(folder: string): string {
  const running = readDevnetFile(folder);
  const where = running ? ` at ${running.baseUrl}` : '';
  return `a local build already runs in this folder${where}; stop it first (Ctrl-C in its terminal), or start this one in another folder`;
}
