/** Milliseconds. */
export interface Patience {
  readonly backoff: { readonly firstMs: number; readonly maxMs: number };
  /** After this many failures in a row the circuit opens for `openMs`, doubled each time the trial fails. */
  readonly breaker: { readonly failures: number; readonly openMs: number; readonly maxOpenMs: number };
}

export interface Wait {
  readonly ms: number;
  readonly open: boolean;
}

/**
 * The pause after the `failed`-th failure in a row.
 * @param askedMs the provider's request, capped at `maxOpenMs`.
 */
export function pauseAfter(failed: number, { backoff, breaker }: Patience, askedMs = 0): Wait {
  const open = failed >= breaker.failures;
  const own = open
    ? doubled(breaker.openMs, failed - breaker.failures, breaker.maxOpenMs)
    : doubled(backoff.firstMs, failed - 1, backoff.maxMs);
  return { ms: Math.max(own, Math.min(askedMs, breaker.maxOpenMs)), open };
}

/** Spread by `share` on both sides, so that processes and providers do not synchronize. */
export function jittered(ms: number, share: number, fraction: number): number {
  return Math.max(1, Math.round(ms * (1 + share * (2 * fraction - 1))));
}

function doubled(ms: number, times: number, most: number): number {
  return Math.min(ms * 2 ** Math.min(times, 30), most);
}
