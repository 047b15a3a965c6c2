import { expect } from 'vitest';
import { address, chainDouble, NATIVE, OTHER_TOKEN } from '../../../core/test/api/support/chain-double.js';
import { ask } from '../../../core/test/api/support/running-api.js';
import { quotes, refuses } from './asks.js';
import { type Ask, type Row, type ShownBy, type Table, test } from './table.js';
import type { World } from './world.js';

const WORDS = (text: string): readonly string[] => text.trim().split(/[\s,]+/);

/** The failReason enum of the REST interface, in its order. */
export const FAIL_REASON_NAMES = WORDS(`
  UNKNOWN SLIPPAGE AMOUNT_TOO_LOW_TO_REFUND DEPOSIT_ADDRESS_MISMATCH DEPOSIT_CHAIN_MISMATCH INCORRECT_DEPOSIT_CURRENCY
  DOUBLE_SPEND SOLVER_CAPACITY_EXCEEDED SOLVER_BALANCE_TOO_LOW DEPOSITED_AMOUNT_TOO_LOW_TO_FILL
  NEGATIVE_NEW_AMOUNT_AFTER_FEES NO_QUOTES MISSING_REVERT_DATA REVERSE_SWAP_FAILED GENERATE_SWAP_FAILED TOO_LITTLE_RECEIVED
  EXECUTION_REVERTED NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE TRANSACTION_REVERTED TRANSACTION_TOO_LARGE
  ORIGIN_CURRENCY_MISMATCH NO_INTERNAL_SWAP_ROUTES_FOUND SWAP_USES_TOO_MUCH_GAS INSUFFICIENT_FUNDS_FOR_RENT
  SPONSOR_BALANCE_TOO_LOW ORDER_EXPIRED ORDER_IS_CANCELLED TRANSFER_FROM_FAILED TRANSFER_FAILED SIGNATURE_EXPIRED
  INVALID_SIGNATURE INSUFFICIENT_NATIVE_TOKENS_SUPPLIED TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE TRANSFER_AMOUNT_EXCEEDS_BALANCE
  INVALID_SENDER ACCOUNT_ABSTRACTION_INVALID_NONCE ACCOUNT_ABSTRACTION_SIGNATURE_ERROR EXTERNAL_INEXACT_FRACTION
  TOKEN_NOT_TRANSFERABLE ZERO_SELL_AMOUNT MINT_NOT_ACTIVE ERC_1155_TOO_MANY_REQUESTED INCORRECT_PAYMENT INVALID_GAS_PRICE
  EXTERNAL_DEX_ERROR ORDER_ALREADY_FILLED EXTERNAL_INVALID_FULFILLER INVALID_SIGNER MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET
  MINT_QUANTITY_EXCEEDS_MAX_SUPPLY EXTERNAL_INVALID_TOKEN_ACCOUNT INVALID_NONCE ACCOUNT_ABSTRACTION_GAS_LIMIT
  CONTRACT_PAUSED SWAP_IMPACT_TOO_HIGH INSUFFICIENT_POOL_LIQUIDITY TTL_EXPIRED DEPOSIT_CONFIRMATION_TIMEOUT
  ORPHANED_DEPOSIT_REFUND GASLESS_PERMIT_BALANCE_TOO_LOW MANUAL_ADMIN_REFUND QUOTED_GAS_LIMIT_EXCEEDED
  DESTINATION_TOKEN_TRANSFER_REJECTED DEPOSIT_REORGED BLOCKED_WALLET PROTOCOL_DEADLINE_EXPIRED TRANSACTION_NOT_INCLUDED
  TRANSACTION_SUBMISSION_FAILED N/A`);

/** Spellings that public clients still send. */
const ALSO: Readonly<Record<string, string>> = {
  EXTERNAL_INEXACT_FRACTION: 'SEAPORT_INEXACT_FRACTION',
  EXTERNAL_INVALID_FULFILLER: 'SEAPORT_INVALID_FULFILLER',
  EXTERNAL_DEX_ERROR: 'FLUID_DEX_ERROR',
  EXTERNAL_INVALID_TOKEN_ACCOUNT: 'JUPITER_INVALID_TOKEN_ACCOUNT',
};

