import { createStore } from '../state/store.js';

/** Counts how often the service came back: what has loaded before is loaded again. */
export const returns = createStore(0);

/** Whether the last call found the service. */
export const connected = createStore(true);

const FIRST_MS = 500;
const MAX_WAIT_MS = 5_000;
let asking = false;

/** Asks until the service answers again. */
export function lost(): void {
  connected.set(false);
  if (asking) return;
  asking = true;
  ask(FIRST_MS);
}

function ask(waitMs: number): void {
  window.setTimeout(async () => {
    const answer = await fetch('/dashboard/session', { cache: 'no-store' }).catch(() => undefined);
    if (answer === undefined || answer.status >= 500) {
      ask(Math.min(waitMs * 2, MAX_WAIT_MS));
      return;
    }
    asking = false;
    connected.set(true);
    returns.set(returns.get() + 1);
  }, waitMs);
}
