import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of keys that are in other programs. */
export const REMOTE_SIGNER_GUARDS: readonly Guard[] = [
  {
    name: 'evm-remote-answer',
    guard: 'What a remote signer answers is sent only if it is exactly what was asked for.',
    guarantees: ['G1', 'G5'],
    threats: [74],
    how: 'never',
    lanes: [lane('plugins/evm/test/remote/remote-account.test.ts')],
  },
  {
    name: 'evm-remote-key',
    guard: 'What a remote signer answers is signed by the account of the lane.',
    guarantees: ['G1'],
    threats: [74],
    how: 'always',
    lanes: [lane('plugins/evm/test/remote/check-answer.test.ts')],
  },
  {
    name: 'unsigned-stays-due',
    guard: 'Where a signer gives nothing usable, legs stay due, in order and without blame.',
    guarantees: ['G2'],
    threats: [74],
    how: 'never',
    lanes: [lane('core/test/engine/unsigned.test.ts')],
  },
  {
    name: 'signer-over-tls',
    guard:
      'Transactions and credentials reach a remote signer over TLS, or on this machine, unless the config says otherwise.',
    threats: [74],
    how: 'never',
    lanes: [lane('plugins/signer-web3/test/signer.test.ts')],
  },
];
