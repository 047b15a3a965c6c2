import type { Operations } from '../../generated/api.js';

export type Query = Operations['GET /requests/v3']['query'];

/** `chain`: one of the chains of the service; `time`: Unix seconds, entered as a local date and time. */
type Kind = 'text' | 'number' | 'chain' | 'time' | 'flag' | readonly (readonly [string, string])[];

export interface Filter {
  readonly name: keyof Query;
  readonly label: string;
  readonly kind: Kind;
  readonly hint?: string;
}

const any = (...values: readonly string[]): Kind => [['', 'Any'] as const, ...values.map((one) => [one, one] as const)];

export const TYPES = ['Bridge', 'Crosschain Swap', 'Same-chain Swap', 'Send', 'Wrap', 'Unwrap', 'Call'];
export const FEATURES = [
  'gasless_execution',
  'gasless_swap',
  'fast_fill',
  'gas_top_up',
  'fixed_rate',
  'app_fees',
  'deposit_address',
];

/** In the row that is always there. */
export const FIRST: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: any('success', 'pending', 'depositing', 'refund', 'failure') },
  { name: 'chainId', label: 'Chain', kind: 'chain' },
];

export const GROUPS: readonly (readonly [string, readonly Filter[]])[] = [
  [
    'Route',
    [
      { name: 'originChainId', label: 'Origin chain', kind: 'chain' },
      { name: 'destinationChainId', label: 'Destination chain', kind: 'chain' },
      { name: 'currencyInChainId', label: 'Input currency, chain', kind: 'chain' },
      { name: 'currencyInSymbol', label: 'Input currency, symbol', kind: 'text' },
      { name: 'currencyInAddress', label: 'Input currency, address', kind: 'text' },
      { name: 'currencyOutChainId', label: 'Output currency, chain', kind: 'chain' },
      { name: 'currencyOutSymbol', label: 'Output currency, symbol', kind: 'text' },
      { name: 'currencyOutAddress', label: 'Output currency, address', kind: 'text' },
      { name: 'requestType', label: 'Type', kind: any(...TYPES) },
      { name: 'features', label: 'Feature', kind: any(...FEATURES) },
    ],
  ],
  [
    'Identity',
    [
      { name: 'id', label: 'Request id', kind: 'text' },
      { name: 'orderId', label: 'Order id', kind: 'text' },
      { name: 'user', label: 'User', kind: 'text' },
      { name: 'recipient', label: 'Recipient', kind: 'text' },
      { name: 'depositAddress', label: 'Deposit address', kind: 'text' },
      { name: 'depositTxHash', label: 'Deposit transaction', kind: 'text' },
      { name: 'fillTxHash', label: 'Fill transaction', kind: 'text' },
      { name: 'refundTxHash', label: 'Refund transaction', kind: 'text' },
      { name: 'apiKey', label: 'API key ids', kind: 'text', hint: 'Separated by commas' },
      { name: 'referrer', label: 'Referrer', kind: 'text', hint: 'Needs API key ids' },
      { name: 'privateChainsToInclude', label: 'Private chains', kind: 'text', hint: 'UUIDs, separated by commas' },
      { name: 'includeChildRequests', label: 'With child requests', kind: 'flag', hint: 'Needs a request id' },
    ],
  ],
  [
    'Outcome',
    [
      { name: 'failReason', label: 'Fail reason', kind: 'text' },
      { name: 'refundFailReason', label: 'Refund fail reason', kind: 'text' },
      { name: 'amountUsdMin', label: 'Amount, least (USD)', kind: 'number' },
      { name: 'amountUsdMax', label: 'Amount, most (USD)', kind: 'number' },
      { name: 'appFeesAmountUsdMin', label: 'App fees, least (USD)', kind: 'number' },
      { name: 'appFeesAmountUsdMax', label: 'App fees, most (USD)', kind: 'number' },
      { name: 'fillTimeMin', label: 'Fill time, least (s)', kind: 'number' },
      { name: 'fillTimeMax', label: 'Fill time, most (s)', kind: 'number' },
    ],
  ],
  [
    'Time and order',
    [
      { name: 'startTimestamp', label: 'From', kind: 'time' },
      { name: 'endTimestamp', label: 'To', kind: 'time' },
      { name: 'startBlock', label: 'From block', kind: 'number' },
      { name: 'endBlock', label: 'To block', kind: 'number' },
      {
        name: 'sortBy',
        label: 'Sort by',
        kind: [
          ['', 'Created'],
          ['updatedAt', 'Updated'],
          ['amountUsd', 'Amount (USD)'],
        ],
      },
      {
        name: 'sortDirection',
        label: 'Direction',
        kind: [
          ['', 'Default'],
          ['desc', 'Descending'],
          ['asc', 'Ascending'],
        ],
      },
      { name: 'filters', label: 'Filter groups', kind: 'text', hint: 'JSON, as the interface describes it' },
    ],
  ],
];

const ALL: readonly Filter[] = [
  { name: 'term', label: 'Search', kind: 'text' },
  ...FIRST,
  ...GROUPS.flatMap(([, filters]) => filters),
];

/** What of the address the search understands; the service judges the values. */
export function queryOf(search: URLSearchParams): Query {
  const query: Record<string, string> = {};
  for (const { name } of ALL) {
    const value = search.get(name);
    if (value !== null && value !== '') query[name] = value;
  }
  return query as Query;
}

/** How many filters are set in the panel that can be closed. */
export function hiddenCount(search: URLSearchParams): number {
  return GROUPS.flatMap(([, filters]) => filters).filter(({ name }) => (search.get(name) ?? '') !== '').length;
}
