import { bps, count, duration, type Schema, section, usd } from './schema-parts.js';

export const routeFee: Schema = section(
  'Fee on matching routes.',
  {
    originChainId: { type: 'integer', minimum: 1, description: 'Origin chain. Absent: any.', examples: [1] },
    destinationChainId: {
      type: 'integer',
      minimum: 1,
      description: 'Destination chain. Absent: any.',
      examples: [10],
    },
    bps: bps('Service fee in basis points of the input.'),
    floorUsd: usd('Minimum service fee in US dollars.', { default: '0' }),
  },
  ['bps'],
);

export const assetsOf = (value: readonly unknown[]): Schema => ({
  type: 'array',
  description:
    "Other values for some assets; the first matching entry applies. A pair is charged the larger of its two assets' values.",
  default: value,
  items: section(
    'Values for some asset groups.',
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
  'Adjusts the service fee to the inventory (`skew`) and the market (`volatility`). Fixed with the quote.',
  {
    leastBps: bps('Minimum fee of a route after discounts, in basis points of the input.', 0),
    skew: section(
      'By the inventory of the output currency in the books, before and after the quote. Unpaid quotes and reservations do not count.',
      {
        extraBps: bps(
          'Added if the quote would leave no inventory; proportionally less if it leaves a part of the target.',
        ),
        discountBps: bps('Discount at an inventory of twice the target or more; proportionally less below.', 0),
        weights: {
          type: 'array',
          description: 'Target share of each asset group per chain, in parts; a chain that is not listed has one part.',
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
      'By the recent price movement of the two assets, as sampled by this process.',
      {
        window: duration('Period of the price movement.', '10m'),
        calmBps: bps('Movement that adds no fee.', 50),
        percent: count('Percentage of the movement above `calmBps` that is added.', 10, 0, 100),
        mostBps: bps('Maximum that is added.'),
      },
      ['mostBps'],
    ),
  },
);
export const appBalances: Schema = section(
  'Balances from which integrators pay costs of their users. Absent: only operators change them.',
  {
    currencies: {
      type: 'array',
      minItems: 1,
      description: 'Stablecoins that top up a balance, one US dollar per unit, once their deposit is final.',
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
    lowUsd: usd('A balance of which less is left is shown as low, and raises an alert; in US dollars.', {
      default: '10',
    }),
  },
  ['currencies'],
);

export const fixedRate: Schema = section(
  'Quotes with a fixed rate, for callers with an API key. A deposit that is in a block before such a quote expires is filled with the quoted amount, independent of prices; the output is reserved in the inventory. Absent: no fixed rates.',
  {
    validity: duration(
      'Validity of a fixed rate, unless quotes of the origin chain are valid for a shorter time.',
      '30s',
    ),
    bps: bps('Fixed part of the charge, in addition to the spread, in basis points of the input.', 10),
    perRootMinuteBps: bps(
      "Added part for pairs of two different assets: multiplied by the square root of the minutes of the price's age plus the rate's validity.",
      20,
    ),
    assets: assetsOf([{ groups: ['usd-coin', 'tether', 'dai'], bps: 3, perRootMinuteBps: 2 }]),
    maxHeldUsdPerKey: usd(
      'Maximum value reserved for the unpaid quotes of one API key, in US dollars. Also the maximum of one request with a fixed rate.',
      { examples: ['10000'] },
    ),
    maxHeldUsd: usd('Maximum value reserved for the quotes of all keys, in US dollars.', { examples: ['50000'] }),
  },
  ['maxHeldUsdPerKey', 'maxHeldUsd'],
);
