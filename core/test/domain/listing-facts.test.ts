import { expect, it } from 'vitest';
import { featureBits } from '../../src/domain/features.js';
import { listingFacts } from '../../src/domain/listing-facts.js';

const terms = {
  inDecimals: 6,
  outDecimals: 6,
  inUsd: '2',
  outUsd: '2',
  relayerGas: '0',
  serviceBps: 0,
  serviceFloor: '0',
};

it.each([
  ['are valued by the price of the input', ['app_fees'], '1500000', '2', 3_000_000],
  ['are zero without any, whatever the price', [], '0', '0', 0],
  ['have no value without a price', ['app_fees'], '7', '0', null],
] as const)('app fees %s', (_, features, app, inUsd, appFeesUsd) => {
  const body = JSON.parse(JSON.stringify({ features, fees: { app }, terms: { ...terms, inUsd } }));
  expect(listingFacts(body)).toEqual({ features: featureBits(features), appFeesUsd });
});
