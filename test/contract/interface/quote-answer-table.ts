import { expect } from 'vitest';
import { address, TOKEN } from '../../../core/test/api/support/chain-double.js';
import { ask, RECIPIENT, USER } from '../../../core/test/api/support/running-api.js';
import { quoteField, refuses } from './asks.js';
import type { Ask, Table } from './table.js';

const _ENDPOINT = 'POST /quote/v2, POST /quote, POST /price';
const _NOT_SERVED = 'UNSUPPORTED_EXECUTION_TYPE';
const _CALL = { to: USER, value: '5', data: '0xab' };
const _malformed = (field: string, ...values: readonly unknown[]): readonly Ask[] =>
  values.flatMap((value) => refuses({ [field]: value }, 'INVALID_REQUEST', { field }));
const _slippage = (field: string): readonly Ask[] => [
  ...['0', '10000'].flatMap((value): readonly Ask[] =>
    ['/quote/v2', '/quote', '/price'].map((path) => ({
      call: `POST ${path}` as `POST /${string}`,
      body: ask({ [field]: value, amount: '1000000000' }),
    })),
  ),
  ...['-1', '10001', '0.5', '', '1e2', ' 1', 50].flatMap((value) =>
    refuses({ [field]: value }, 'INVALID_SLIPPAGE_TOLERANCE', { field }),
  ),
];

const HEX32 = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const UNITS = expect.stringMatching(/^\d+$/);
const USD = { usd: expect.any(String) };
const IMPACT = { ...USD, percent: expect.any(String) };
const AMOUNT = {
  currency: {
    chainId: expect.any(Number),
    address: expect.any(String),
    symbol: expect.any(String),
    name: expect.any(String),
    decimals: expect.any(Number),
    metadata: { logoURI: expect.any(String), verified: expect.any(Boolean) },
  },
  amount: expect.any(String),
  amountFormatted: expect.any(String),
  amountUsd: expect.any(String),
  minimumAmount: expect.any(String),
};
const ITEM = 'steps.1.items[].';

export const QUOTE_STEPS: Table = {
  title: 'Quote response, steps',
  endpoint: 'POST /quote/v2',
  where: 'answer',
  rows: [
    quoteField('steps', 'array', 'in order', [{ id: 'approve' }, { id: 'deposit' }]),
    quoteField('steps[].id', 'string', 'name', 'approve'),
    quoteField('steps[].action', 'string', 'for people', expect.stringMatching(/./)),
    quoteField('steps[].description', 'string', 'for people', expect.stringMatching(/./)),
    quoteField('steps[].kind', 'string', 'transaction', 'transaction'),
    quoteField('steps[].items', 'array', 'what to do', [{ status: 'incomplete' }]),
    quoteField('steps[].requestId', 'string', 'of every step', HEX32),
    quoteField('steps[].depositAddress', 'string', 'empty without a deposit address', ''),
    quoteField(`${ITEM}status`, 'string', 'incomplete at quote time', 'incomplete'),
    quoteField(`${ITEM}data.from`, 'string', 'payer', USER),
    quoteField(`${ITEM}data.to`, 'string', 'contract', address('d')),
    quoteField(`${ITEM}data.data`, 'string', 'calldata', expect.stringMatching(/^0x/)),
    quoteField(`${ITEM}data.value`, 'string', 'native coin', '0'),
    quoteField(`${ITEM}data.chainId`, 'number', 'origin chain', 1),
    {
      name: 'data.gas, data.maxFeePerGas, data.maxPriorityFeePerGas',
      rule: 'optional strings: decimal where they are there',
      asks: [
        {
          call: 'POST /quote/v2',
          body: ask(),
          judge: ({ body }) => {
            for (const { data } of body.steps.flatMap(({ items }: { items: readonly object[] }) => items)) {
              for (const name of ['gas', 'maxFeePerGas', 'maxPriorityFeePerGas']) {
                if (data[name] !== undefined) expect(data[name]).toMatch(/^\d+$/);
              }
            }
          },
        },
      ],
      shownBy: [
        { file: 'plugins/evm/test/plugin.test.ts', title: 'serves many chains and answers quotes from memory' },
      ],
    },
    quoteField(
      `${ITEM}check.endpoint`,
      'string',
      'status path including the requestId',
      expect.stringMatching(/^\/intents\/status\/v3\?requestId=0x[0-9a-f]{64}$/),
    ),
    quoteField(`${ITEM}check.method`, 'string', 'GET', 'GET'),
  ],
};

export const QUOTE_FEES: Table = {
  title: 'Quote response, fees',
  endpoint: 'POST /quote/v2',
  where: 'answer',
  rows: ['gas', 'relayer', 'relayerGas', 'relayerService', 'app', 'subsidized'].map((name) =>
    quoteField(`fees.${name}`, 'object', 'amount with currency', AMOUNT),
  ),
};

const OUT = 'details.currencyOut.';

export const AMOUNT_WITH_CURRENCY: Table = {
  title: 'Amount-with-currency object',
  endpoint: 'POST /quote/v2',
  where: 'answer',
  rows: [
    quoteField(`${OUT}currency.chainId`, 'number', 'chain', 2),
    quoteField(`${OUT}currency.address`, 'string', 'contract', TOKEN),
    quoteField(`${OUT}currency.symbol`, 'string', 'symbol', 'USDC'),
    quoteField(`${OUT}currency.name`, 'string', 'name', 'USDC on beta'),
    quoteField(`${OUT}currency.decimals`, 'number', 'decimals', 6),
    quoteField(`${OUT}currency.metadata.logoURI`, 'string', 'logo', 'https://logo.example/usdc.png'),
    quoteField(`${OUT}currency.metadata.verified`, 'boolean', 'verified', true),
    quoteField(`${OUT}amount`, 'string', 'smallest unit', UNITS),
    quoteField(`${OUT}amountFormatted`, 'string', 'whole units', expect.stringMatching(/^\d+(\.\d+)?$/)),
    quoteField(`${OUT}amountUsd`, 'string', 'US dollars', expect.stringMatching(/^\d+(\.\d+)?$/)),
    quoteField(`${OUT}minimumAmount`, 'string', 'smallest unit', UNITS),
  ],
};

