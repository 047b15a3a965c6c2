import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { shortPath } from './config/problems.js';
import { lockSocket } from './socket-lock.js';

/** Nothing was sent. */
export class SetUpLockError extends Error {
  override readonly name = 'SetUpLockError';
}

/**
 * At most one set-up of a config at a time, so that none takes the nonces of another. It also shows, before anything is
 * spent, that what is found can be written.
 *
 * @returns a function that frees it.
 */
export async function lockSetUp(config: string): Promise<() => void> {
  const folder = dirname(config);
  let unlock: (() => void) | undefined;
  try {
    accessSync(folder, constants.W_OK);
    unlock = await lockSocket(join(folder, '.causeway-setup.sock'));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new SetUpLockError(
      `${shortPath(folder)} cannot be written (${code}): nothing was sent; make it writable, or see what is missing with --dry-run`,
    );
  }
  // guard: one-set-up
  if (unlock === undefined)
    throw new SetUpLockError(
      `another set-up of ${shortPath(config)} runs: nothing was sent; run it again once that one ended`,
    );
  return unlock;
}
