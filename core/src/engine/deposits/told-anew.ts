import type { DepositBatch } from '../../contract/deposits.js';

/** Heights of which a batch tells anew. */
export interface ToldAnew {
  /** Nothing at or below it is told anew; Infinity where nothing is. */
  readonly above: number;
  /** Whether what is recorded at that height is gone, unless the batch repeats it. */
  includes(height: number | null): boolean;
}

/**
 * What is recorded there and not repeated is gone: a reorg took its block while somebody watched (`rewoundTo`), or between two runs
 * of the watcher, the first of which ended after it had recorded part of a batch and before the cursor (`readFrom`). The cursor of the
 * second run is below that block, so that it is told of no rewind.
 */
export function toldAnew(batch: Pick<DepositBatch, 'rewoundTo' | 'readFrom' | 'readTo' | 'head'>): ToldAnew {
  const { rewoundTo = Number.POSITIVE_INFINITY, readFrom = Number.POSITIVE_INFINITY } = batch;
  const readTo = batch.readTo ?? batch.head.height;
  return {
    above: Math.min(rewoundTo, readFrom),
    includes: (height) => height !== null && (height > rewoundTo || (height > readFrom && height <= readTo)),
  };
}
