import type { SeededRandom } from '@causeway/core/testing';
import { type LedgerRows, ledgerRows } from './ledger/rows.js';

/** A kind of query; its values come from requests of the ledger, so that common values are queried most. */
export interface ListingCase {
  readonly name: string;
  readonly kind: 'fast' | 'slow';
  readonly query: (rows: LedgerRows, random: SeededRandom) => Readonly<Record<string, string | number | null>>;
}

const DAY_S = 86_400;
const seconds = (ms: number) => Math.floor(ms / 1_000);
const fast = (name: string, query: ListingCase['query']): ListingCase => ({ name, kind: 'fast', query });
const slow = (name: string, query: ListingCase['query']): ListingCase => ({ name, kind: 'slow', query });
const filters = (...groups: readonly object[]) => ({ filters: JSON.stringify(groups) });
const listed = (status: string) =>
  ['success', 'failure', 'refund', 'pending', 'depositing'].includes(status) ? status : 'refund';

const EQUALITY: readonly ListingCase[] = [
  fast('nothing', () => ({})),
  fast('id', ({ request }) => ({ id: request.id })),
  fast('id with children', ({ request }) => ({
    id: request.parentRequestId ?? request.id,
    includeChildRequests: 'true',
  })),
  fast('orderId', ({ request }) => ({ orderId: request.orderId })),
  fast('user', ({ request }) => ({ user: request.user })),
  fast('recipient', ({ request }) => ({ recipient: request.recipient })),
  fast('user who is a depositor', ({ request }) => ({ user: request.depositor })),
  fast('depositAddress', ({ request }) => ({ depositAddress: request.depositAddress })),
  fast('status', ({ request }) => ({ status: listed(request.status) })),
  fast('status of few', (_, random) => ({ status: random.pick(['failure', 'refund', 'pending', 'depositing']) })),
  fast('failReason', ({ request }) => ({ failReason: request.failReason })),
  fast('failReason of one week', () => ({ failReason: 'SOLVER_BALANCE_TOO_LOW' })),
  fast('refundFailReason', () => ({ refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' })),
  fast('apiKey', ({ request }) => ({ apiKey: request.keyId })),
  fast('apiKey that came late', () => ({ apiKey: 'key-3' })),
  fast('apiKey that went early', () => ({ apiKey: 'key-4' })),
  fast('apiKey, referrer', ({ request }) => ({ apiKey: request.keyId, referrer: request.keyId && request.referrer })),
  fast('requestType', ({ request }) => ({ requestType: request.requestType })),
  fast('originChainId', ({ request }) => ({ originChainId: request.originChainId })),
  fast('destinationChainId', ({ request }) => ({ destinationChainId: request.destinationChainId })),
  fast('chainId', ({ request }) => ({ chainId: request.originChainId })),
  fast('chainId that came late', () => ({ chainId: 9_011 })),
  fast('chainId that went early', () => ({ chainId: 9_010 })),
  fast('currencyInAddress', ({ request }) => ({ currencyInAddress: request.originCurrency })),
  fast('currencyOutAddress', ({ request }) => ({ currencyOutAddress: request.destinationCurrency })),
  fast('currencyInSymbol', ({ request }) => ({ currencyInSymbol: request.originSymbol })),
  fast('currencyOutSymbol', ({ request }) => ({ currencyOutSymbol: request.destinationSymbol })),
  fast('features', (_, random) => ({
    features: random.pick(['app_fees', 'gas_top_up', 'deposit_address', 'fixed_rate']),
  })),
];

const HASHES: readonly ListingCase[] = [
  fast('depositTxHash', ({ transactions }) => ({ depositTxHash: transactions[0]?.hash ?? null })),
  fast('fillTxHash', ({ transactions }) => ({ fillTxHash: transactions[1]?.hash ?? null })),
  fast('refundTxHash', ({ transactions }) => ({ refundTxHash: transactions[1]?.hash ?? null })),
  fast('term: id', ({ request }) => ({ term: request.id })),
  fast('term: hash', ({ transactions }) => ({ term: transactions.at(-1)?.hash ?? null })),
  fast('term: wallet', ({ request }) => ({ term: request.user })),
  fast('term: deposit address', ({ request }) => ({ term: request.depositAddress })),
];

const COMBINATIONS: readonly ListingCase[] = [
  fast('1 wallet: what became of my requests', ({ request }, random) => ({
    user: request.user,
    status: random.pick(['success', 'failure', 'refund', 'pending']),
  })),
  fast('2 support: failures of a route, newest change first', ({ request }) => ({
    originChainId: request.originChainId,
    destinationChainId: request.destinationChainId,
    status: 'failure',
    sortBy: 'updatedAt',
  })),
  fast('3 integrator: a week of one shop', ({ request }, random) => ({
    apiKey: request.keyId,
    referrer: request.keyId && request.referrer,
    status: random.pick(['success', 'refund']),
    startTimestamp: seconds(request.createdAt) - 7 * DAY_S,
    endTimestamp: seconds(request.createdAt),
  })),
  fast('4 treasury: largest of a pair on a chain', ({ request }) => ({
    originChainId: request.originChainId,
    currencyInSymbol: request.originSymbol,
    currencyOutSymbol: request.destinationSymbol,
    sortBy: 'amountUsd',
    sortDirection: 'desc',
  })),
  fast('5 operator: refunds for one reason on a chain', ({ request }, random) => ({
    chainId: request.originChainId,
    status: 'refund',
    failReason: random.pick(['SLIPPAGE', 'NO_QUOTES', 'SOLVER_BALANCE_TOO_LOW']),
    sortBy: random.pick(['createdAt', 'updatedAt']),
  })),
];

const SLOW: readonly ListingCase[] = [
  slow('amountUsdMin', ({ request }) => ({ amountUsdMin: Math.floor((request.amountUsd ?? 0) / 1e6) })),
  slow('appFeesAmountUsdMin', (_, random) => ({ appFeesAmountUsdMin: random.between(0, 6) })),
  slow('fillTimeMin', (_, random) => ({ fillTimeMin: random.between(1, 100) })),
  slow('startBlock', (_, random) => ({ startBlock: 1_000_000 + random.between(0, 400_000) })),
  slow('time and user', ({ request }) => ({ user: request.user, startTimestamp: seconds(request.createdAt) })),
  slow('not:status', ({ request }) => filters({ 'not:status': listed(request.status) })),
  slow('not:user', ({ request }) => filters({ 'not:user': request.user })),
  slow('depositAddress null', () => filters({ depositAddress: null })),
  slow('depositAddress not null', () => filters({ 'not:depositAddress': null })),
  slow('two groups', ({ request }) =>
    filters({ user: request.user, status: 'success' }, { originChainId: request.originChainId, status: 'pending' }),
  ),
  slow('common together never', () => ({ chainId: 9_010, apiKey: 'key-3' })),
  slow('total of a status', ({ request }) => ({ status: listed(request.status), includeTotal: 'true' })),
];

const SORTS = ['updatedAt', 'amountUsd'] as const;

export const LISTING_CASES: readonly ListingCase[] = [
  ...EQUALITY,
  ...SORTS.flatMap((sortBy) =>
    EQUALITY.map(({ name, query }) =>
      fast(`${name}, by ${sortBy}`, (rows, random) => ({ ...query(rows, random), sortBy })),
    ),
  ),
  ...HASHES,
  ...COMBINATIONS,
  ...SLOW,
];

export function queryOf(one: ListingCase, random: SeededRandom, total: number): string {
  for (;;) {
    const entries = Object.entries(one.query(ledgerRows(random.between(0, total - 1), total), random));
    if (entries.some(([, value]) => value === null)) continue;
    return new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)])).toString();
  }
}
