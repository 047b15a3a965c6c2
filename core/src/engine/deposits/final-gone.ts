import type { DepositBatch } from '../../contract/deposits.js';
import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { WorkContext } from '../base/context.js';
import { alertFinalGone } from '../books/deposit-life.js';

/**
 * Reports final deposits that are missing from repeated blocks: a reorg deeper than finality, or a provider that
 * called blocks final too early. The books keep them, which stops collection of that currency.
 *
 * Not guaranteed: deposits finalised before this process started, or batches without a start height.
 *
 * @param repeated funding keys in the batch.
 */
export function reportOfFinalGone(
  context: WorkContext,
  chainId: ChainId,
  { readFrom, readTo, head }: Pick<DepositBatch, 'readFrom' | 'readTo' | 'head'>,
  repeated: ReadonlySet<FundingKey>,
): void {
  if (readFrom === undefined) return;
  for (const { fundingKey, height } of context.latelyFinal.above(chainId, readFrom) ?? [])
    if (height <= (readTo ?? head.height) && !repeated.has(fundingKey)) alertFinalGone(context, fundingKey);
}
