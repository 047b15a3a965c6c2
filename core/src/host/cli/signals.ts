import { complain } from './output.js';

/**
 * Resolves at the first SIGINT or SIGTERM, or when the channel to a supervisor closes, so that nothing outlives it.
 * The next signal ends the process at once.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (reason: string) => {
      if (asked) {
        if (reason === 'the supervisor is gone') return;
        complain(`${reason} again: ending now, without draining`);
        process.exit(1);
      }
      asked = true;
      resolve();
    };
    process.on('SIGINT', () => ask('SIGINT'));
    process.on('SIGTERM', () => ask('SIGTERM'));
    if (process.channel) {
      process.on('disconnect', () => ask('the supervisor is gone'));
      process.channel.unref();
    }
  });
}
