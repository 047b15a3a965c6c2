/**
 * Questions outside the money path, whose number and size third parties choose: simulations for quotes, traces for
 * failure messages, descriptions of transactions and transfers of coin for them, swap pools, deposit addresses; and
 * trials of calls for others, whose askers pay for them. Separate clients, so that none takes capacity from payments.
 */
export type Side = 'trials' | 'traces' | 'transfers' | 'descriptions' | 'pools' | 'addresses' | 'calls';

export interface Limits {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly maxBatch: number;
  readonly maxBodyBytes?: number;
}

const MIB = 1024 * 1024;

/** For pools of other clients, which make those of each side with its limits. */
export function limitsOf(side: Side | undefined, most: Limits): Limits {
  const upTo = (places: number, ms: number) => ({
    maxInFlight: Math.min(most.maxInFlight, /* guard: trial-places */ places),
    timeoutMs: Math.min(most.timeoutMs, ms),
  });
  switch (side) {
    case undefined:
      return most;
    case 'trials':
      return { ...upTo(8, 4_000), maxBatch: 1, maxBodyBytes: 2 * MIB };
    case 'traces':
      return { ...upTo(2, 3_000), maxBatch: 1, maxBodyBytes: 8 * MIB };
    case 'transfers':
      // Each exchange costs the event loop 0.4 ms, and a block may have hundreds of them.
      return { ...upTo(2, 3_000), maxBatch: Math.min(most.maxBatch, 8), maxBodyBytes: 8 * MIB };
    case 'descriptions':
      return { ...upTo(4, 3_000), maxBatch: Math.min(most.maxBatch, 8), maxBodyBytes: 8 * MIB };
    case 'calls':
      // 200 a second, each tried for 80 ms.
      return { ...upTo(16, 4_000), maxBatch: 1, maxBodyBytes: 2 * MIB };
    case 'pools':
    case 'addresses':
      return { ...most, ...upTo(4, most.timeoutMs) };
  }
}
