import type { ChainId, FundingKey } from '@causeway/core';

export interface Outpoint {
  readonly txid: string;
  readonly vout: number;
}

/**
 * A funding transfer is one output, or several of one transaction that fund the same order. The key `<chain
 * id>:<txid>:<output>[+<output>]` names what was signed and survives re-inclusion.
 *
 * @param more further outputs of the same transfer, ascending.
 */
export function fundingKeyOf(chainId: ChainId, { txid, vout }: Outpoint, more: readonly number[] = []): FundingKey {
  return `${chainId}:${txid}:${[vout, ...more].join('+')}`;
}

const KEY = /^(\d+):([0-9a-f]{64}):(\d{1,10}(?:\+\d{1,10}){0,9})$/;

export function outpointsOf(chainId: ChainId, key: FundingKey): readonly [Outpoint, ...Outpoint[]] | undefined {
  const [, chain, txid, vouts = ''] = KEY.exec(key) ?? [];
  if (txid === undefined || chain !== chainId.toString()) return undefined;
  const [first, ...more] = vouts.split('+').map((vout) => ({ txid, vout: Number(vout) }));
  return first && [first, ...more];
}

export function outpointName({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`;
}
