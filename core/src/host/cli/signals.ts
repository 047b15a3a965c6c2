import { complain } from './output.js';

/** A terminal and npm may both forward one Ctrl-C; a second one from the user comes later. */
const ONE_CTRL_C_MS = 500;

/** The first stop signal calls `ask`, a second one `insist`. */
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
 * Also resolves when the channel to a supervisor closes, so that the process never outlives it. A later signal ends
 * the process.
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
