import type { RangeField, RequestFilter, RequestSearch, SearchCondition, SearchField } from '../contract/search.js';
import type { RequestRow, TransactionRow } from '../contract/store-rows.js';
import { featureBits, REQUEST_FEATURES } from '../domain/features.js';
import { FAIL_REASONS, REFUND_FAIL_REASONS } from '../errors/fail-reasons.js';
import type { SeededRandom } from './seeded-random.js';
import * as rows from './store-fixtures.js';

/** Few values per field, so that searches match some rows. */
const WALLETS = ['0xann', '0xbob', '0xcat', '0xdan'];
const CHAINS = [901, 902, 903];
const SYMBOLS = ['USDC', 'usdc', 'Eth', 'DAI'];
const STATUSES = ['success', 'failure', 'refund', 'fallback', 'pending', 'depositing'] as const;
const KEYS = ['key-1', 'key-2'];
const REFERRERS = ['shop', 'Shop', ''];
const HASHES = ['0xh1', '0xh2', '0xh3', '0xh4', '0xh5'];
const ROLES = ['deposit', 'fill', 'refund', 'failed'] as const;

const MAX_IDS = 150;

/** Mostly with nulls where they are allowed. */
export function randomRequest(
  random: SeededRandom,
  n: number,
): { readonly request: RequestRow; readonly transactions: readonly TransactionRow[] } {
  const maybe = <T>(value: T): T | null => (random.chance(0.4) ? value : null);
  const child = n > 10 && random.chance(0.1);
  const request = rows.requestRow(n, {
    ...(child ? { parentRequestId: rows.requestId(random.between(1, 10)) } : {}),
    status: random.pick(STATUSES),
    user: random.pick(WALLETS),
    recipient: random.pick(WALLETS),
    sender: maybe(random.pick(WALLETS)),
    depositor: maybe(random.pick(WALLETS)),
    depositAddress: maybe(random.pick(WALLETS)),
    originChainId: random.pick(CHAINS),
    destinationChainId: random.pick(CHAINS),
    originCurrency: random.pick(WALLETS),
    destinationCurrency: random.pick(WALLETS),
    originSymbol: random.pick(SYMBOLS),
    destinationSymbol: random.pick(SYMBOLS),
    requestType: random.pick(['Bridge', 'Send']),
    keyId: maybe(random.pick(KEYS)),
    referrer: maybe(random.pick(REFERRERS)),
    failReason: maybe(random.pick(FAIL_REASONS.slice(0, 3))),
    refundFailReason: maybe(random.pick(REFUND_FAIL_REASONS.slice(0, 2))),
    features: featureBits(REQUEST_FEATURES.filter(() => random.chance(0.2))),
    amountUsd: maybe(random.between(0, 9)),
    appFeesUsd: maybe(random.between(0, 9)),
    fillTimeMs: maybe(random.between(0, 9)),
    createdAt: rows.T0 + random.between(0, 20),
    // Some long after creation: those use another index.
    updatedAt: rows.T0 + random.between(20, 40) + (random.chance(0.2) ? 600_000 : 0),
  });
  const transactions = Array.from({ length: random.between(0, 3) }, (_, at) =>
    rows.transactionRow(n, {
      id: `${n}:${at}`,
      hash: random.pick(HASHES),
      role: random.pick(ROLES),
      chainId: random.pick(CHAINS),
      block: random.chance(0.8) ? random.between(1, 20) : null,
    }),
  );
  return { request, transactions };
}

const VALUES: Readonly<Record<SearchField, readonly (string | number)[]>> = {
  id: Array.from({ length: MAX_IDS }, (_, n) => rows.requestId(n + 1)),
  orderId: Array.from({ length: MAX_IDS }, (_, n) => rows.orderId(n + 1)),
  user: WALLETS,
  recipient: WALLETS,
  depositAddress: WALLETS,
  status: STATUSES,
  failReason: FAIL_REASONS.slice(0, 4),
  refundFailReason: REFUND_FAIL_REASONS.slice(0, 3),
  keyId: [...KEYS, 'key-3'],
  referrer: REFERRERS,
  requestType: ['Bridge', 'Send', 'Call'],
  originChainId: CHAINS,
  destinationChainId: CHAINS,
  chainId: [...CHAINS, 904],
  originCurrency: WALLETS,
  destinationCurrency: WALLETS,
  originSymbol: ['usdc', 'eth', 'dai'],
  destinationSymbol: ['usdc', 'eth', 'xyz'],
  feature: REQUEST_FEATURES,
  depositHash: HASHES,
  fillHash: HASHES,
  refundHash: HASHES,
  term: [...WALLETS, ...HASHES, rows.requestId(7), rows.orderId(8)],
};

const RANGES: Readonly<Record<RangeField, readonly [number, number]>> = {
  createdAt: [rows.T0, rows.T0 + 20],
  updatedAt: [rows.T0 + 20, rows.T0 + 40],
  amountUsd: [0, 9],
  appFeesUsd: [0, 9],
  fillTimeMs: [0, 9],
};

function randomBounds(random: SeededRandom, [least, most]: readonly [number, number]) {
  return {
    ...(random.chance(0.7) ? { from: random.between(least, most) } : {}),
    ...(random.chance(0.7) ? { to: random.between(least, most) } : {}),
  };
}

function randomCondition(random: SeededRandom): SearchCondition {
  if (random.chance(0.15)) {
    const field = random.pick(Object.keys(RANGES) as RangeField[]);
    return { kind: 'range', field, ...randomBounds(random, RANGES[field]) };
  }
  if (random.chance(0.08)) return { kind: 'blocks', originOnly: random.chance(0.5), ...randomBounds(random, [1, 20]) };
  if (random.chance(0.03)) {
    const some = () => Array.from({ length: random.between(1, 3) }, () => rows.requestId(random.between(1, 10)));
    return { kind: 'family', ids: some(), parents: some() };
  }
  const field = random.pick(Object.keys(VALUES) as SearchField[]);
  const count = random.pick([0, 1, 1, 1, 2, 3, 8]);
  return {
    kind: 'is',
    field,
    values: Array.from({ length: count }, () => random.pick(VALUES[field])),
    ...(random.chance(0.2) ? { orMissing: true } : {}),
    ...(random.chance(0.25) ? { not: true } : {}),
  };
}

/** Up to three conditions, mostly positive, in up to three groups. */
export function randomSearch(random: SeededRandom): RequestSearch {
  const some = (most: number) => Array.from({ length: random.between(0, most) }, () => randomCondition(random));
  const groups = random.chance(0.4) ? Array.from({ length: random.between(1, 3) }, () => some(2)) : [];
  const filter: RequestFilter = {
    all: some(groups.length > 0 ? 1 : 3),
    ...(groups.length > 0 ? { anyOf: groups } : {}),
    hiddenChains: [],
  };
  return {
    filter,
    sortBy: random.pick(['createdAt', 'updatedAt', 'amountUsd']),
    direction: random.pick(['asc', 'desc']),
    limit: random.pick([9, 50, 200, 200]),
    total: true,
    ...(random.chance(0.3) ? { asOf: rows.T0 + random.between(0, 20) } : {}),
  };
}
