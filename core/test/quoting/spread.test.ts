import { expect, it } from 'vitest';
import type { QuoteBody } from '../../src/domain/quote.js';
import { OTHER_TOKEN } from '../api/support/chain-double.js';
import { POLICY } from '../api/support/running-api.js';
import { detailsOf, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

const NATIVE = `0x${'0'.repeat(40)}`;
const NOW = 1_700_000_000_000;
const clock = { now: () => NOW, monotonic: () => 0, sleep: async () => undefined, every: () => () => undefined };
const policy = {
  ...POLICY,
  routeFees: [{ bps: 5, floorMicroUsd: 0n }],
  spread: {
    classes: [
      { groups: ['usd-coin', 'dai'], bps: 3, perRootMinuteBps: 0 },
      { bps: 10, perRootMinuteBps: 6 },
    ],
  },
};

/** Fee in per cent and the reported spread. */
async function taken(destinationCurrency: string | undefined, ageMs: number) {
  const bodies: QuoteBody[] = [];
  const quoter = quoterWith({
    clock,
    policy,
    prices: pricesOf({ ether: '2000' }, () => NOW - ageMs),
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async ({ changes }) => {
        for (const change of changes)
          if (change.op === 'insert') bodies.push(JSON.parse((change.row as { body: string }).body) as QuoteBody);
        return { ok: true };
      },
    },
  });
  const answer = await quoted(quoter, destinationCurrency === undefined ? {} : { destinationCurrency });
  if (answer instanceof Error) throw answer;
  const details = await detailsOf(quoter, destinationCurrency === undefined ? {} : { destinationCurrency });
  return { fee: Number(answer.fees.relayerService.amount), spread: bodies[0]?.spreadBps, details };
}

it('is none within a group, small between stable assets, and larger where prices move', async () => {
  expect(await taken(undefined, 0)).toMatchObject({ fee: 50_000, spread: undefined });
  expect(await taken(OTHER_TOKEN, 0)).toMatchObject({ fee: 80_000, spread: 3 });
  // Half a minute of validity: 6 times the root of a half, rounded up.
  expect(await taken(NATIVE, 0)).toMatchObject({ fee: 200_000, spread: 15 });
});

it('grows with the age of the older price, and shows in the impact of the quote', async () => {
  const { fee, spread, details } = await taken(NATIVE, 90_000);
  expect({ fee, spread }).toEqual({ fee: 240_000, spread: 19 });
  expect(Number(details.expandedPriceImpact.service.usd)).toBeCloseTo(-0.24, 6);
});
