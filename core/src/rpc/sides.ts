/**
 * Questions that no money waits for, and whose number and size strangers choose: trials of fills that quotes ask for, with what else
 * a quote asks; traces, which only give a failure better words; pools of swaps. Each has a client of its own, so that none of
 * them takes a place, a batch or a second of what pays.
 */
export type Side = 'trials' | 'traces' | 'pools';

export interface Limits {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxBatch: number;
  readonly maxBodyBytes?: number;
}

const MIB = 1024 * 1024;

/** What a side may take, of what the provider itself may be asked. */
export function limitsOf(side: Side | undefined, most: Limits): Limits {
  const upTo = (places: number, ms: number) => ({
    maxInFlight: Math.min(most.maxInFlight, places),
    timeoutMs: Math.min(most.timeoutMs, ms),
  });
  switch (side) {
    case undefined:
      return most;
    case 'trials':
      return { ...upTo(8, 4_000), maxBatch: 1, maxBodyBytes: 2 * MIB };
    case 'traces':
      return { ...upTo(2, 3_000), maxBatch: 1, maxBodyBytes: 8 * MIB };
    case 'pools':
      return { ...most, ...upTo(4, most.timeoutMs) };
  }
}
