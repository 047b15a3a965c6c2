import type { RequestRow, TransactionRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';

type Seen = Pick<TransactionRow, 'role' | 'hash' | 'status'>;

export interface AddressView {
  readonly address: string;
  readonly type: 'strict' | 'open';
  readonly depositor: string | null;
  /** Of the transfer to the address, not of its sweep; null until it is observed, or where the chain does not show it. */
  readonly depositTxHash: string | null;
  readonly recoveryAddress: string | null;
}

/** Null for requests without a deposit address. */
export function addressView(
  { depositor }: Pick<RequestRow, 'depositor'>,
  { depositAddress }: Pick<QuoteBody, 'depositAddress'>,
  transactions: readonly Seen[],
): AddressView | null {
  if (depositAddress === undefined) return null;
  const { address, type, recoveryAddress } = depositAddress;
  const deposits = transactions.filter(({ role }) => role === 'deposit');
  const newest = deposits.find(({ status }) => status === 'success') ?? deposits.at(-1);
  return { address, type, depositor, depositTxHash: newest?.hash ?? null, recoveryAddress };
}

export interface EventAddressView extends Omit<AddressView, 'type' | 'recoveryAddress'> {
  readonly depositAddressType: AddressView['type'];
}

/** The form that events have. */
export function eventAddressView(
  request: Pick<RequestRow, 'depositor' | 'depositAddress' | 'body'>,
  transactions: readonly Seen[],
): EventAddressView | null {
  if (request.depositAddress === null) return null;
  const view = addressView(request, JSON.parse(request.body) as QuoteBody, transactions);
  if (view === null) return null;
  const { type: depositAddressType, recoveryAddress: _, ...rest } = view;
  return { ...rest, depositAddressType };
}
