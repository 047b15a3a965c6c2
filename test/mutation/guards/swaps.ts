import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of swaps and aggregators. */
export const SWAPS_GUARDS: readonly Guard[] = [
  {
    name: 'fill-swap-minimum',
    guard: 'A fill uses a swap only if it brings what was promised.',
    guarantees: ['G2'],
    threats: [28],
    how: 'always',
    lanes: [lane('core/test/engine/swaps.test.ts')],
  },
  {
    name: 'pools-after-reorg',
    guard: 'The state of a pool is read again after a reorg.',
    guarantees: ['G8'],
    how: 'never',
    lanes: [lane('plugins/evm/test/swaps/quotes.test.ts')],
  },
  {
    name: 'tick-reads',
    guard: 'A pool that changes in every block takes a bounded number of reads.',
    guarantees: ['G2'],
    threats: [54],
    how: 'never',
    lanes: [lane('plugins/evm/test/swaps/ticks.test.ts')],
  },
  {
    name: 'service-accounts-in-swaps',
    guard: 'No swap calls a contract of the service.',
    guarantees: ['G12'],
    threats: [32],
    how: 'skip',
    lanes: [lane('core/test/domain/swap-calls.test.ts')],
  },
  {
    name: 'aggregator-targets',
    guard: 'An aggregator can have only listed contracts called.',
    guarantees: ['G12'],
    threats: [32],
    how: 'skip',
    lanes: [lane('plugins/swaps-http/test/source.test.ts', 'plugins/swaps-http/test/failing.test.ts')],
  },
  {
    name: 'aggregator-spenders',
    guard: 'An aggregator can have only listed spenders approved.',
    guarantees: ['G12'],
    threats: [32],
    how: 'skip',
    lanes: [lane('plugins/swaps-http/test/source.test.ts', 'plugins/swaps-http/test/failing.test.ts')],
  },
  {
    name: 'aggregator-breaker',
    guard: 'An aggregator that keeps failing is not asked for a while.',
    guarantees: ['G13'],
    threats: [32, 52],
    how: 'skip',
    lanes: [lane('plugins/swaps-http/test/source.test.ts', 'plugins/swaps-http/test/failing.test.ts')],
  },
];
