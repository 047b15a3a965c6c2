import type { FundingKey } from '@causeway/core';

/** Part of all that ever arrived at a deposit address in one currency, smallest unit: from `from` up to, excluding, `to`. */
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
 * `<chain id>:at:<address>:<currency>:<from>:<to>`. Does not depend on block or transaction: a transfer that a reorg
 * includes elsewhere keeps it.
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
