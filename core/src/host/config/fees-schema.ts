import { bps, count, duration, type Schema, section, usd } from './schema-parts.js';

export const routeFee: Schema = section(
  'Fee on matching routes.',
  {
    originChainId: { type: 'integer', minimum: 1, description: 'Origin chain; any when absent.', examples: [1] },
    destinationChainId: {
      type: 'integer',
      minimum: 1,
      description: 'Destination chain; any when absent.',
      examples: [10],
    },
    bps: bps('Service fee in basis points of the input.'),
    floorUsd: usd('Least service fee in US dollars.', { default: '0' }),
  },
  ['bps'],
);

export const assetsOf = (value: readonly unknown[]): Schema => ({
  type: 'array',
  description: 'Assets of another kind; the first that matches counts. Of a pair, the larger of the two is taken.',
  default: value,
  items: section(
    'Assets of one kind.',
    {
      groups: {
        type: 'array',
        minItems: 1,
        items: { type: 'string' },
        description: 'Asset groups.',
        examples: [['usd-coin', 'tether']],
      },
      bps: bps('As above.'),
      perRootMinuteBps: bps('As above.'),
    },
    ['groups', 'bps', 'perRootMinuteBps'],
  ),
});

export const dynamic: Schema = section(
  'The service fee follows the inventory and the market, each where its part is there. It is frozen with the quote.',
  {
    leastBps: bps('No discount brings the fee of a route below this, in basis points of the input.', 0),
    skew: section(
      'By what the books hold of the output before the quote, and would after it: quotes and reservations change nothing.',
      {
        extraBps: bps('Taken besides where the quote would leave nothing of what is to be held; less in proportion.'),
        discountBps: bps('Given back where twice as much is held as is to be; less in proportion.', 0),
        weights: {
          type: 'array',
          description:
            'Parts of each asset group that are to be held on a chain; a chain that is not named has one part.',
          default: [],
          items: section(
            'One chain.',
            {
              chainId: { type: 'integer', minimum: 1, description: 'A configured chain.', examples: [8453] },
              weight: { type: 'integer', minimum: 0, maximum: 1_000, description: 'Parts.', examples: [3] },
            },
            ['chainId', 'weight'],
          ),
        },
      },
      ['extraBps'],
    ),
    volatility: section(
      'By how far the price of the two assets moved of late, as this process saw it.',
      {
        window: duration('What is looked back on.', '10m'),
        calmBps: bps('A move of no more costs nothing besides.', 50),
        percent: count('Per cent of a move beyond that which is taken.', 10, 0, 100),
        mostBps: bps('Most that is taken besides.'),
      },
      ['mostBps'],
    ),
  },
);
export const appBalances: Schema = section(
  'Balances from which integrators pay for their users. Absent: operators alone change them.',
  {
    currencies: {
      type: 'array',
      minItems: 1,
      description: 'Stablecoins that top up a balance, one for a US dollar each, once their deposit is final.',
      items: section(
        'One currency.',
        {
          chainId: { type: 'integer', minimum: 1, description: 'A configured chain.', examples: [8453] },
          currency: {
            type: 'string',
            minLength: 1,
            description: 'Symbol or address of one of its currencies.',
            examples: ['USDC'],
          },
        },
        ['chainId', 'currency'],
      ),
    },
  },
  ['currencies'],
);

export const fixedRate: Schema = section(
  'Quotes whose rate is fixed, for callers with an API key: whatever prices do, what is in a block before such a quote is over is filled with what was quoted, and the output is kept in the inventory for it. Absent: no rates are fixed.',
  {
    validity: duration('How long a rate is fixed, unless the quotes of the origin chain are valid for less.', '30s'),
    bps: bps('Charged in any case for a fixed rate, in addition to the spread, in basis points of the input.', 10),
    perRootMinuteBps: bps(
      'Taken besides from pairs of two different assets, times the square root of the minutes that the price is old and the rate is fixed.',
      20,
    ),
    assets: assetsOf([{ groups: ['usd-coin', 'tether', 'dai'], bps: 3, perRootMinuteBps: 2 }]),
    maxHeldUsdPerKey: usd(
      'Most value that is kept at one time for the unpaid quotes of one key, in US dollars, and so the largest request with a fixed rate.',
      { examples: ['10000'] },
    ),
    maxHeldUsd: usd('The same for the quotes of all keys together.', { examples: ['50000'] }),
  },
  ['maxHeldUsdPerKey', 'maxHeldUsd'],
);
