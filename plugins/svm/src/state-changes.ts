import { BalanceChanges } from '@causeway/core';
import { NATIVE } from './addresses.js';
import type { ReadTransaction } from './transactions/read.js';

/** From the transaction's own balances, tokens by owner. The payer's figure includes the fee. */
export function stateChanges({ lamports, tokens }: ReadTransaction): BalanceChanges {
  const changes = new BalanceChanges();
  for (const [account, { before, after }] of lamports) changes.add(account, NATIVE, after - before);
  for (const [account, { mint, owner, before, after }] of tokens) changes.add(owner || account, mint, after - before);
  return changes;
}
