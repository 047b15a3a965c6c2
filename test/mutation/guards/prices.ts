import type { Guard } from '../guard.js';
import { cases, lane } from '../lanes.js';

/** Guards of prices and what is charged. */
export const PRICES_GUARDS: readonly Guard[] = [
  {
    name: 'price-outliers',
    guard: 'A price source far from the others is left out.',
    guarantees: ['G12'],
    how: 'always',
    lanes: [lane('core/test/prices/price-board.test.ts')],
  },
  {
    name: 'price-age',
    guard: 'A price is not used past its age.',
    guarantees: ['G12'],
    threats: [8],
    how: 'always',
    lanes: [lane('core/test/prices/price-board.test.ts')],
  },
  {
    name: 'price-jumps',
    guard: 'A jump of a price is believed only after it lasted.',
    guarantees: ['G12'],
    how: 'always',
    lanes: [lane('core/test/prices/jump-guard.test.ts')],
  },
  {
    name: 'feed-heartbeat',
    guard: 'A price feed that missed its heartbeat is not believed.',
    guarantees: ['G12'],
    how: 'never',
    lanes: [lane('plugins/evm/test/feeds/judge-round.test.ts')],
  },
  {
    name: 'members-at-own-price',
    guard: 'A currency that lost its peg counts at its own price.',
    guarantees: ['G2'],
    threats: [10],
    how: 'never',
    lanes: [cases('depegTrading', 'test/sim/attacks.test.ts'), lane('core/test/domain/pair-price.test.ts')],
  },
  {
    name: 'price-when-decided',
    guard: 'A deposit is checked against the current price when it is decided.',
    guarantees: ['G2'],
    threats: [8],
    how: 'always',
    lanes: [cases('bestOfMany', 'test/sim/attacks.test.ts'), lane('core/test/domain/price-guard.test.ts')],
  },
  {
    name: 'spread',
    guard: 'Each quote takes the spread that covers price moves.',
    guarantees: ['G2'],
    threats: [8],
    how: 'first',
    lanes: [lane('core/test/quoting/spread.test.ts')],
  },
  {
    name: 'late-gas',
    guard: 'A late deposit pays the gas price of its time.',
    guarantees: ['G2'],
    threats: [9],
    how: 'never',
    lanes: [
      cases('lateAtHighGas', 'test/sim/attacks.test.ts'),
      lane('core/test/engine/price-moves.test.ts', 'core/test/engine/limits.test.ts'),
    ],
  },
  {
    name: 'rent-bound',
    guard: 'Rent beyond what was charged is not paid.',
    guarantees: ['G2'],
    threats: [15],
    how: 'always',
    lanes: [cases('accountCycling', 'test/sim/attacks.test.ts')],
  },
  {
    name: 'data-fees',
    guard: 'The data fee of a rollup is charged.',
    guarantees: ['G2'],
    threats: [16],
    how: 'first',
    lanes: [lane('plugins/evm/test/data-fees.test.ts')],
  },
  {
    name: 'calls-with-least',
    guard: 'Calls are tried with the least output that their order allows.',
    guarantees: ['G2'],
    threats: [26],
    how: 'never',
    lanes: [lane('core/test/quoting/calls.test.ts')],
  },
];