const AFTER_SEEDS = Date.UTC(2021, 11, 1) / 1_000;

/** Found only by the filter of its kind; shown in the record and by the status endpoint. */
function reason(field: 'failReason' | 'refundFailReason', name: string): Row {
  const id = ({ by }: World) => by.get(`${field === 'failReason' ? field : 'refund'} ${name}`) ?? 'nobody';
  const found = (asked: string): Ask => ({
    call: 'GET /requests/v3',
    query: { [field]: asked, startTimestamp: AFTER_SEEDS },
    has: (world: World) => ({ requests: [{ id: id(world), data: { [field]: name } }] }),
    judge: ({ body }) => expect(body.requests).toHaveLength(1),
  });
  return {
    name,
    rule: 'is found, and told by record and status',
    asks: [
      found(name),
      ...(ALSO[name] === undefined ? [] : [found(ALSO[name])]),
      {
        call: 'GET /intents/status/v3',
        query: (world) => ({ requestId: id(world) }),
        has: { status: 'failure', [field]: name },
      },
    ],
  };
}

const NONE: Row = {
  name: 'N/A',
  rule: 'null in the record, N/A on the status endpoint; as a filter, what has no reason',
  asks: [
    {
      call: 'GET /requests/v3',
      query: { failReason: 'N/A', limit: 50 },
      judge: ({ body }) => {
        expect(body.requests.length).toBeGreaterThan(0);
        for (const { data } of body.requests) expect(data.failReason).toBeNull();
      },
    },
    {
      call: 'GET /intents/status/v3',
      query: ({ seeds }) => ({ requestId: seeds.success.id }),
      has: { failReason: 'N/A', refundFailReason: 'N/A' },
    },
  ],
};

export const FAIL_REASONS_TABLE: Table = {
  title: 'failReason enum',
  endpoint: 'GET /requests/v3, GET /intents/status/v3, events',
  where: 'answer',
  rows: FAIL_REASON_NAMES.map((name) => (name === 'N/A' ? NONE : reason('failReason', name))),
};

export const REFUND_FAIL_REASONS_TABLE: Table = {
  title: 'refundFailReason enum',
  endpoint: 'GET /requests/v3, GET /intents/status/v3, events',
  where: 'answer',
  rows: WORDS(`AMOUNT_TOO_LOW_TO_REFUND NEGATIVE_NEW_AMOUNT_AFTER_FEES SWAP_CURRENCY_NOT_ON_ORIGIN
    REFUND_RECIPIENT_IS_VASP MANUAL_REFUND_REQUIRED`).map((name) => reason('refundFailReason', name)),
};

export const REASON_MAPPINGS: Table = {
  title: 'failReason, specific mappings',
  endpoint: 'GET /intents/status/v3',
  where: 'rule',
  rows: [
    {
      name: 'a failed same-chain swap reports TRANSACTION_REVERTED',
      rule: 'swaps on one chain are fills from inventory; any fill that reverts without a cause reports it',
      asks: quotes({ destinationChainId: 1, destinationCurrency: OTHER_TOKEN }),
      shownBy: [test('core/test/engine/failure.test.ts', 'is reported as reverted where the chain names no cause')],
    },
    {
      name: 'a refund of a duplicate deposit reports DOUBLE_SPEND',
      rule: 'on the child request that the duplicate is',
      asks: [
        {
          call: 'GET /intents/status/v3',
          query: ({ seeds }) => ({ requestId: seeds.child.id }),
          has: { failReason: 'DOUBLE_SPEND' },
        },
      ],
      shownBy: [
        test('test/e2e/refunds.test.ts', 'is a child request of its own and refunded once, no matter who paid it'),
      ],
    },
    {
      name: 'a fill over the size limit reports TRANSACTION_TOO_LARGE',
      rule: 'no family with such a limit is served yet',
      asks: refuses({ destinationChainId: 792_703_809 }, 'UNSUPPORTED_CHAIN', { field: 'destinationChainId' }),
    },
    {
      name: 'a solver without balance reports SOLVER_BALANCE_TOO_LOW',
      rule: 'what cannot be filled in time is paid back under that name',
      asks: refuses({}, 'INSUFFICIENT_LIQUIDITY', {
        given: ({ api }) => void Object.assign(api.engine, { available: 0n }),
      }),
      shownBy: [test('test/e2e/stuck.test.ts', 'fills what it can and refunds the rest at the deadline, under a name')],
    },
  ],
};

