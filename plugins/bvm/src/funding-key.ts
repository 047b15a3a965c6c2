import type { ChainId, FundingKey } from '@causeway/core';

/** An output as transactions name it. */
export interface Outpoint {
  /** Displayed name of the transaction. */
  readonly txid: string;
  readonly vout: number;
}

/**
 * A funding transfer of this family is an output, or some outputs of one transaction that together fund an order, and its key
 * `<chain id>:<txid>:<output>[+<output>]`: the name is that of what was signed, wherever it is included.
 *
 * @param more further outputs of the same transfer, ascending.
 */
export function fundingKeyOf(chainId: ChainId, { txid, vout }: Outpoint, more: readonly number[] = []): FundingKey {
  return `${chainId}:${txid}:${[vout, ...more].join('+')}`;
}

const KEY = /^(\d+):([0-9a-f]{64}):(\d{1,10}(?:\+\d{1,10}){0,9})$/;

/** The outputs of a transfer, at least one; undefined for a key that is not of this chain. */
export function outpointsOf(chainId: ChainId, key: FundingKey): readonly [Outpoint, ...Outpoint[]] | undefined {
  const [, chain, txid, vouts = ''] = KEY.exec(key) ?? [];
  if (txid === undefined || chain !== chainId.toString()) return undefined;
  const [first, ...more] = vouts.split('+').map((vout) => ({ txid, vout: Number(vout) }));
  return first && [first, ...more];
}

/** `<txid>:<output>`, as logs and maps name outputs. */
export function outpointName({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`;
}
