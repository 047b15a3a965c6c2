import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of the EVM adapter. */
export const EVM_GUARDS: readonly Guard[] = [
  {
    name: 'evm-own-payees',
    guard: 'No payment goes to an account of the service that could not spend it.',
    guarantees: ['G2', 'G12'],
    how: 'nothing',
    lanes: [lane('plugins/evm/test/conformance.test.ts')],
  },
  {
    name: 'evm-deposit-numbers',
    guard: 'Two deposits of one transaction have two keys.',
    guarantees: ['G2'],
    how: 'skip',
    lanes: [lane('plugins/evm/test/conformance.test.ts')],
  },
  {
    name: 'evm-fill-recipient',
    guard: 'A fill counts only if its event names the recipient of the order.',
    guarantees: ['G7'],
    how: 'always',
    lanes: [lane('plugins/evm/test/conformance.test.ts')],
  },
  {
    name: 'evm-deadline-passed',
    guard: 'An order counts as unfilled only after its deadline is final.',
    guarantees: ['G3', 'G7'],
    how: 'skip',
    lanes: [lane('plugins/evm/test/submit.test.ts')],
  },
  {
    name: 'evm-finality',
    guard: 'Evidence is final only at finality.',
    guarantees: ['G1', 'G7'],
    threats: [13],
    how: 'always',
    lanes: [lane('plugins/evm/test/submit.test.ts')],
  },
  {
    name: 'evm-canonical-receipt',
    guard: 'A receipt counts only in a block of the canonical chain.',
    guarantees: ['G1', 'G7'],
    threats: [13],
    how: 'always',
    lanes: [lane('plugins/evm/test/submit.test.ts')],
  },
  {
    name: 'evm-sole-payer',
    guard: 'A deposit through a contract is not refunded to its caller as its sole payer.',
    guarantees: ['G3'],
    threats: [20],
    how: 'always',
    lanes: [lane('plugins/evm/test/orphans.test.ts')],
  },
  {
    name: 'evm-kept-part',
    guard: 'A token that keeps a part of each transfer is quoted at what arrives.',
    guarantees: ['G2'],
    threats: [18],
    how: 'first',
    lanes: [lane('plugins/evm/test/transfer-fees.test.ts')],
  },
  {
    name: 'evm-unfit-tokens',
    guard: 'A token or contract that does not fit the configuration ends the start.',
    guarantees: ['G2'],
    threats: [18],
    how: 'nothing',
    lanes: [lane('plugins/evm/test/fitness.test.ts')],
  },
  {
    name: 'evm-price-by-own-trial',
    guard: 'One finding raises the price for everybody at most twofold.',
    guarantees: ['G2'],
    threats: [53],
    how: 'always',
    lanes: [lane('plugins/evm/test/bounds.test.ts', 'plugins/evm/test/recipients.test.ts')],
  },
];
