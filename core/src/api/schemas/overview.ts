import { integer, list, named, nullable, object, oneOf, type Schema, text } from '../schema.js';
import { CHAIN_ID, UNITS, UNIX_MS } from './common.js';

const USD = text({ description: 'US dollars.' });
const COUNT = (description: string): Schema => integer({ minimum: 0, description });
const HEIGHT = integer({ minimum: 0 });

const CHAIN = object({
  id: CHAIN_ID,
  name: text(),
  healthy: { type: 'boolean' },
  reason: nullable(text()),
  head: nullable(object({ height: HEIGHT, at: UNIX_MS })),
  read: nullable(
    object({ height: HEIGHT, finalHeight: HEIGHT }, {}, { description: 'Up to where deposits are read.' }),
  ),
  quorum: integer({ minimum: 1, description: 'How many providers must report a deposit of the largest value.' }),
  providers: list(
    object({
      name: text({ description: 'Number and host.' }),
      state: oneOf(['ok', 'avoided', 'down', 'refused', 'unchecked']),
      reason: nullable(text({ description: 'Why it is not used.' })),
      exchanges: COUNT('HTTP exchanges since the start of this process.'),
      failures: COUNT('Those of them that failed.'),
      head: nullable(
        object(
          {
            height: HEIGHT,
            at: UNIX_MS,
            behind: nullable(
              COUNT('Blocks that another provider had beyond it at that time; null: it confirmed this block only.'),
            ),
          },
          {},
          {
            description:
              'The newest block that it reported or confirmed, and when it did last. Providers in reserve are asked once a minute.',
          },
        ),
      ),
      testimony: nullable(
        object(
          {
            says: oneOf(['same', 'different', 'nothing'], {
              description:
                '`different`: it contradicts another provider. `nothing`: it has no such deposit, or did not answer.',
            }),
            since: UNIX_MS,
            at: UNIX_MS,
          },
          {},
          {
            description:
              'What it said last of deposits that several providers must report: since when without a change, and when last.',
          },
        ),
      ),
    }),
  ),
});

const LANE = object({
  id: text(),
  chainId: CHAIN_ID,
  signer: text(),
  sends: list(text()),
  position: nullable(text({ description: 'Next key, as its chain counts.' })),
  halted: nullable(text({ description: 'Why nothing is signed.' })),
  inFlight: COUNT('Keys that are signed and not final; at most 1,000.'),
  waiting: COUNT('Payments not begun, and keys without an inclusion.'),
  gas: object({
    balance: nullable(UNITS),
    reserve: nullable(text({ pattern: '^[0-9]+$', description: 'Below it an alert is raised.' })),
    decimals: integer({ minimum: 0 }),
  }),
});

const INVENTORY = object({
  chainId: CHAIN_ID,
  currency: text(),
  symbol: text(),
  decimals: integer({ minimum: 0 }),
  held: UNITS,
  reserved: text({ pattern: '^-?[0-9]+$', description: 'Promised to fills that are in no block yet.' }),
  available: text({ pattern: '^[0-9]+$', description: 'What new quotes may promise.' }),
  unfinalUsd: text({ description: 'US dollars of deposits that were acted upon and are not final.' }),
  target: nullable(text({ pattern: '^[0-9]+$', description: 'What is to be held; null: none is configured.' })),
  min: nullable(text({ pattern: '^[0-9]+$', description: 'Below it an alert is raised.' })),
});

export const OVERVIEW = named(
  'Overview',
  object({
    at: UNIX_MS,
    chains: list(CHAIN),
    lanes: list(LANE),
    inventory: list(INVENTORY),
    queues: object({
      unsettled: COUNT('Requests that are not settled; at most 500.'),
      openHolds: COUNT('Holds that wait for an operator.'),
      deliveries: list(object({ channel: text(), open: COUNT('Open deliveries.'), since: UNIX_MS })),
    }),
    limits: object({
      volumeTodayUsd: USD,
      maxDailyUsd: nullable(USD),
      maxUnfinalUsd: nullable(USD),
      maxRequestUsd: nullable(USD),
    }),
    pauses: list(object({ scope: text(), reason: nullable(text()), since: UNIX_MS })),
  }),
);

const SERIES = object({
  bucketMs: integer({ minimum: 1, description: 'Length of a bucket.' }),
  buckets: list(
    object({
      at: UNIX_MS,
      fills: COUNT('Requests that became `success`.'),
      refunds: COUNT('Requests that became `refund`.'),
      failures: COUNT('Changes to `failure`, which may be followed by a refund.'),
      volumeUsd: text({ description: 'US dollars that were filled.' }),
      medianMs: nullable(
        COUNT('From first sight of the deposit to inclusion of the fill; rounded up to a bucket’s bound.'),
      ),
      p95Ms: nullable(COUNT('The same for 95 of 100.')),
    }),
    { description: 'Oldest first, without empty ones.' },
  ),
});

export const STATISTICS = named('Statistics', object({ hour: SERIES, day: SERIES, month: SERIES }));
