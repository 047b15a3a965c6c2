import type { TransactionRow } from '../../contract/store-rows.js';

/** As described from the chain; until then from the ledger. */
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

/** An unmined deposit is neither success nor failure and has no known fee. It is shown once it is in a block. */
function isWaiting({ status, block, entry }: TransactionRow): boolean {
  return status === 'success' && block === null && entry === null;
}

/** The row's status wins: a deposit may have been described before a reorg removed it. */
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
