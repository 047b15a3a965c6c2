import type { DepositBatch } from '../../contract/deposits.js';
import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { WorkContext } from '../base/context.js';
import { alertFinalGone } from '../books/deposit-life.js';

/**
 * Names deposits to an operator that this process made final, in blocks that a batch tells anew without them: a reorg was deeper
 * than the chain's finality, or a provider that was ahead of the others called final what they still replaced. The books keep what
 * was final, so that the depository holds less than they say and nothing more of that currency is collected.
 *
 * Not guaranteed: one that became final before this process began, or where batches do not say from where they tell of everything.
 *
 * @param repeated funding keys that the batch tells of.
 */
export function tellOfFinalGone(
  context: WorkContext,
  chainId: ChainId,
  { readFrom, readTo, head }: Pick<DepositBatch, 'readFrom' | 'readTo' | 'head'>,
  repeated: ReadonlySet<FundingKey>,
): void {
  if (readFrom === undefined) return;
  for (const { fundingKey, height } of context.latelyFinal.above(chainId, readFrom) ?? [])
    if (height <= (readTo ?? head.height) && !repeated.has(fundingKey)) alertFinalGone(context, fundingKey);
}
