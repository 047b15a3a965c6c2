import { join } from 'node:path';
import { lockSocket } from '../socket-lock.js';
import { readDevnetFile } from './devnet-file.js';

export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';
}

/** At most one supervisor per folder. @returns a function that frees it. */
export async function lockFolder(folder: string): Promise<() => void> {
  const unlock = await lockSocket(join(folder, 'dev.sock'));
  if (unlock === undefined) throw new AlreadyRunningError(describe(folder));
  return unlock;
}

function describe(folder: string): string {
  const running = readDevnetFile(folder);
  const where = running ? ` at ${running.baseUrl}` : '';
  return `a local build already runs in this folder${where}; stop it first (Ctrl-C in its terminal), or start this one in another folder`;
}
