import type { ChainId, FundingKey } from '@causeway/core';

/** An output as transactions name it. */
export interface Outpoint {
  /** Displayed name of the transaction. */
  readonly txid: string;
  readonly vout: number;
}

/**
 * A funding transfer of this family is an output, and its key `<chain id>:<txid>:<output>`: the name is that of what was
 * signed, wherever it is included.
 */
export function fundingKeyOf(chainId: ChainId, { txid, vout }: Outpoint): FundingKey {
  return `${chainId}:${txid}:${vout}`;
}

const KEY = /^(\d+):([0-9a-f]{64}):(\d{1,10})$/;

/** Undefined for a key that is not of this chain. */
export function outpointOf(chainId: ChainId, key: FundingKey): Outpoint | undefined {
  const [, chain, txid, vout] = KEY.exec(key) ?? [];
  if (txid === undefined || chain !== chainId.toString()) return undefined;
  return { txid, vout: Number(vout) };
}

/** `<txid>:<output>`, as logs and maps name outputs. */
export function outpointName({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`;
}
