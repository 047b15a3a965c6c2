import { anything, described, flag, integer, list, mapOf, named, object, oneOf, text } from '../schema.js';
import { AMOUNT, REQUEST_ID, UNITS, UNIX_SECONDS } from './common.js';

const USD = object({ usd: text() });
const IMPACT = named('Impact', object({ usd: text(), percent: text() }));
const HEX = text({ pattern: '^0x[0-9a-f]*$' });

export const STEP = named(
  'Step',
  object(
    {
      id: text({ description: '`approve`, `deposit` and so on.' }),
      action: text(),
      description: text(),
      kind: oneOf(['transaction', 'signature']),
      items: list(
        object(
          {
            status: oneOf(['incomplete', 'complete']),
            data: anything({
              type: 'object',
              description: "Input of the chain's wallet: `from`, `to`, `data`, `value`, `chainId`, gas fields.",
            }),
          },
          { check: object({ endpoint: text(), method: text() }) },
        ),
      ),
    },
    {
      requestId: REQUEST_ID,
      depositAddress: text({ description: 'Empty if the quote has no deposit address.' }),
    },
  ),
);

export const FEES = named(
  'Fees',
  object({
    gas: AMOUNT,
    relayer: AMOUNT,
    relayerGas: AMOUNT,
    relayerService: AMOUNT,
    app: AMOUNT,
    subsidized: AMOUNT,
  }),
);

const ROUTE_SIDE = named(
  'QuoteRouteSide',
  object({ inputCurrency: AMOUNT, outputCurrency: AMOUNT, router: text() }, { includedSwapSources: list(text()) }),
);

const SLIPPAGE = object({ usd: text(), value: text(), percent: text() });

const DETAIL_FIELDS = {
  operation: oneOf(['send', 'swap', 'wrap', 'unwrap', 'bridge']),
  sender: text(),
  recipient: text(),
  currencyIn: AMOUNT,
  currencyOut: AMOUNT,
  refundCurrency: AMOUNT,
  totalImpact: IMPACT,
  swapImpact: IMPACT,
  expandedPriceImpact: object({ swap: USD, execution: USD, relay: USD, service: USD, app: USD, sponsored: USD }),
  rate: text({ description: 'Output per input, in whole units.' }),
  slippageTolerance: object({
    total: text({ description: 'Basis points.' }),
    origin: SLIPPAGE,
    destination: SLIPPAGE,
  }),
  timeEstimate: integer({ description: 'Seconds.' }),
  isFixedRate: flag({ description: 'A deposit before `expiresAt` is filled at `rate`, independent of later prices.' }),
};

const DETAIL_CHOICES = {
  userBalance: text({ description: 'Balance of the payer in the origin currency, smallest unit.' }),
  currencyGasTopup: AMOUNT,
  fallbackType: text(),
  fixedRateFee: described(USD, 'Part of `fees.relayerService` that is charged for a fixed rate; absent without one.'),
  route: object({ origin: ROUTE_SIDE, destination: ROUTE_SIDE }),
};

const TIMES = {
  expiresAt: integer({
    minimum: 0,
    description:
      'Unix milliseconds. A deposit that is in a block by then is filled as quoted; a later one is filled at the price of that time, or refunded.',
  }),
  deadlineAt: integer({
    minimum: 0,
    description:
      'Unix milliseconds. A deposit that is not filled by then is refunded. The deadline of the order, or of the requested `ttl` if that is earlier.',
  }),
};

export const DETAILS = named('QuoteDetails', object({ ...DETAIL_FIELDS, ...TIMES }, DETAIL_CHOICES));

/** `protocol.v2.orderData` of a quote. */
export const ORDER_DATA = named(
  'OrderData',
  object({
    version: text(),
    solverChainId: text({ description: 'Name of the chain.' }),
    solver: text({
      pattern: '^0x[0-9a-f]{40}$',
      description: 'Address of the key that signs orders: hashed as these 20 bytes, for every family of chains.',
    }),
    salt: HEX,
    inputs: list(
      object({
        payment: object({ chainId: text(), currency: text(), amount: UNITS, weight: UNITS }),
        refunds: list(
          object({
            chainId: text(),
            recipient: text(),
            currency: text(),
            minimumAmount: UNITS,
            deadline: UNIX_SECONDS,
            extraData: HEX,
          }),
        ),
      }),
    ),
    output: object({
      chainId: text(),
      payments: list(object({ recipient: text(), currency: text(), minimumAmount: UNITS, expectedAmount: UNITS })),
      calls: list(text()),
      deadline: UNIX_SECONDS,
      extraData: HEX,
    }),
    fees: list(
      object({
        recipientChainId: text(),
        recipient: text(),
        currencyChainId: text(),
        currency: text(),
        amount: UNITS,
      }),
    ),
  }),
);

const PROTOCOL = object({
  v2: object(
    {
      orderId: REQUEST_ID,
      hubType: text(),
      orderData: ORDER_DATA,
      paymentDetails: object({
        chainId: text(),
        depository: text(),
        currency: text(),
        amount: { ...UNITS, description: 'What the payer sends; less may arrive, as `orderData.inputs` says.' },
      }),
    },
    {
      orderSignature: text({
        description:
          'ECDSA over the 32 bytes of `orderId`, from which `ecrecover` gives `orderData.solver`; with `includeProtocolData` only.',
      }),
    },
  ),
});

export const QUOTE_ANSWER = named(
  'Quote',
  object(
    { steps: list(STEP), fees: FEES, details: DETAILS, protocol: PROTOCOL },
    { feeSponsorship: mapOf(anything()) },
  ),
);

const { route: _, ...PRICE_DETAILS } = DETAIL_CHOICES;

/** Answer of `POST /price`: a quote without steps, route and times. */
export const PRICE_ANSWER = named(
  'Price',
  object({ fees: FEES, details: named('PriceDetails', object(DETAIL_FIELDS, PRICE_DETAILS)) }),
);
