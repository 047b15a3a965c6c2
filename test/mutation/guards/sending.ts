import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of what is signed and sent. */
export const SENDING_GUARDS: readonly Guard[] = [
  {
    name: 'key-and-position-together',
    guard: 'The position of a lane advances in the change set that writes its key.',
    guarantees: ['G1', 'G5'],
    how: 'skip',
    lanes: [lane('core/test/engine/collect.test.ts')],
  },
  {
    name: 'only-durable-bytes',
    guard: 'Only bytes whose change set was committed are sent.',
    guarantees: ['G1', 'G5'],
    how: 'always',
    lanes: [lane('core/test/engine/races.test.ts')],
  },
  {
    name: 'nothing-after-stop',
    guard: 'After a stop signal nothing is sent.',
    guarantees: ['G14'],
    how: 'skip',
    lanes: [lane('core/test/engine/guards.test.ts')],
  },
  {
    name: 'no-op-without-legs',
    guard: 'A transaction that only uses up a key carries no payment.',
    guarantees: ['G1', 'G3'],
    threats: [19],
    how: 'never',
    lanes: [lane('core/test/engine/failure.test.ts')],
  },
  {
    name: 'halted-lanes',
    guard: 'A halted lane signs nothing.',
    guarantees: ['G15'],
    threats: [23],
    how: 'never',
    lanes: [lane('core/test/engine/foreign.test.ts')],
  },
  {
    name: 'legs-of-their-key',
    guard: 'Only legs that still belong to a key end with it.',
    guarantees: ['G1', 'G3'],
    how: 'always',
    lanes: [lane('core/test/engine/shared-messages.test.ts')],
  },
  {
    name: 'lost-only-when-final',
    guard: 'A key counts as used by another transaction only once that is final.',
    guarantees: ['G1', 'G7'],
    threats: [13],
    how: 'always',
    lanes: [lane('core/test/domain/judge-key.test.ts')],
  },
  {
    name: 'ended-only-when-final',
    guard: 'A payment ends, and is refunded or made again, only once its transaction is final.',
    guarantees: ['G1', 'G7'],
    threats: [13],
    how: 'always',
    lanes: [lane('core/test/engine/shared-messages.test.ts')],
  },
  {
    name: 'shared-only-as-tried',
    guard: 'Fills share a transaction only as they were tried together.',
    guarantees: ['G12'],
    threats: [31],
    how: 'always',
    lanes: [lane('core/test/engine/left-out.test.ts')],
  },
  {
    name: 'bound-swap-keeps-amount',
    guard: 'A payment that is signed keeps its amount when it is replaced.',
    guarantees: ['G1', 'G12'],
    how: 'always',
    lanes: [lane('core/test/engine/swaps.test.ts')],
  },
  {
    name: 'lanes-without-gas',
    guard: 'A lane that cannot pay the gas of one fill tries the next one.',
    guarantees: ['G6'],
    threats: [17],
    how: 'always',
    lanes: [lane('core/test/engine/claims.test.ts', 'core/test/engine/limits.test.ts')],
  },
];
