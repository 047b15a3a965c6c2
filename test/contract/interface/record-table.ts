import { expect } from 'vitest';
import { address } from '../../../core/test/api/support/chain-double.js';
import { hash } from '../../../core/test/api/support/rows.js';
import { USER } from '../../../core/test/api/support/running-api.js';
import { laterField, quotes, recordField, refuses } from './asks.js';
import { type Table, test } from './table.js';
import { DESCRIBED, FAILED_CALL, SENDER, WALLET, type World } from './world.js';

const endpoint = 'GET /requests/v3';
const where = 'answer';

/** A later capability: a quote that requests one is refused. */
const NO_DEPOSIT_ADDRESS = refuses({ useDepositAddress: true }, 'UNSUPPORTED_EXECUTION_TYPE', {
  field: 'useDepositAddress',
});
const OWN = { includeAuthenticatedData: true };

export const RECORD: Table = {
  title: 'Request record',
  endpoint,
  where,
  rows: [
    recordField('id', 'string', 'the requestId of the quote', { is: (world: World) => world.seeds.success.id }),
    {
      name: 'status',
      type: 'string enum',
      rule: 'refund, waiting, depositing, failure, pending, submitted, success; a fallback shows as refund',
      asks: (
        [
          ['refund', 'refund'],
          ['waiting', 'waiting'],
          ['depositing', 'depositing'],
          ['failure', 'failure'],
          ['pending', 'pending'],
          ['submitted', 'submitted'],
          ['success', 'success'],
          ['fallback', 'refund'],
        ] as const
      ).map(([seed, status]) => ({
        call: 'GET /requests/v3' as const,
        query: (world) => ({ id: world.seeds[seed].id }),
        has: { requests: [{ status }] },
      })),
    },
    recordField('user', 'string', 'wallet address', { is: WALLET }),
    recordField('recipient', 'string', 'recipient address', { is: (world: World) => world.seeds.success.recipient }),
    recordField('sender', 'string', 'nullable', { of: 'failure', is: SENDER, nullIn: 'depositing' }),
    recordField('refundTo', 'string', 'null when unspecified', { of: 'refund', is: WALLET, nullIn: 'success' }),
    laterField(
      'supersededByRequestId',
      'null',
      'only of superseded deposit-address requests, so null here',
      'RequestRecord',
      [
        {
          call: 'GET /requests/v3',
          query: (world) => ({ id: world.seeds.success.id }),
          has: { requests: [{ supersededByRequestId: null }] },
        },
        ...NO_DEPOSIT_ADDRESS,
      ],
    ),
    laterField('depositAddress', 'null', 'null for requests without a deposit address', 'RequestRecord', [
      {
        call: 'GET /requests/v3',
        query: (world) => ({ id: world.seeds.success.id }),
        has: { requests: [{ depositAddress: null }] },
      },
      ...NO_DEPOSIT_ADDRESS,
    ]),
    recordField('data', 'object', 'what the table of data says', { is: { slippageTolerance: '75' } }),
  ],
};

export const DEPOSIT_ADDRESS_FIELDS: Table = {
  title: 'depositAddress object',
  endpoint,
  where,
  rows: (['address', 'type', 'depositor', 'depositTxHash', 'recoveryAddress'] as const).map((name) =>
    laterField(name, 'string', 'described; deposit addresses are not served yet', 'DepositAddress', NO_DEPOSIT_ADDRESS),
  ),
};

