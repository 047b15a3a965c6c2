import { complain } from './output.js';

/** A terminal and the npm between us may both pass one Ctrl-C on; a person's second one comes later. */
const ONE_CTRL_C_MS = 500;

/** Calls back for the first signal that asks the process to stop, and again for a second signal, which insists. */
export function onStopSignals(ask: () => void, insist: (signal: string) => void): void {
  let askedAt: number | undefined;
  const heard = (signal: string) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      ask();
    } else if (performance.now() - askedAt > ONE_CTRL_C_MS) insist(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => heard(signal));
}

/**
 * Resolves when the process is asked to stop, or when the channel to a supervisor closes, so that nothing outlives it.
 * A later signal ends the process at once.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    onStopSignals(resolve, (signal) => {
      complain(`${signal} again: ending now, without draining`);
      process.exit(1);
    });
    if (!process.channel) return;
    process.on('disconnect', resolve);
    process.channel.unref();
  });
}
