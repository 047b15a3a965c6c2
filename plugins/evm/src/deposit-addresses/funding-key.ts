import type { FundingKey } from '@causeway/core';

/**
 * A transfer to a deposit address as a range of the cumulative sum that arrived there in one currency, smallest unit:
 * `from` inclusive, `to` exclusive.
 */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

export interface RangeKey extends Range {
  /** Lower case. */
  readonly address: string;
  readonly currency: string;
}

const FORM = /^\d+:at:(0x[0-9a-f]{40}):(0x[0-9a-f]{40}):(\d+):(\d+)$/;

/**
 * `<chain id>:at:<address>:<currency>:<from>:<to>`. Contains neither block nor transaction, so that a transfer keeps
 * its key when a reorg includes it elsewhere.
 */
export function rangeKey(chainId: number, { address, currency, from, to }: RangeKey): FundingKey {
  return `${chainId}:at:${address}:${currency}:${from}:${to}`;
}

/** Undefined for keys of deposits into the depository. */
export function readRangeKey(fundingKey: FundingKey): RangeKey | undefined {
  const [, address, currency, from, to] = FORM.exec(fundingKey) ?? [];
  if (address === undefined || currency === undefined || from === undefined || to === undefined) return undefined;
  return { address, currency, from: BigInt(from), to: BigInt(to) };
}
