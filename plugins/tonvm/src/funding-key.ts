import type { TonTransaction, TransactionId } from './chain/transaction.js';

/** Account, logical time and hash: the same from every provider. */
export function writeKey({ account, lt, hash }: Pick<TonTransaction, 'account' | 'lt' | 'hash'>): string {
  return `${account}:${lt}:${hash}`;
}

export function readKey(fundingKey: string): (TransactionId & { readonly account: string }) | undefined {
  const [, account, lt, hash] = /^(0:[0-9a-f]{64}):(\d{1,20}):([0-9a-f]{64})$/.exec(fundingKey) ?? [];
  return account && lt && hash ? { account, lt: BigInt(lt), hash } : undefined;
}