export const DATA: Table = {
  title: 'data object',
  endpoint,
  where,
  rows: [
    recordField('slippageTolerance', 'string', 'basis points', { is: '75' }, 'data.'),
    recordField('failReason', 'string', 'nullable', { of: 'refund', is: 'SLIPPAGE', nullIn: 'success' }, 'data.'),
    recordField(
      'refundFailReason',
      'string',
      'nullable',
      { of: 'failure', is: 'MANUAL_REFUND_REQUIRED', nullIn: 'success' },
      'data.',
    ),
    recordField(
      'failedTxHash',
      'string',
      'of a fill that reverted',
      { of: 'failure', is: hash(821), absentIn: 'success' },
      'data.',
    ),
    recordField(
      'failedTxBlockNumber',
      'number',
      'of a fill that reverted',
      { of: 'failure', is: 821, absentIn: 'success' },
      'data.',
    ),
    recordField(
      'failedCallData',
      'object',
      'from, to, data, value, all strings',
      { of: 'failure', is: FAILED_CALL, absentIn: 'success' },
      'data.',
    ),
    recordField('usesExternalLiquidity', 'boolean', 'never here', { is: false }, 'data.'),
    recordField('timeEstimate', 'number', 'nullable; seconds', { is: expect.any(Number) }, 'data.'),
    laterField('triggeredByFastFill', 'null', 'nullable; true once a fill was decided early', 'RequestData', [
      {
        call: 'GET /requests/v3',
        query: (world) => ({ id: world.seeds.success.id }),
        has: { requests: [{ data: { triggeredByFastFill: null } }] },
      },
      {
        call: 'POST /fast-fill',
        body: { requestId: hash(1) },
        status: 404,
        has: { errorCode: 'REQUEST_NOT_FOUND' },
      },
    ]),
    recordField('inTxs', 'array', 'origin side', { is: [{ txHash: hash(800), chainId: 1 }] }, 'data.'),
    recordField('outTxs', 'array', 'destination side', { is: [{ txHash: hash(801), chainId: 2 }] }, 'data.'),
    recordField(
      'appFees',
      'object',
      'quoted, actual, currency',
      { is: { quoted: [{ bps: '100' }], actual: [{ bps: '100' }], currency: { symbol: 'USDC' } } },
      'data.',
    ),
    recordField(
      'feeSponsorship',
      'object',
      'quoted and actual outcomes',
      { is: { quoted: { capHit: false }, actual: { capHit: false } } },
      'data.',
    ),
    recordField(
      'route',
      'object',
      'quoted and actual, each with origin and destination, each with inputCurrency and outputCurrency',
      {
        is: Object.fromEntries(
          ['quoted', 'actual'].map((name) => [
            name,
            Object.fromEntries(
              ['origin', 'destination'].map((side) => [
                side,
                { inputCurrency: { currency: { symbol: 'USDC' } }, outputCurrency: { currency: { symbol: 'USDC' } } },
              ]),
            ),
          ]),
        ),
      },
      'data.',
    ),
    {
      ...recordField(
        'apiKeyName',
        'string',
        'only under the gate; null if the key has no name',
        { is: 'tests', nullIn: 'failure', query: OWN },
        'data.',
      ),
    },
    {
      name: 'referrer, platformFee',
      rule: 'only under the same gate',
      asks: [
        {
          call: 'GET /requests/v3',
          query: (world) => ({ id: world.seeds.success.id, ...OWN }),
          has: { requests: [{ data: { referrer: 'shop', platformFee: { usd: expect.any(String) } } }] },
        },
        ...[{ as: 'key', query: {} } as const, { as: 'other', query: OWN } as const].map(({ as, query }) => ({
          call: 'GET /requests/v3' as const,
          as,
          query: (world: { seeds: { success: { id: string } } }) => ({ id: world.seeds.success.id, ...query }),
          judge: ({ body }: { body: { requests: { data: object }[] } }) => {
            for (const name of ['referrer', 'platformFee', 'apiKeyName']) {
              expect(body.requests[0]?.data).not.toHaveProperty(name);
            }
          },
        })),
      ],
    },
  ],
};

const IN_TX = 'data.inTxs[].';

export const TRANSACTION_ENTRY: Table = {
  title: 'Transaction entry',
  endpoint,
  where,
  rows: [
    recordField('txHash', 'string', 'hash', { is: hash(800) }, IN_TX),
    recordField('fee', 'string', 'smallest unit of the native coin', { is: DESCRIBED.fee }, IN_TX),
    recordField('feeUsd', 'string', 'US dollars', { is: DESCRIBED.feeUsd }, IN_TX),
    recordField('block', 'number', 'block', { is: 800 }, IN_TX),
    recordField('type', 'string', 'type', { is: 'onchain' }, IN_TX),
    recordField('chainId', 'number', 'chain', { is: 1 }, IN_TX),
    recordField('timestamp', 'number', 'Unix seconds', { is: 1_700_000_800 }, IN_TX),
    recordField('status', 'string', 'success or failure', { is: 'success' }, IN_TX),
    recordField('data', 'object', 'free-form', { is: DESCRIBED.data }, IN_TX),
    recordField('stateChanges', 'array', 'free-form', { is: DESCRIBED.stateChanges }, IN_TX),
    {
      ...recordField(
        'status',
        'string',
        'failure of a deposit that was reorged out',
        { of: 'reorged', is: 'failure' },
        IN_TX,
      ),
      name: 'status of a reorged deposit',
      shownBy: [test('test/e2e/reorgs.test.ts', 'fails with DEPOSIT_REORGED and is not filled')],
    },
    {
      name: 'txHash of other families',
      rule: 'bare hex for their origins; no such chain is served yet',
      asks: refuses({ originChainId: 224_235_520 }, 'UNSUPPORTED_CHAIN', { field: 'originChainId' }),
    },
  ],
};

const APP = 'data.appFees.';
const AMOUNTS = { amount: '1000000', amountFormatted: '1' };

