import { expect } from 'vitest';
import { address, BURN, NATIVE, TOKEN } from '../../../core/test/api/support/chain-double.js';
import { ask, RECIPIENT, USER } from '../../../core/test/api/support/running-api.js';
import { PRICED, quotes, refuses } from './asks.js';
import type { Ask, Row, Table } from './table.js';

const ENDPOINT = 'POST /quote/v2, POST /quote, POST /price';
const NOT_SERVED = 'UNSUPPORTED_EXECUTION_TYPE';
const CALL = { to: USER, value: '5', data: '0xab' };
const malformed = (field: string, ...values: readonly unknown[]): readonly Ask[] =>
  values.flatMap((value) => refuses({ [field]: value }, 'INVALID_REQUEST', { field }));
const slippage = (field: string): readonly Ask[] => [
  ...['0', '10000'].flatMap((value): readonly Ask[] =>
    ['/quote/v2', '/quote', '/price'].map((path) => ({
      call: `POST ${path}` as `POST /${string}`,
      body: ask({ [field]: value, amount: '1000000000' }),
      has: PRICED,
    })),
  ),
  ...['-1', '10001', '0.5', '', '1e2', ' 1', 50].flatMap((value) =>
    refuses({ [field]: value }, 'INVALID_SLIPPAGE_TOLERANCE', { field }),
  ),
];

const calls = (name: string, rule: string, ...asks: readonly Ask[]): Row => ({ name, rule, asks });

export const QUOTE_BODY: Table = {
  title: 'POST /quote/v2, body',
  endpoint: ENDPOINT,
  where: 'body',
  rows: [
    {
      name: 'user',
      type: 'string',
      rule: 'wallet address of the payer',
      asks: [
        ...quotes({ user: address('7') }, { details: { sender: address('7') } }),
        ...refuses({ user: 'me' }, 'INVALID_ADDRESS', { field: 'user' }),
        ...malformed('user', '', 5, undefined),
      ],
    },
    {
      name: 'originChainId, destinationChainId',
      type: 'number',
      rule: 'numbers',
      asks: [
        ...quotes(
          { originChainId: 2, destinationChainId: 1 },
          { details: { currencyIn: { currency: { chainId: 2 } }, currencyOut: { currency: { chainId: 1 } } } },
        ),
        ...['originChainId', 'destinationChainId'].flatMap((field) => [
          ...refuses({ [field]: 99 }, 'UNSUPPORTED_CHAIN', { field }),
          ...malformed(field, '1', -1, 1.5, null, undefined),
        ]),
      ],
    },
    {
      name: 'originCurrency, destinationCurrency',
      type: 'string',
      rule: 'contract address; a zero address is the native coin',
      asks: [
        ...quotes(
          { originCurrency: NATIVE, destinationCurrency: NATIVE, amount: '10000000000000000' },
          { details: { currencyIn: { currency: { symbol: 'ETH' } }, currencyOut: { currency: { symbol: 'ETH' } } } },
        ),
        ...refuses({ originCurrency: 'usdc' }, 'INVALID_INPUT_CURRENCY', { field: 'originCurrency' }),
        ...refuses({ destinationCurrency: 'usdc' }, 'INVALID_OUTPUT_CURRENCY', { field: 'destinationCurrency' }),
        ...malformed('originCurrency', '', undefined),
        ...malformed('destinationCurrency', 7, undefined),
      ],
    },
    {
      name: 'amount',
      type: 'string',
      rule: 'decimal string in the smallest unit; for calls their total value',
      asks: [
        ...quotes({ amount: '50000000' }, { details: { currencyIn: { amount: '50000000' } } }),
        ...malformed('amount', '1.5', '-1', '0x10', '', 5, undefined),
        ...refuses(
          { amount: '6', destinationCurrency: NATIVE, tradeType: 'EXACT_OUTPUT', txs: [CALL] },
          'INVALID_EXTRA_TXS',
          { field: 'amount' },
        ),
      ],
    },
    {
      name: 'tradeType',
      type: 'string enum',
      rule: 'EXACT_INPUT or EXACT_OUTPUT',
      asks: [
        ...quotes({ tradeType: 'EXACT_INPUT' }, { details: { currencyIn: { amount: '100000000' } } }),
        ...quotes(
          { tradeType: 'EXACT_OUTPUT' },
          { details: { currencyOut: { amount: '100000000', minimumAmount: '100000000' } } },
        ),
        ...malformed('tradeType', 'EXACT', 'exact_input', undefined),
      ],
    },
    {
      name: 'txs',
      type: 'array',
      rule: 'destination calls of to, value, data',
      asks: [
        ...quotes({ txs: [] }),
        ...quotes({ txs: [{ ...CALL, value: '0' }] }),
        ...refuses({ txs: [CALL] }, 'INVALID_EXTRA_TXS', { field: 'txs' }),
        ...quotes({ txs: [CALL], topupGas: true }),
        ...refuses({ txs: [{ ...CALL, to: 'there' }] }, 'INVALID_EXTRA_TXS', { field: 'txs[0].to' }),
        ...refuses({ txs: [{ to: USER, data: '0x' }] }, 'INVALID_REQUEST', { field: 'txs[0].value' }),
        ...refuses({ txs: [{ ...CALL, data: '0xa' }] }, 'INVALID_REQUEST', { field: 'txs[0].data' }),
      ],
    },
    {
      name: 'recipient',
      type: 'string',
      default: 'user',
      rule: 'optional; validated before quoting',
      asks: [
        ...quotes({ recipient: RECIPIENT }, { details: { recipient: RECIPIENT } }),
        ...quotes({ recipient: undefined }, { details: { recipient: USER } }),
        ...refuses({ recipient: '0x12' }, 'INVALID_ADDRESS', { field: 'recipient' }),
        ...refuses({ recipient: TOKEN }, 'INVALID_RECIPIENT', { field: 'recipient' }),
      ],
    },
    {
      name: 'originGasOverhead',
      type: 'string',
      rule: 'optional; extra gas of a smart wallet',
      asks: malformed('originGasOverhead', '-1', '1.5', '0x10', '', -1),
      shows: async ({ api }) => {
        const gas = async (change: object) => {
          const { status, body } = await api.call('POST', '/quote/v2', { body: ask({ ...change }) });
          expect(status).toBe(200);
          return BigInt(body.fees.gas.amount);
        };
        const plain = await gas({});
        expect((await gas({ originGasOverhead: '21000' })) - plain).toBe(21_000_000_000_000n);
        expect(await gas({ originGasOverhead: 21_000 })).toBe(await gas({ originGasOverhead: '21000' }));
      },
    },
    {
      name: 'slippageTolerance, latePaymentSlippageTolerance',
      type: 'string',
      rule: 'integer strings 0 to 10000, basis points',
      asks: [
        ...quotes({ slippageTolerance: '50' }),
        ...slippage('slippageTolerance'),
        ...slippage('latePaymentSlippageTolerance'),
      ],
    },
    {
      name: 'useDepositAddress, strict',
      type: 'boolean',
      rule: 'deposit addresses; not served yet',
      asks: [
        ...quotes({ useDepositAddress: false, strict: false }),
        ...refuses({ useDepositAddress: true }, NOT_SERVED, { field: 'useDepositAddress' }),
        ...refuses({ useDepositAddress: true, strict: true, refundTo: USER }, NOT_SERVED, {
          field: 'useDepositAddress',
        }),
        ...refuses({ strict: true }, NOT_SERVED, { field: 'strict' }),
        ...malformed('useDepositAddress', 'true', 1),
        ...malformed('strict', 'true'),
      ],
    },
    {
      name: 'includeProtocolData',
      type: 'boolean',
      rule: 'opt-in; adds protocol.v2.orderSignature',
      asks: [
        {
          call: 'POST /quote/v2',
          body: ask({ includeProtocolData: true }),
          has: { protocol: { v2: { orderSignature: expect.stringMatching(/^0x[0-9a-f]{128}(1b|1c)$/) } } },
        },
        ...[{}, { includeProtocolData: false }].map(
          (change): Ask => ({
            call: 'POST /quote/v2',
            body: ask(change),
            judge: ({ body }) => expect(body.protocol.v2).not.toHaveProperty('orderSignature'),
          }),
        ),
        ...malformed('includeProtocolData', 'true'),
      ],
    },
    {
      name: 'maxRouteLength, includedOriginSwapSources',
      rule: 'keep deposit transactions of swaps small; swaps are not served yet',
      asks: [
        ...quotes({ maxRouteLength: 3, includedOriginSwapSources: [] }),
        ...quotes({ includedOriginSwapSources: ['one'] }),
        ...malformed('maxRouteLength', '3', -1),
        ...malformed('includedOriginSwapSources', 'one'),
      ],
    },
  ],
};

