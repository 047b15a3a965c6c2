import type { Store } from '../../contract/store.js';
import type { BalanceEventRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { formatUnits } from '../../domain/money.js';
import { available } from './app-balance.js';

const MICRO_DECIMALS = 6;

/** Micro-USD. What changes between the reads makes `reserved` a little wrong, and never negative. */
export async function balanceView(store: Pick<Store, 'pot'>, integratorId: string) {
  const [free, liability] = await Promise.all([
    available(store, integratorId),
    store.pot(account.appBalance(integratorId)),
  ]);
  const balance = -liability < free ? free : -liability;
  return { balance: balance.toString(), reserved: (balance - free).toString(), available: free.toString() };
}

export function balanceEventView(row: BalanceEventRow) {
  const { id, kind, amount, requestId, chainId, currency, transactionHash, reason, createdAt } = row;
  const usd = formatUnits(amount < 0n ? -amount : amount, MICRO_DECIMALS);
  return {
    ...{ id, context: kind, amount: amount.toString(), amountUsd: amount < 0n ? `-${usd}` : usd },
    ...{ requestId, chainId, currency, txHash: transactionHash, reason, createdAt: new Date(createdAt).toISOString() },
  };
}
