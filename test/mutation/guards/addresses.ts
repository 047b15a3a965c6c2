import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of deposit addresses. */
export const ADDRESSES_GUARDS: readonly Guard[] = [
  {
    name: 'funding-key-of-sweep',
    guard: 'A sweep is named by the transfer that it was made for.',
    guarantees: ['G4'],
    threats: [66],
    how: 'nothing',
    lanes: [lane('core/test/engine/deposit-addresses.test.ts')],
  },
  {
    name: 'payback-after-sweep',
    guard: 'Nothing is paid back of a transfer that is still at its deposit address.',
    guarantees: ['G2', 'G4'],
    how: 'skip',
    lanes: [lane('core/test/engine/deposit-addresses.test.ts')],
  },
  {
    name: 'unnamed-needs-recipient',
    guard:
      'Money of a deposit address without a refund address is released only to a recipient that the operator names.',
    guarantees: ['G2'],
    how: 'never',
    lanes: [lane('core/test/engine/deposit-addresses.test.ts')],
  },
  {
    name: 'open-order-once',
    guard: 'A transfer to an open deposit address is quoted and settled once.',
    guarantees: ['G1', 'G3'],
    how: 'skip',
    lanes: [lane('core/test/engine/deposit-addresses.test.ts')],
  },
  {
    name: 'strict-needs-a-share',
    guard: 'A stranger cannot end the order of a strict address with dust.',
    guarantees: ['G2'],
    threats: [65],
    how: 'always',
    lanes: [lane('core/test/engine/deposit-addresses.test.ts')],
  },
  {
    name: 'unshown-after-restore',
    guard: 'A transfer without a transaction is not quoted again by a restored ledger.',
    guarantees: ['G1', 'G15'],
    how: 'never',
    lanes: [lane('core/test/engine/deposit-addresses.test.ts')],
  },
  {
    name: 'deposit-address-budget',
    guard: 'A caller gets a limited number of deposit addresses, which are kept and watched for ever.',
    threats: [64],
    how: 'nothing',
    lanes: [lane('core/test/quoting/deposit-addresses.test.ts')],
  },
];
