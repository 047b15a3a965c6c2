import type { TransactionRow } from '../contract/store-rows.js';
import type { TransactionEntry } from '../contract/transactions.js';
import { usdValueText } from '../domain/money.js';
import { chainOf, commit, type EngineContext } from './context.js';
import { inParallel } from './in-parallel.js';
import { UnitOfWork } from './unit-of-work.js';

const BATCH = 32;
const AT_ONCE = 4;

/** Fills in the transaction entries of request records, behind the money path. True when there may be more. */
export async function describeSome(context: EngineContext): Promise<boolean> {
  const rows = await context.store.undescribed(BATCH);
  if (rows.length === 0) return false;
  const done = await inParallel(rows, AT_ONCE, (row) => describeOne(context, row));
  return rows.length === BATCH && done.some(Boolean);
}

async function describeOne(context: EngineContext, row: TransactionRow): Promise<boolean> {
  const chain = chainOf(context, row.chainId);
  const entry = (await chain.describeTransaction(row.hash)) ?? (row.status === 'failure' ? gone(row) : undefined);
  if (!entry) return false;
  const native = chain.facts.currency;
  const price = context.prices.price(native);
  const feeUsd = price.ok ? usdValueText(BigInt(entry.fee), native.decimals, price.usd) : '0';
  const unit = new UnitOfWork();
  unit.load('transactions', row);
  const status = row.status === 'failure' ? 'failure' : entry.status;
  unit.update('transactions', row.id, {
    entry: JSON.stringify({ ...entry, feeUsd }),
    block: entry.block,
    timestamp: entry.timestamp,
    status,
  });
  // Whoever changed the row meanwhile also cleared its entry, so it is described again.
  return (await commit(context, 'engine.describe', unit)).ok;
}

/** All that can be said of a transaction that a reorg took off its chain. */
function gone(row: TransactionRow): TransactionEntry {
  return {
    txHash: row.hash,
    fee: '0',
    block: row.block ?? 0,
    type: 'onchain',
    chainId: row.chainId,
    timestamp: row.timestamp ?? 0,
    status: 'failure',
    data: null,
    stateChanges: null,
  };
}