const sought = (query: Readonly<Record<string, string>>, key: string): Ask => ({
  call: 'GET /requests/v3',
  query: { ...query, startTimestamp: AFTER_SEEDS },
  judge: ({ body }, { by }) => {
    expect(body.requests.map(({ id }: { id: string }) => id)).toContain(by.get(key));
  },
});

type Change = Readonly<Record<string, unknown>>;
const ON_ONE_CHAIN: Change = { destinationChainId: 1 };
const TYPES: readonly (readonly [type: string, ...asks: readonly Ask[]])[] = [
  ['Bridge', { call: 'POST /quote/v2', body: ask(), has: { details: { operation: 'bridge' } } }],
  [
    'Crosschain Swap',
    {
      call: 'POST /quote/v2',
      body: ask({ destinationCurrency: OTHER_TOKEN }),
      has: { details: { operation: 'swap' } },
    },
  ],
  [
    'Same-chain Swap',
    ...quotes({ ...ON_ONE_CHAIN, destinationCurrency: OTHER_TOKEN }, { details: { operation: 'swap' } }),
  ],
  ['Send', ...quotes(ON_ONE_CHAIN, { details: { operation: 'send' } })],
  ['Wrap'],
  ['Unwrap'],
  ['Call', ...quotes({ txs: [{ to: address('1'), value: '0', data: '0x' }] })],
];

/** A coin and its wrapper of one asset group on one chain: exempt from the minimum value of a swap. */
function wraps(
  operation: 'wrap' | 'unwrap',
  originCurrency: string,
  destinationCurrency: string,
): NonNullable<Row['shows']> {
  return async ({ open }) => {
    const { adapter } = chainDouble(1, 'alpha');
    const currency: typeof adapter.currency = (text) => {
      const known = adapter.currency(text);
      return known?.address === OTHER_TOKEN ? { ...known, group: 'ether' } : known;
    };
    const api = await open({ chains: new Map([[1, { ...adapter, currency }]]) });
    for (const path of ['/quote/v2', '/price']) {
      const change = { ...ON_ONE_CHAIN, originCurrency, destinationCurrency };
      const tiny = await api.call('POST', path, { body: ask({ ...change, amount: '1' }) });
      expect(tiny).toMatchObject({ status: 400, body: { errorCode: 'AMOUNT_TOO_LOW' } });
      expect(tiny.body.message).toContain('does not cover the fees');
      const reply = await api.call('POST', path, { body: ask({ ...change, amount: (10n ** 18n).toString() }) });
      expect(reply).toMatchObject({ status: 200, body: { details: { operation } } });
    }
  };
}

const WRAPS: Readonly<Record<string, NonNullable<Row['shows']>>> = {
  Wrap: wraps('wrap', NATIVE, OTHER_TOKEN),
  Unwrap: wraps('unwrap', OTHER_TOKEN, NATIVE),
};

export const REQUEST_TYPES_TABLE: Table = {
  title: 'Request types',
  endpoint: 'GET /requests/v3, POST /quote/v2',
  where: 'query',
  rows: TYPES.map(([type, ...asks]) => ({
    name: type,
    rule: 'recognised by the filter in any case; quoted, or refused as not served',
    asks: [
      sought({ requestType: type }, `type ${type}`),
      sought({ requestType: type.toUpperCase() }, `type ${type}`),
      ...asks,
    ],
    ...(WRAPS[type] ? { shows: WRAPS[type] } : {}),
  })),
};

