import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockSocket } from '../socket-lock.js';

const POLL_MS = 100;
/** A build whose chains take longer does not keep others waiting. */
const MAX_WAIT_MS = 60_000;

/**
 * Held from the choice of ports until the chains listen on them: a port is free until then, so two builds of this user that
 * start at once would choose the same, and one would deploy to the other's chain. Builds in other temporary folders are not seen.
 *
 * @returns a function that lets the next build choose.
 */
export async function portsInTurn(signal: AbortSignal): Promise<() => void> {
  const path = join(tmpdir(), `causeway-ports-${userInfo().uid}.sock`);
  for (let waited = 0; waited < MAX_WAIT_MS && !signal.aborted; waited += POLL_MS) {
    // Where the temporary folder cannot be written, a build goes without.
    const release = await lockSocket(path).catch(() => () => undefined);
    if (release !== undefined) return release;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return () => undefined;
}
