import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of keys and contracts, while a deployer sets a service up. */
export const DEPLOYING_GUARDS: readonly Guard[] = [
  {
    name: 'key-never-overwritten',
    guard: 'A key file is written only where none is.',
    guarantees: ['G2'],
    how: 'skip',
    lanes: [lane('core/test/host/signing-keys.test.ts')],
  },
  {
    name: 'one-set-up',
    guard: 'Two set-ups of one config never send at once.',
    guarantees: ['G5'],
    how: 'never',
    lanes: [lane('core/test/host/setup-command.test.ts')],
  },
  {
    name: 'evm-set-up-same-code',
    guard: 'A contract of another build is never taken for one of the service.',
    guarantees: ['G2', 'G4'],
    how: 'always',
    lanes: [lane('plugins/evm/test/set-up/set-up.test.ts')],
  },
  {
    name: 'evm-set-up-own-nonce',
    guard: 'A contract is created at the address that others were made for, or not at all.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [lane('plugins/evm/test/set-up/set-up.test.ts')],
  },
];
