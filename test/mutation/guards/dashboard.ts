import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

const ATTACKS = [lane('test/contract/dashboard.test.ts')];
const ACCOUNTS = [lane('test/contract/dashboard-accounts.test.ts')];
const KEYS = [lane('core/test/api/keys.test.ts')];
const RIGHTS = [lane('core/test/api/timeline.test.ts')];

/** Guards of sessions in the dashboard, of calls that plugins forward, and of timelines. */
export const DASHBOARD_GUARDS: readonly Guard[] = [
  {
    name: 'revoked-principals',
    guard: 'A session of a revoked or expired key can do nothing more.',
    threats: [72],
    how: 'never',
    lanes: ATTACKS,
  },
  {
    name: 'own-keys-scope',
    guard: 'Only a key with every scope manages keys.',
    threats: [72],
    how: 'always',
    lanes: KEYS,
  },
  {
    name: 'own-keys-owner',
    guard: 'An integrator manages its own keys alone.',
    threats: [72],
    how: 'never',
    lanes: KEYS,
  },
  {
    name: 'own-keys-rights',
    guard: 'Rotating a key gives no right that the key of the call lacks.',
    threats: [72],
    how: 'never',
    lanes: KEYS,
  },
  {
    name: 'own-keys-one-overlap',
    guard: 'An integrator has at most two keys of one line at a time, whose limits are counted apart.',
    threats: [80],
    how: 'never',
    lanes: KEYS,
  },
  {
    name: 'own-keys-age',
    guard: 'An integrator does not renew what is limited per key by rotating it.',
    threats: [80],
    how: 'nothing',
    lanes: KEYS,
  },
  {
    name: 'own-keys-end',
    guard: 'A key that ends does not live longer by rotating itself.',
    threats: [80],
    how: 'first',
    lanes: KEYS,
  },
  {
    name: 'rotated-keys-keep-policy',
    guard: 'A key that was rotated sponsors no more than the one it replaces.',
    threats: [79],
    how: 'skip',
    lanes: KEYS,
  },
  {
    name: 'dashboard-csrf',
    guard: 'A call that changes something repeats the token of its session, which no other page can read.',
    threats: [72],
    how: 'never',
    lanes: ATTACKS,
  },
  {
    name: 'dashboard-same-origin',
    guard: 'A session is of no use to pages of other origins.',
    threats: [72],
    how: 'never',
    lanes: ATTACKS,
  },
  {
    name: 'dashboard-one-cookie',
    guard: 'A session cookie that another service of the host has added does not choose the session.',
    threats: [72],
    how: 'never',
    lanes: ATTACKS,
  },
  {
    name: 'dashboard-tries',
    guard: 'A network that has tried too many wrong keys waits.',
    threats: [72],
    how: 'never',
    lanes: ATTACKS,
  },
  {
    name: 'dashboard-link-once',
    guard: 'A link that signs an admin in works once.',
    threats: [72],
    how: 'skip',
    lanes: ATTACKS,
  },
  {
    name: 'dashboard-session-count',
    guard: 'A key has at most twenty sessions.',
    threats: [72],
    how: 'never',
    lanes: ATTACKS,
  },
  {
    name: 'dashboard-devnet-session',
    guard: 'Test accounts of a local build send for those alone who are signed in.',
    threats: [72],
    how: 'never',
    lanes: ACCOUNTS,
  },
  {
    name: 'own-devnet',
    guard: 'A service sends with the test accounts of its own local build, and of no other.',
    threats: [72],
    how: 'never',
    lanes: ACCOUNTS,
  },
  {
    name: 'private-timelines',
    guard: 'Timelines of private chains exist only for keys that were granted them.',
    threats: [72],
    how: 'always',
    lanes: RIGHTS,
  },
  {
    name: 'timelines-of-others',
    guard: 'Deliveries in a timeline are shown to the integrator of the request alone.',
    threats: [72],
    how: 'always',
    lanes: RIGHTS,
  },
];
