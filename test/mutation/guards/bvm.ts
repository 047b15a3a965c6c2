import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of the Bitcoin-type adapter. */
export const BVM_GUARDS: readonly Guard[] = [
  {
    name: 'bvm-parents-read',
    guard: 'The description of a stranger’s transaction reads a bounded number of others.',
    guarantees: ['G13'],
    how: 'never',
    lanes: [lane('plugins/bvm/test/prevouts.test.ts')],
  },
  {
    name: 'bvm-lane-waits',
    guard: 'A lane prepares nothing while its last transaction is in no block.',
    guarantees: ['G1', 'G5'],
    how: 'skip',
    lanes: [lane('plugins/bvm/test/lane.test.ts', 'plugins/bvm/test/sending.test.ts')],
  },
  {
    name: 'bvm-lane-restarts',
    guard: 'A lane starts with another output only once the old one is spent permanently.',
    guarantees: ['G1'],
    how: 'never',
    lanes: [lane('plugins/bvm/test/lane.test.ts', 'plugins/bvm/test/sending.test.ts')],
  },
  {
    name: 'bvm-own-in-pool',
    guard: 'A transaction in the pool is not counted as lost.',
    guarantees: ['G1', 'G7'],
    how: 'skip',
    lanes: [lane('plugins/bvm/test/replacing.test.ts'), lane('plugins/bvm/test/conformance.test.ts')],
  },
  {
    name: 'bvm-finality',
    guard: 'An output counts as lost only at finality.',
    guarantees: ['G1', 'G7'],
    threats: [13],
    how: 'always',
    lanes: [
      lane('plugins/bvm/test/lane.test.ts', 'plugins/bvm/test/sending.test.ts'),
      lane('plugins/bvm/test/conformance.test.ts'),
    ],
  },
  {
    name: 'bvm-paid-before',
    guard: 'A refund that its deposit already paid is not paid again.',
    guarantees: ['G3'],
    how: 'skip',
    lanes: [lane('plugins/bvm/test/refunds.test.ts')],
  },
  {
    name: 'bvm-output-of-one-leg',
    guard: 'One output proves one payment.',
    guarantees: ['G1', 'G3'],
    how: 'skip',
    lanes: [lane('plugins/bvm/test/legs-done.test.ts')],
  },
  {
    name: 'bvm-own-outputs',
    guard: 'What the service sends itself is no deposit.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [lane('plugins/bvm/test/deposits-read.test.ts')],
  },
  {
    name: 'bvm-summed-outputs',
    guard: 'At most four outputs are summed for one order.',
    guarantees: ['G4'],
    threats: [62],
    how: 'never',
    lanes: [lane('plugins/bvm/test/deposits-read.test.ts')],
  },
  {
    name: 'bvm-unreported-arrivals',
    guard: 'What is found at an address counts in the depository only once it is reported.',
    guarantees: ['G2', 'G15'],
    how: 'always',
    lanes: [lane('plugins/bvm/test/deposit-addresses.test.ts')],
  },
  {
    name: 'bvm-key-of-address',
    guard: 'A deposit at an address is spent only by the key of its own address.',
    guarantees: ['G4'],
    how: 'always',
    lanes: [lane('plugins/bvm/test/deposit-addresses.test.ts')],
  },
  {
    name: 'bvm-promised-sightings',
    guard: 'Only promised orders get a place among unconfirmed deposits.',
    guarantees: ['G13'],
    threats: [2],
    how: 'always',
    lanes: [lane('plugins/bvm/test/crowded-pool.nightly.test.ts')],
  },
];
