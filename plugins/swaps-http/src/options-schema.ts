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
  description: `${description} \`env:NAME\` and \`file:PATH\` are key references; anything else is taken as it is.`,
  propertyNames: { pattern: '^[A-Za-z0-9_-]{1,100}$' },
  additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{1,2000}$' },
  default: {},
  examples,
});

const pointer = (description: string, example: string): object => ({ ...POINTER, description, examples: [example] });

const read = object(
  'Where things are in the answer, as JSON pointers. Amounts are smallest units, decimal or hex after `0x`.',
  [],
  {
    amountIn: pointer('What goes in.', '/sellAmount'),
    amountOut: pointer('What comes out.', '/buyAmount'),
    to: pointer('Contract to call.', '/transaction/to'),
    data: pointer('Data of the call.', '/transaction/data'),
    value: pointer(
      'Native coin sent along. Without it: the input where that is native, else none.',
      '/transaction/value',
    ),
    spender: pointer('Whom to approve. Without it: the only one of `spenders`.', '/allowanceTarget'),
    gas: pointer('Gas that it takes.', '/transaction/gas'),
    height: pointer('Block that it was quoted from.', '/blockNumber'),
    available: pointer('False there: there is no way.', '/liquidityAvailable'),
    error: pointer('Errors under a good status: anything but nothing, null, false, 0 and an empty text.', '/error'),
  },
  { examples: [{ amountOut: '/buyAmount' }] },
);

const ask = (description: string): object =>
  object(
    description,
    ['path', 'read'],
    {
      method: { enum: ['GET', 'POST'], description: 'How it is asked.', default: 'GET' },
      path: {
        type: 'string',
        pattern: '^/[\\x21-\\x7e]*$',
        description: `Below the URL, with its query. Names in braces are filled in: ${NAMES.map((name) => `\`{${name}}\``).join(', ')}.`,
        examples: ['/quote?from={sellToken}&to={buyToken}&amount={amount}'],
      },
      body: {
        type: 'object',
        description:
          'JSON of a POST. Names in braces are filled in in its texts; `answer:` and a pointer become what the answer to the quote has there.',
        examples: [{ route: 'answer:/route', sender: '{payer}' }],
      },
      read,
    },
    { examples: [{ path: '/quote?from={sellToken}&to={buyToken}&amount={amount}', read: { amountOut: '/out' } }] },
  );

const way = (description: string): object =>
  object(description, ['quote'], {
    quote: ask('What a swap comes to.'),
    build: ask('Its calls, once it is known whom they are for. Without it, `quote` is asked again and must have them.'),
  });

const json = object(
  'For the shape `json`: how to ask, and where things are.',
  [],
  {
    native: { type: 'string', description: 'How native coin is written.', default: PRESETS.zeroEx.native },
    pays: {
      enum: ['recipient', 'payer'],
      description: 'Who gets the output: the recipient that the question names, or the caller.',
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

const chain = object('One chain, and what may be called there.', ['id', 'targets'], {
  id: { type: 'integer', minimum: 1, description: 'Chain id.', examples: [8453] },
  name: {
    type: 'string',
    pattern: '^[a-z0-9-]{1,40}$',
    description: 'What `{chain}` stands for. Default: the id.',
    examples: ['base'],
  },
  targets: list('The only contracts that its answers may call.', { minItems: 1 }),
  spenders: list('The only ones that its answers may have approved. Default: the targets.', { minItems: 1 }),
  selectors: {
    type: 'array',
    minItems: 1,
    description: 'The only functions that may be called. Default: any.',
    items: { type: 'string', pattern: '^0x[0-9a-fA-F]{8}$', description: 'Four bytes.', examples: ['0x07ed2379'] },
    examples: [['0x07ed2379']],
  },
  decimals: {
    type: 'object',
    description:
      'Decimals by token, for shapes that ask for them. Native coin has 18. Swaps of others are not asked for.',
    propertyNames: { pattern: ADDRESS.pattern },
    additionalProperties: { type: 'integer', minimum: 0, maximum: 77 },
    examples: [{ '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': 6 }],
    default: {},
  },
});

export const optionsSchema: OptionsSchema = object('Swaps through one aggregator over HTTP.', ['shape', 'chains'], {
  shape: {
    enum: [...Object.keys(PRESETS), 'json'],
    description: 'How it is asked and answers; `json` is described under `json`.',
    examples: ['zeroEx', 'json'],
  },
  url: {
    type: 'string',
    pattern: '^https?://',
    description: 'Base URL. The named shapes have the public one of their own.',
    examples: ['https://api.0x.org'],
  },
  headers: secrets('Headers of each request.', [{ '0x-api-key': 'env:ZEROEX_KEY', '0x-version': 'v2' }]),
  query: secrets('Query parameters added to each request.', [{ apikey: 'file:keys/aggregator' }]),
  json,
  chains: {
    type: 'array',
    minItems: 1,
    description: 'Where it is asked.',
    items: chain,
    examples: [[{ id: 8453, targets: [EXAMPLE] }]],
  },
  allowInside: {
    type: 'boolean',
    description:
      'Whether its name may lead to this machine or its network, and its URL may be plain `http:`. Always so on local networks.',
    default: false,
  },
  timeouts: object(
    'What takes longer is a failure. Each is counted from the beginning.',
    [],
    {
      connectMs: ms(1_000, 'Until there is a connection.'),
      answerMs: ms(2_500, 'Until the answer begins.'),
      totalMs: ms(3_000, 'Until the answer is whole.'),
    },
    { default: {} },
  ),
  maxBytes: whole(1_000, 10_000_000, 500_000, 'A longer answer is a failure, and is not read to its end. Bytes.'),
  maxCallBytes: whole(4, 100_000, 16_384, 'Calls with more data are refused. Bytes.'),
  room: object(
    'What is asked of it at most. What does not fit is not asked, and the swap is looked for elsewhere.',
    [],
    {
      atOnce: whole(1, 64, 4, 'Questions at once.'),
      waiting: whole(0, 1_000, 16, 'Questions that wait for their turn.'),
      perSecond: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1_000,
        description: 'Questions a second.',
        default: 5,
      },
      burst: whole(1, 1_000, 10, 'Questions at once after a pause.'),
    },
    { default: {} },
  ),
  breaker: object(
    'An aggregator that keeps failing is left alone; then one question tries whether it is back.',
    [],
    {
      failures: whole(1, 1_000, 5, 'Failures in a row that open the circuit.'),
      openMs: ms(10_000, 'How long it stays open, doubled each time the trial fails.'),
      maxOpenMs: ms(300_000, 'The longest it stays open, and the longest wait that it may ask for.'),
    },
    { default: {} },
  ),
  keepMs: whole(0, 60_000, 1_500, 'Who asks for the same swap so soon gets the same answer. Milliseconds.'),
  work: whole(21_000, 10_000_000, 350_000, 'Gas of a swap where the answer contains none.'),
  hops: whole(1, 16, 4, 'Pools that its routes are taken to pass: a swap that may pass fewer is not asked for.'),
  slippageBps: whole(
    1,
    5_000,
    50,
    'Said where a quote has to name a tolerance. Basis points. Calls are asked for with that of the order.',
  ),
  standIn: {
    ...ADDRESS,
    description: 'Said where a quote has to name an account, as long as the real one is not known.',
    default: '0x000000000000000000000000000000000000dEaD',
  },
}) as OptionsSchema;