const side = { inputCurrency: AMOUNT, outputCurrency: AMOUNT, router: 'relay' };
const TOLERANCE = { usd: expect.any(String), value: UNITS, percent: expect.any(String) };

export const QUOTE_DETAILS: Table = {
  title: 'Quote response, details',
  endpoint: 'POST /quote/v2',
  where: 'answer',
  rows: [
    quoteField('details.operation', 'string', 'what happens', 'bridge'),
    quoteField('details.sender', 'string', 'payer', USER),
    quoteField('details.recipient', 'string', 'recipient', RECIPIENT),
    quoteField('details.currencyIn', 'object', 'amount with currency', AMOUNT),
    quoteField('details.currencyOut', 'object', 'amount with currency', AMOUNT),
    quoteField('details.refundCurrency', 'object', 'amount with currency', AMOUNT),
    quoteField('details.totalImpact', 'object', 'usd, percent', IMPACT),
    quoteField('details.swapImpact', 'object', 'usd, percent', IMPACT),
    quoteField('details.expandedPriceImpact', 'object', 'swap, execution, service, app, each usd', {
      swap: USD,
      execution: USD,
      service: USD,
      relay: USD,
      app: USD,
    }),
    quoteField('details.rate', 'string', 'output per input', expect.stringMatching(/^\d+(\.\d+)?$/)),
    quoteField('details.slippageTolerance', 'object', 'origin and destination, each usd, value, percent', {
      origin: TOLERANCE,
      destination: TOLERANCE,
    }),
    quoteField('details.timeEstimate', 'number', 'seconds', expect.any(Number)),
    {
      name: 'details.userBalance',
      type: 'string',
      rule: 'what the payer holds, once it was looked up',
      shownBy: [{ file: 'test/e2e/quotes.test.ts', title: "reports the payer's balance once it was looked up" }],
    },
    quoteField('details.isFixedRate', 'boolean', 'where `fixedRate` was asked for, see the feature flags', false),
    quoteField('details.route', 'object', 'origin and destination, each currencies and router', {
      origin: side,
      destination: side,
    }),
  ],
};

const INPUT = 'protocol.v2.orderData.inputs[].';
const OUTPUT = 'protocol.v2.orderData.output.';
const PAID = 'protocol.v2.paymentDetails.';

export const QUOTE_PROTOCOL: Table = {
  title: 'Quote response, protocol.v2',
  endpoint: 'POST /quote/v2',
  where: 'answer',
  rows: [
    quoteField('protocol.v2.orderId', 'string', 'order id', HEX32),
    quoteField('protocol.v2.hubType', 'string', 'always onchain', 'onchain'),
    quoteField(
      'protocol.v2.orderSignature',
      'string',
      'only with includeProtocolData',
      expect.stringMatching(/^0x[0-9a-f]{130}$/),
      { includeProtocolData: true },
    ),
    quoteField('protocol.v2.orderData.version', 'string', 'version', 'v1'),
    quoteField('protocol.v2.orderData.solverChainId', 'string', 'chain name', 'alpha'),
    quoteField('protocol.v2.orderData.solver', 'string', 'solver', expect.stringMatching(/^0x/)),
    quoteField('protocol.v2.orderData.salt', 'string', 'salt', expect.stringMatching(/^0x/)),
    quoteField(`${INPUT}payment`, 'object', 'chainId (name), currency, amount, weight', {
      chainId: 'alpha',
      currency: TOKEN,
      amount: '100000000',
      weight: expect.any(String),
    }),
    quoteField(`${INPUT}refunds`, 'array', 'chainId, recipient, currency, minimumAmount, deadline, extraData', [
      {
        chainId: 'alpha',
        recipient: USER,
        currency: TOKEN,
        minimumAmount: UNITS,
        deadline: expect.any(Number),
        extraData: expect.stringMatching(/^0x/),
      },
    ]),
    quoteField(`${OUTPUT}chainId`, 'string', 'chain name', 'beta'),
    quoteField(`${OUTPUT}payments`, 'array', 'recipient, currency, minimumAmount, expectedAmount', [
      { recipient: RECIPIENT, currency: TOKEN, minimumAmount: UNITS, expectedAmount: UNITS },
    ]),
    quoteField(`${OUTPUT}calls`, 'array', 'empty when no calls', []),
    quoteField(`${OUTPUT}deadline`, 'number', 'Unix seconds', expect.any(Number)),
    quoteField(`${OUTPUT}extraData`, 'string', 'hex', expect.stringMatching(/^0x/)),
    quoteField('protocol.v2.orderData.fees', 'array', 'fees'),
    quoteField(`${PAID}chainId`, 'string', 'chain name', 'alpha'),
    quoteField(`${PAID}depository`, 'string', 'depository', address('d')),
    quoteField(`${PAID}currency`, 'string', 'currency', TOKEN),
    quoteField(`${PAID}amount`, 'string', 'smallest unit', '100000000'),
  ],
};
