import { definePlugin } from '../../contract/plugin.js';
import type { UsdPrice } from '../../contract/prices.js';

interface StaticPriceOptions {
  readonly prices: Readonly<Record<string, string>>;
}

/** Prices from the config. They never become stale. */
export const staticPrices = definePlugin<StaticPriceOptions>({
  id: 'static-prices',
  coreRange: '*',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['prices'],
    properties: {
      prices: {
        type: 'object',
        description:
          'US dollars per whole unit, by `<chain id>:<currency address>` or by asset group. The address takes precedence.',
        examples: [{ 'usd-coin': '1', '1:0x0000000000000000000000000000000000000000': '3021.57' }],
        additionalProperties: {
          type: 'string',
          pattern: '^(?!0+(\\.0+)?$)\\d+(\\.\\d{1,18})?$',
          description: 'Exact decimal text, above zero.',
          examples: ['3021.57'],
        },
      },
    },
  },
  register: ({ id, options, clock, prices }) => {
    const byName = new Map(Object.entries(options.prices).map(([name, usd]) => [name.toLowerCase(), usd]));
    const answer = (usd: string | undefined): UsdPrice | undefined =>
      usd === undefined ? undefined : { usd, at: clock.now() };
    prices.add({
      id,
      price: (currency) =>
        answer(
          byName.get(`${currency.chainId}:${currency.address}`.toLowerCase()) ??
            byName.get(currency.group.toLowerCase()),
        ),
    });
  },
});