const NOT_SERVED = 'UNSUPPORTED_EXECUTION_TYPE';
const FEATURES: readonly (readonly [feature: string, ...asks: readonly Ask[]])[] = [
  ['gasless_execution', ...refuses({ usePermit: true }, NOT_SERVED)],
  ['gasless_swap', ...refuses({ usePermit: true }, NOT_SERVED)],
  ['fast_fill', { call: 'POST /fast-fill', body: { requestId: 'x' }, status: 404 }],
  [
    'gas_top_up',
    ...quotes(
      { topupGas: true, topupGasAmount: '1000000' },
      { details: { currencyGasTopup: { amountUsd: '1.000000', currency: { metadata: { isNative: true } } } } },
    ),
  ],
  [
    'fixed_rate',
    ...quotes({ fixedRate: '0.99' }, { details: { isFixedRate: true, fixedRateFee: { usd: '0.020000' } } }),
    ...refuses({ fixedRate: '1.01' }, 'NO_QUOTES', { field: 'fixedRate' }),
    ...refuses({ fixedRate: 'any' }, 'INVALID_REQUEST', { field: 'fixedRate' }),
    ...refuses({ fixedRate: '0.99' }, 'UNAUTHORIZED', { status: 401, field: 'fixedRate' }).map(
      (one): Ask => ({ ...one, as: 'noOne' }),
    ),
  ],
  [
    'app_fees',
    {
      call: 'GET /requests/v3',
      query: ({ seeds }) => ({ id: seeds.success.id }),
      has: { requests: [{ features: ['app_fees'] }] },
    },
  ],
  ['deposit_address', ...refuses({ useDepositAddress: true }, NOT_SERVED)],
];

/** Features that a service without their chains or keys refuses. */
const SERVED: Readonly<Record<string, ShownBy>> = {
  gasless_execution: test(
    'test/e2e/sponsored-orders.test.ts',
    'is deposited for a user without coin, who pays the amount, and all of it arrives',
  ),
  gasless_swap: test('test/e2e/sponsored-orders.test.ts', 'is executed from the account of a user without coin'),
  fast_fill: test(
    'test/e2e/fast-fill.test.ts',
    'is at the risk of the app balance, which is free again once the deposit is final',
  ),
  deposit_address: test(
    'test/e2e/deposit-addresses.test.ts',
    'fills each transfer by itself, also in another currency',
  ),
};

export const FEATURES_TABLE: Table = {
  title: 'Feature flags',
  endpoint: 'GET /requests/v3, POST /quote/v2',
  where: 'query',
  rows: FEATURES.map(([feature, ...asks]) => ({
    name: feature,
    rule: 'recognised by the filter; kept of a quote, or refused as not served',
    asks: [sought({ features: feature }, `feature ${feature}`), ...asks],
    ...(SERVED[feature] ? { shownBy: [SERVED[feature]] } : {}),
  })),
};

const family = (name: string, id: number): Row => ({
  name,
  rule: 'not served yet: a chain of it is told to be unknown, never half served',
  asks: [
    ...refuses({ originChainId: id }, 'UNSUPPORTED_CHAIN', { field: 'originChainId' }),
    { call: 'GET /chains/health', query: { chainId: id }, status: 400, has: { errorCode: 'UNSUPPORTED_CHAIN' } },
  ],
});

export const FAMILIES: Table = {
  title: 'Chain families',
  endpoint: 'GET /chains, POST /quote/v2',
  where: 'rule',
  rows: [
    {
      name: 'EVM',
      rule: 'listed under its name, and quoted',
      asks: [
        {
          call: 'GET /chains',
          as: 'noOne',
          has: {
            chains: [
              { id: 1, vmType: 'evm' },
              { id: 2, vmType: 'evm' },
            ],
          },
        },
      ],
      shownBy: [test('test/e2e/transfers.test.ts', 'moves native coin from A to B')],
      shows: async () => expect(chainDouble(1, 'alpha').adapter.facts.vmType).toBe('evm'),
    },
    {
      name: 'SVM',
      rule: 'served by its plugin',
      shownBy: [test('test/e2e/svm.test.ts', 'moves native coin to a new account, and back')],
    },
    {
      name: 'BVM',
      rule: 'served by its plugin',
      shownBy: [
        test(
          'test/e2e/bitcoin-families.test.ts',
          'moves its coin to the other families, and theirs come back, at the price that was quoted',
        ),
      ],
    },
    family('tonvm', 224_235_520),
  ],
};
