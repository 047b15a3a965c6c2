import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/**
 * Polls until the result is neither `undefined` nor `false`, and returns it.
 *
 * @throws with `what` and the newest result or error after `ms`.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  options: { readonly ms?: number; readonly every?: number; readonly seen?: () => unknown } = {},
): Promise<T> {
  const deadline = performance.now() + (options.ms ?? 20_000);
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) {
      const seen = options.seen === undefined ? '' : `; last seen ${JSON.stringify(options.seen())}`;
      if (failure === undefined) throw new Error(`gave up waiting: ${what}${seen}`);
      const why = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`gave up waiting: ${what}${seen} (${why})`, { cause: failure });
    }
    await sleep(options.every ?? 50);
  }
}
