import type { OptionsSchema } from '@causeway/core';
import { NAMES } from './shapes/fill-in.js';
import { PRESETS } from './shapes/presets.js';

const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const EXAMPLE = '0x0000000000001fF3684f28c67538d4D072C22734';
const POINTER = { type: 'string', pattern: '^(/([^~/]|~[01])*)*$' };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

function whole(minimum: number, maximum: number, fallback: number, description: string): object {
  return { type: 'integer', minimum, maximum, description, default: fallback };
}

const ms = (fallback: number, description: string): object =>
  whole(10, 3_600_000, fallback, `${description} Milliseconds.`);

const secrets = (description: string, examples: readonly object[]): object => ({
  type: 'object',
  description: `${description} \`env:NAME\` and \`file:PATH\` are key references; other values are sent unchanged.`,
  propertyNames: { pattern: '^[A-Za-z0-9_-]{1,100}$' },
  additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{1,2000}$' },
  default: {},
  examples,
});

const pointer = (description: string, example: string): object => ({ ...POINTER, description, examples: [example] });

const read = object(
  'JSON pointers into the response. Amounts are in smallest units, decimal or hex with `0x`.',
  [],
  {
    amountIn: pointer('Input amount.', '/sellAmount'),
    amountOut: pointer('Output amount.', '/buyAmount'),
    to: pointer('Contract to call.', '/transaction/to'),
    data: pointer('Data of the call.', '/transaction/data'),
    value: pointer('Native coin of the call. Absent: the input if it is native, else none.', '/transaction/value'),
    spender: pointer('Account to approve. Absent: the only one in `spenders`.', '/allowanceTarget'),
    gas: pointer('Gas of the swap.', '/transaction/gas'),
    height: pointer('Block that it was quoted from.', '/blockNumber'),
    available: pointer('If this value is false, there is no route.', '/liquidityAvailable'),
    error: pointer(
      'Errors in a successful response: any value except absent, null, false, 0 and an empty string.',
      '/error',
    ),
  },
  { examples: [{ amountOut: '/buyAmount' }] },
);

