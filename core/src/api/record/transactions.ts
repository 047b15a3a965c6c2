import type { TransactionRow } from '../../contract/store-rows.js';

/** Entry of `inTxs` and `outTxs`: as described from the chain; until then what the ledger knows. */
export interface TransactionView {
  readonly txHash: string;
  readonly fee: string;
  readonly feeUsd: string;
  readonly block: number | null;
  readonly type: string;
  readonly chainId: number;
  readonly timestamp: number | null;
  readonly status: 'success' | 'failure';
  readonly data: unknown;
  readonly stateChanges: unknown;
  readonly truncated?: true;
}

export function transactionViews(rows: readonly TransactionRow[]): {
  readonly inTxs: readonly TransactionView[];
  readonly outTxs: readonly TransactionView[];
} {
  return {
    inTxs: rows.filter((row) => row.role === 'deposit' && !isWaiting(row)).map(transactionView),
    outTxs: rows.filter((row) => row.role !== 'deposit').map(transactionView),
  };
}

/** A deposit that no block has: neither a success nor a failure, with no fee that anybody could name. It shows once one has it. */
function isWaiting({ status, block, entry }: TransactionRow): boolean {
  return status === 'success' && block === null && entry === null;
}

/** The row's status wins: a deposit may have been described before it was reorged out. */
function transactionView(row: TransactionRow): TransactionView {
  const described = row.entry === null ? {} : (JSON.parse(row.entry) as Partial<TransactionView>);
  return {
    txHash: row.hash,
    fee: '0',
    feeUsd: '0',
    block: row.block,
    type: 'onchain',
    chainId: row.chainId,
    timestamp: row.timestamp,
    data: null,
    stateChanges: null,
    ...described,
    status: row.role === 'failed' ? 'failure' : row.status,
  };
}
