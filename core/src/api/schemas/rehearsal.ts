import { flag, integer, list, named, object, text } from '../schema.js';
import { CHAIN_ID, UNIX_MS } from './common.js';

const COUNT = integer({ minimum: 0 });
const UNITS = text({ pattern: '^[0-9]+$', description: 'Smallest unit.' });
const USD = (description: string) => text({ description });

const SIDE = {
  chainId: CHAIN_ID,
  currency: text({ description: 'Address.' }),
  symbol: text(),
  decimals: COUNT,
};

const SUMS = {
  quotes: COUNT,
  fills: integer({ minimum: 0, description: 'Quotes of one payer for one pair within a minute are one fill.' }),
  volumeUsd: USD('Inputs of the fills, US dollars.'),
  feesUsd: USD('Service fees of the fills.'),
  chargedUsd: USD('Charged for network fees.'),
  costUsd: USD('Network fees of fills and collects, at the gas prices of then.'),
};

export const REHEARSAL = named(
  'Rehearsal',
  object({
    rehearsing: flag({ description: 'Whether this service is a rehearsal now.' }),
    days: list(
      object({
        at: UNIX_MS,
        prices: COUNT,
        total: object(SUMS),
        refused: { type: 'object', description: 'Quotes by error code.', additionalProperties: COUNT },
        routes: list(object({ origin: object(SIDE), destination: object(SIDE), ...SUMS })),
        inventory: list(
          object({
            ...SIDE,
            paid: UNITS,
            received: UNITS,
            peak: text({
              pattern: '^[0-9]+$',
              description: 'Largest amount paid and not received again since the begin of the day, smallest unit.',
            }),
          }),
        ),
      }),
    ),
  }),
);