const ask = (description: string): object =>
  object(
    description,
    ['path', 'read'],
    {
      method: { enum: ['GET', 'POST'], description: 'How to request it.', default: 'GET' },
      path: {
        type: 'string',
        pattern: '^/[\\x21-\\x7e]*$',
        description: `Path and query below the URL. Names in braces are replaced: ${NAMES.map((name) => `\`{${name}}\``).join(', ')}.`,
        examples: ['/quote?from={sellToken}&to={buyToken}&amount={amount}'],
      },
      body: {
        type: 'object',
        description:
          'JSON body of a POST. Names in braces are replaced in its strings; `answer:` and a pointer are replaced by that value of the response to the quote.',
        examples: [{ route: 'answer:/route', sender: '{payer}' }],
      },
      read,
    },
    { examples: [{ path: '/quote?from={sellToken}&to={buyToken}&amount={amount}', read: { amountOut: '/out' } }] },
  );

const way = (description: string): object =>
  object(description, ['quote'], {
    quote: ask('The result of a swap.'),
    build: ask('The calls of a swap for given parties. Absent: `quote` is requested again and must return them.'),
  });

const json = object(
  'For the shape `json`: how to request swaps, and where the results are in the response.',
  [],
  {
    native: { type: 'string', description: "The aggregator's address of native coin.", default: PRESETS.zeroEx.native },
    pays: {
      enum: ['recipient', 'payer'],
      description: 'Who receives the output: the recipient in the request, or the caller.',
      default: 'recipient',
    },
    exactInput: way('Swaps of a fixed input.'),
    exactOutput: way('Swaps of a fixed output.'),
  },
  { examples: [{ exactInput: { quote: { path: '/quote?amount={amount}', read: { amountOut: '/out' } } } }] },
);

const list = (description: string, more: object = {}): object => ({
  type: 'array',
  description,
  items: { ...ADDRESS, description: 'A contract.', examples: [EXAMPLE] },
  examples: [[EXAMPLE]],
  ...more,
});

const chain = object('One chain, and the contracts that may be called on it.', ['id', 'targets'], {
  id: { type: 'integer', minimum: 1, description: 'Chain id.', examples: [8453] },
  name: {
    type: 'string',
    pattern: '^[a-z0-9-]{1,40}$',
    description: 'Value of `{chain}`. Default: the id.',
    examples: ['base'],
  },
  targets: list('The only contracts that its calls may target.', { minItems: 1 }),
  spenders: list('The only accounts that its calls may approve. Default: the targets.', { minItems: 1 }),
  selectors: {
    type: 'array',
    minItems: 1,
    description: 'Selectors of the only functions that may be called. Default: any.',
    items: { type: 'string', pattern: '^0x[0-9a-fA-F]{8}$', description: 'Four bytes.', examples: ['0x07ed2379'] },
    examples: [['0x07ed2379']],
  },
  decimals: {
    type: 'object',
    description:
      'Decimals by token, for shapes that require them. Native coin has 18. Swaps of other tokens are not requested.',
    propertyNames: { pattern: ADDRESS.pattern },
    additionalProperties: { type: 'integer', minimum: 0, maximum: 77 },
    examples: [{ '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': 6 }],
    default: {},
  },
});

export const optionsSchema: OptionsSchema = object('Swaps through one aggregator over HTTP.', ['shape', 'chains'], {
  shape: {
    enum: [...Object.keys(PRESETS), 'json'],
    description: 'Format of its requests and responses; `json` is described under `json`.',
    examples: ['zeroEx', 'json'],
  },
  url: {
    type: 'string',
    pattern: '^https?://',
    description: 'Base URL. Default: the public URL of the shape.',
    examples: ['https://api.0x.org'],
  },
  headers: secrets('Headers of each request.', [{ '0x-api-key': 'env:ZEROEX_KEY', '0x-version': 'v2' }]),
  query: secrets('Query parameters added to each request.', [{ apikey: 'file:keys/aggregator' }]),
  json,
  chains: {
    type: 'array',
    minItems: 1,
    description: 'Chains that it serves.',
    items: chain,
    examples: [[{ id: 8453, targets: [EXAMPLE] }]],
  },
  allowInside: {
    type: 'boolean',
    description:
      'Whether its name may resolve to this machine or its network, and its URL may be plain `http:`. Always allowed on local networks.',
    default: false,
  },
  timeouts: object(
    'Timeouts, each from the start of the request.',
    [],
    {
      connectMs: ms(1_000, 'Until the connection is open.'),
      answerMs: ms(2_500, 'Until the response starts.'),
      totalMs: ms(3_000, 'Until the response is complete.'),
    },
    { default: {} },
  ),
  maxBytes: whole(1_000, 10_000_000, 500_000, 'Maximum size of a response; a larger one is a failure. Bytes.'),
  maxCallBytes: whole(4, 100_000, 16_384, 'Maximum data of a call. Bytes.'),
  room: object(
    'Limits of requests to it. Requests above them are not sent, and other sources are used.',
    [],
    {
      atOnce: whole(1, 64, 4, 'Concurrent requests.'),
      waiting: whole(0, 1_000, 16, 'Maximum queued requests.'),
      perSecond: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1_000,
        description: 'Requests per second.',
        default: 5,
      },
      burst: whole(1, 1_000, 10, 'Burst of requests after a pause.'),
    },
    { default: {} },
  ),
  breaker: object(
    'Circuit breaker: an aggregator that keeps failing is not queried for a time; then one request tests it.',
    [],
    {
      failures: whole(1, 1_000, 5, 'Failures in a row that open the circuit.'),
      openMs: ms(10_000, 'Time that it stays open, doubled after each failed test.'),
      maxOpenMs: ms(300_000, 'Maximum time that it stays open, and maximum wait that it can request.'),
    },
    { default: {} },
  ),
  keepMs: whole(0, 60_000, 1_500, 'Time that an answer is cached for the same swap. Milliseconds.'),
  work: whole(21_000, 10_000_000, 350_000, 'Gas of a swap if the response contains none.'),
  hops: whole(
    1,
    16,
    4,
    'Number of pools that its routes are assumed to use: it is not asked for swaps with a lower limit.',
  ),
  slippageBps: whole(
    1,
    5_000,
    50,
    'Tolerance in quote requests that require one. Basis points. Calls are asked for with that of the order.',
  ),
  standIn: {
    ...ADDRESS,
    description: 'Account in quote requests that require one, before the real one is known.',
    default: '0x000000000000000000000000000000000000dEaD',
  },
}) as OptionsSchema;
