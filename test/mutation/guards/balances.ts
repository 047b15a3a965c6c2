import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

const BALANCES = lane('core/test/capabilities/app-balance.test.ts');
const DEPOSITS = lane('core/test/engine/balance-deposits.test.ts');
const ROUTES = lane('core/test/api/app-balance.test.ts');

/** Guards of what integrators pay from, and of who may say so. */
export const BALANCES_GUARDS: readonly Guard[] = [
  {
    name: 'sponsor-within-balance',
    guard: 'No more is reserved than a balance has.',
    guarantees: ['G10'],
    how: 'skip',
    lanes: [BALANCES],
  },
  {
    name: 'sponsor-pays-no-more',
    guard: 'A request takes at most what was reserved for it.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [BALANCES],
  },
  {
    name: 'balance-needs-finality',
    guard: 'A deposit tops up a balance once it is final.',
    guarantees: ['G8', 'G10'],
    threats: [70],
    how: 'never',
    lanes: [DEPOSITS],
  },
  {
    name: 'strangers-make-no-order',
    guard: 'What a stranger paid under the id of a balance before does not send its top-ups back.',
    guarantees: ['G10'],
    threats: [70],
    how: 'always',
    lanes: [DEPOSITS],
  },
  {
    name: 'balance-currencies',
    guard: 'A balance is topped up only with currencies that count one for a dollar.',
    guarantees: ['G10'],
    threats: [70],
    how: 'always',
    lanes: [DEPOSITS],
  },
  {
    name: 'screened-top-ups',
    guard: 'Who tops up a balance was screened.',
    guarantees: ['G10'],
    how: 'always',
    lanes: [DEPOSITS],
  },
  {
    name: 'links-expire',
    guard: 'A text that links an address is valid for minutes.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [ROUTES],
  },
  {
    name: 'links-are-signed',
    guard: 'An address is linked by its own signature.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [ROUTES],
  },
  {
    name: 'links-name-service',
    guard: 'A link that was signed for one service is worth nothing to another.',
    guarantees: ['G10'],
    how: 'skip',
    lanes: [ROUTES],
  },
  {
    name: 'balance-events-scope',
    guard: 'The history of a balance needs a key with the scope balance.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [ROUTES],
  },
  {
    name: 'own-balance-events',
    guard: 'The history of a balance is for its integrator.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [ROUTES],
  },
];
