import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

/** Guards of what the store refuses, and of which database a process writes. */
export const STORE_GUARDS: readonly Guard[] = [
  {
    name: 'unique-keys',
    guard: 'A change set that repeats a unique key is refused, so that an order has one leg.',
    guarantees: ['G1', 'G3'],
    how: 'always',
    lanes: [lane('core/test/store/conformance.test.ts')],
  },
  {
    name: 'row-versions',
    guard: 'A change set that was decided on an older version of a row is refused.',
    guarantees: ['G3', 'G6'],
    how: 'always',
    lanes: [lane('core/test/store/conformance.test.ts')],
  },
  {
    name: 'shared-between-commits',
    guard:
      'No answer that was asked for during a commit is shared: it may be from before it, where others saw the commit.',
    guarantees: ['G3', 'G10'],
    how: 'never',
    lanes: [lane('core/test/store/kept-answers.test.ts')],
  },
  {
    name: 'posting-groups',
    guard: 'A group of postings is written once.',
    guarantees: ['G2', 'G10'],
    how: 'skip',
    lanes: [lane('core/test/store/conformance.test.ts')],
  },
  {
    name: 'reservation-bound',
    guard: 'A reservation beyond what its pot holds is refused by the store.',
    guarantees: ['G12'],
    threats: [12],
    how: 'never',
    lanes: [lane('core/test/store/conformance.test.ts')],
  },
  {
    name: 'fencing-tokens',
    guard: 'A process whose lease another one took over writes nothing.',
    guarantees: ['G1', 'G13'],
    how: 'always',
    lanes: [lane('core/test/store/conformance.test.ts')],
  },
  {
    name: 'fence-in-every-change',
    guard: 'Each change set carries the fencing token of its lease.',
    guarantees: ['G1', 'G13'],
    how: 'skip',
    lanes: [lane('core/test/engine/leases.test.ts')],
  },
  {
    name: 'status-transitions',
    guard: 'A request changes its status only along the transition table.',
    guarantees: ['G6'],
    how: 'never',
    lanes: [lane('core/test/engine/guards.test.ts')],
  },
  {
    name: 'life-by-last-signature',
    guard: 'A database that lacks what was signed last is known to be an older one.',
    guarantees: ['G1', 'G15'],
    threats: [23],
    how: 'never',
    lanes: [lane('core/test/store/epoch.test.ts')],
  },
  {
    name: 'database-of-another-cluster',
    guard: 'A process whose database became another cluster ends.',
    guarantees: ['G15'],
    threats: [23],
    how: 'never',
    lanes: [lane('plugins/storage-pg/test/failover.nightly.test.ts')],
  },
  {
    name: 'history-ended',
    guard: 'After its database lost commits a process writes nothing more.',
    guarantees: ['G15'],
    threats: [23],
    how: 'skip',
    lanes: [lane('plugins/storage-pg/test/failover.nightly.test.ts')],
  },
  {
    name: 'withdrawn-keys-after-restore',
    guard: 'An API key that was revoked or narrowed stays so when a backup is restored.',
    threats: [22],
    how: 'always',
    lanes: [lane('core/test/host/restore-keys.test.ts')],
  },
];
