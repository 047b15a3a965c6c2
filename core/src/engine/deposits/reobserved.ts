import type { DepositBatch } from '../../contract/deposits.js';

/** Heights that a batch repeats. */
export interface Reobserved {
  /** Infinity where nothing is repeated. */
  readonly above: number;
  /** A deposit recorded at this height has vanished unless the batch repeats it. */
  includes(height: number | null): boolean;
}

/**
 * Includes blocks replaced between two watcher runs (`readFrom`): if the first run ended after recording part of a
 * batch, before its cursor, the second sees no rewind.
 */
export function reobserve(batch: Pick<DepositBatch, 'rewoundTo' | 'readFrom' | 'readTo' | 'head'>): Reobserved {
  const { rewoundTo = Number.POSITIVE_INFINITY, readFrom = Number.POSITIVE_INFINITY } = batch;
  const readTo = batch.readTo ?? batch.head.height;
  return {
    above: Math.min(rewoundTo, readFrom),
    includes: (height) => height !== null && (height > rewoundTo || (height > readFrom && height <= readTo)),
  };
}