export const APP_FEE_ENTRIES: Table = {
  title: 'AppFee entries',
  endpoint,
  where,
  rows: [
    recordField('quoted[].recipient', 'string', 'who gets it', { is: USER }, APP),
    recordField('quoted[].bps', 'string', 'basis points', { is: '100' }, APP),
    recordField('quoted[].amount', 'string', 'smallest unit', { is: AMOUNTS.amount }, APP),
    recordField('quoted[].amountFormatted', 'string', 'whole units', { is: AMOUNTS.amountFormatted }, APP),
    recordField('actual[].recipient', 'string', 'the same', { is: USER }, APP),
    recordField('actual[].bps', 'string', 'the same', { is: '100' }, APP),
    recordField('actual[].amount', 'string', 'the same', { is: AMOUNTS.amount }, APP),
    recordField('actual[].amountFormatted', 'string', 'the same', { is: AMOUNTS.amountFormatted }, APP),
    recordField('actual[].amountUsd', 'string', 'and its value', { is: expect.stringMatching(/^1(\.0+)?$/) }, APP),
    recordField('currency.chainId', 'number', 'origin currency', { is: 1 }, APP),
    recordField('currency.address', 'string', 'origin currency', { is: address('a') }, APP),
    recordField('currency.symbol', 'string', 'origin currency', { is: 'USDC' }, APP),
    recordField('currency.name', 'string', 'origin currency', { is: 'USDC on alpha' }, APP),
    recordField('currency.decimals', 'number', 'origin currency', { is: 6 }, APP),
    recordField(
      'currency.metadata',
      'object',
      'logoURI, verified, isNative',
      { is: { logoURI: 'https://logo.example/usdc.png', verified: true, isNative: false } },
      APP,
    ),
  ],
};

const AMOUNT = Object.fromEntries(
  ['amount', 'amountFormatted', 'amountUsd', 'minimumAmount'].map((name) => [name, expect.any(String)]),
);
const COMPONENT = { selected: false, total: AMOUNT, sponsored: AMOUNT, userPays: AMOUNT };
const NAMES = ['execution', 'swap', 'platform', 'app', 'rent'];

export const SPONSORSHIP: Table = {
  title: 'feeSponsorship.quoted and feeSponsorship.actual',
  endpoint,
  where,
  rows: [
    both('selectedComponents', 'array', []),
    {
      ...laterField('maxSubsidizationAmount', 'string', 'not required; when configured', 'Sponsorship', []),
      asks: [
        ...(laterField('maxSubsidizationAmount', 'string', '', 'Sponsorship', []).asks ?? []),
        ...quotes(
          { subsidizeFees: true, maxSubsidizationAmount: '100' },
          { fees: { subsidized: { amountUsd: '0.000100' } } },
        ),
      ],
    },
    both('capHit', 'boolean', false),
    both('components', 'object', Object.fromEntries(NAMES.map((name) => [name, COMPONENT]))),
    both('sponsoredTotal', 'object', AMOUNT),
    both('userPaysTotal', 'object', AMOUNT),
  ],
};

/** Expected and actual values have one shape. */
function both(name: string, type: Parameters<typeof recordField>[1], is: unknown) {
  const of = (part: string) => recordField(name, type, 'required', { is }, `data.feeSponsorship.${part}.`);
  const [quoted, actual] = [of('quoted'), of('actual')];
  return { ...quoted, asks: [...(quoted.asks ?? []), ...(actual.asks ?? [])] };
}

export const COMPONENT_FIELDS: Table = {
  title: 'feeSponsorship component',
  endpoint,
  where,
  rows: (
    [
      ['selected', 'boolean', false],
      ['total', 'object', AMOUNT],
      ['sponsored', 'object', AMOUNT],
      ['userPays', 'object', AMOUNT],
    ] as const
  ).map(([name, type, is]) => ({
    name,
    type,
    rule: 'required of each component',
    asks: NAMES.flatMap(
      (part) => recordField(name, type, '', { is }, `data.feeSponsorship.quoted.components.${part}.`).asks ?? [],
    ),
  })),
};

export const ROUTE_RULE: Table = {
  title: 'Route actual/quoted rule',
  endpoint,
  where: 'rule',
  rows: [
    {
      name: 'a deposit without a fill',
      rule: 'actual.origin.inputCurrency is the deposit, outputCurrency null, actual.destination the quoted one',
      asks: [
        {
          call: 'GET /requests/v3',
          query: (world) => ({ id: world.seeds.reorged.id }),
          judge: ({ body }) => {
            const { actual, quoted } = body.requests[0].data.route;
            expect(actual.origin.inputCurrency).toMatchObject({ amount: '100000000', currency: { chainId: 1 } });
            expect(actual.origin.outputCurrency).toBeNull();
            expect(actual.destination).toEqual(quoted.destination);
          },
        },
      ],
      shownBy: [
        test(
          'test/e2e/bitcoin-families.test.ts',
          'fails where the payer spends the same outputs otherwise before a block has the deposit: nothing is filled',
        ),
      ],
    },
  ],
};