export const CALL_RULES: Table = {
  title: 'POST /quote/v2, rules for calls',
  endpoint: ENDPOINT,
  where: 'rule',
  rows: [
    calls(
      'amount is the sum of all txs[].value',
      'enforced for a native destination',
      ...refuses(
        {
          amount: '14',
          destinationCurrency: NATIVE,
          tradeType: 'EXACT_OUTPUT',
          txs: [CALL, { ...CALL, value: '0xa' }],
        },
        'INVALID_EXTRA_TXS',
        { field: 'amount' },
      ),
    ),
    calls(
      'amount equals the sum',
      'a right list of calls is quoted',
      ...quotes(
        {
          amount: '15',
          destinationCurrency: NATIVE,
          tradeType: 'EXACT_OUTPUT',
          txs: [CALL, { ...CALL, value: '0xa' }],
        },
        { details: { currencyOut: { amount: '15', minimumAmount: '15' } } },
      ),
    ),
  ],
};

export const QUOTE_RULES: Table = {
  title: 'POST /quote, /quote/v2 and /price, rules',
  endpoint: ENDPOINT,
  where: 'rule',
  rows: [
    calls('errors carry errorCode and message', 'and the status again', ...refuses({ amount: 'x' }, 'INVALID_REQUEST')),
    calls(
      'no key is needed, a wrong one is refused',
      'quote examples carry no key',
      { call: 'POST /quote/v2', as: 'noOne', body: ask(), has: PRICED },
      { call: 'POST /price', as: 'noOne', body: ask(), has: PRICED },
      { call: 'POST /quote/v2', as: 'noOne', headers: { 'x-api-key': 'guess' }, body: ask(), status: 401 },
    ),
    calls(
      'burn addresses preview',
      'clients quote before a wallet is there',
      ...quotes({ user: BURN, recipient: BURN }),
    ),
  ],
};
