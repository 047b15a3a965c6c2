import type { EngineContext } from './context.js';

const FAILURE_PAUSE_MS = 1_000;

/** A loop that runs on a wake-up or at the latest after `everyMs`, one round at a time, until the engine stops. */
export interface Worker {
  wake(): void;
  /** Resolves when the round in progress has ended after stopping. */
  readonly done: Promise<void>;
}

/**
 * @param round does one round; true asks for another at once. What it throws is logged and the loop goes on.
 * @param lagMs how long a wake-up is put off, for work that must give way to what the same event starts elsewhere.
 */
export function startWorker(
  context: EngineContext,
  name: string,
  everyMs: number,
  round: () => Promise<boolean>,
  lagMs = 0,
): Worker {
  let waiting: AbortController | undefined;
  let woken = false;
  const run = async (): Promise<void> => {
    while (!context.stopping.aborted) {
      woken = false;
      try {
        if (await round()) continue;
      } catch (error) {
        context.log.error({ worker: name, err: error }, 'round failed');
        context.metrics.count('worker_failures', 'Rounds of engine workers that threw', { worker: name });
        await context.clock.sleep(FAILURE_PAUSE_MS, context.stopping);
        continue;
      }
      if (!woken && !context.stopping.aborted) {
        // Whoever stops the engine wakes its workers as well.
        waiting = new AbortController();
        await context.clock.sleep(everyMs, waiting.signal);
        waiting = undefined;
      }
      if (lagMs > 0) await context.clock.sleep(lagMs, context.stopping);
    }
  };
  return {
    wake: () => {
      woken = true;
      waiting?.abort();
    },
    done: run(),
  };
}
