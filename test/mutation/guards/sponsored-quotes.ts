import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

const FEES = lane('core/test/domain/sponsored-fees.test.ts');
const QUOTES = lane('core/test/api/sponsored-quotes.test.ts');
const FILLS = lane('core/test/engine/sponsored-fills.test.ts');
const KEYS = lane('core/test/engine/sponsoring-keys.test.ts');
const QUOTED = lane('core/test/engine/quoted-calls.test.ts');
const FAST = lane('core/test/engine/fast-fills.test.ts');
const ROUTE = lane('core/test/api/execute.test.ts');

/** Guards of fees that app balances pay, and of calls that make the deposits of quotes. */
export const SPONSORED_QUOTES_GUARDS: readonly Guard[] = [
  {
    name: 'sponsored-at-most-as-quoted',
    guard: 'No more is sponsored than was quoted, or than the cap allows.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FEES],
  },
  {
    name: 'sponsor-needs-a-key',
    guard: 'Fees are sponsored with a key alone.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [QUOTES],
  },
  {
    name: 'quote-sponsor-is-linked',
    guard: 'Fees are sponsored for integrators with a linked address alone.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [QUOTES],
  },
  {
    name: 'quotes-need-balance',
    guard: 'No fees are quoted as sponsored that the balance cannot pay.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [QUOTES],
  },
  {
    name: 'fills-reserve-before-claims',
    guard: 'A sponsored fill is decided only where balance and policy allow its reservation.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FILLS],
  },
  {
    name: 'reservations-need-their-key',
    guard: 'A key that was revoked, or whose policy was lowered, since a quote sponsors it no more.',
    guarantees: ['G10'],
    threats: [77],
    how: 'never',
    lanes: [KEYS],
  },
  {
    name: 'fast-fills-need-their-key',
    guard:
      'A key that was revoked, or whose policy was lowered, since a fast fill was asked for does not bear its risk.',
    guarantees: ['G10'],
    threats: [77],
    how: 'never',
    lanes: [KEYS],
  },
  {
    name: 'unsponsored-keeps-minimum',
    guard: 'A fill that lost its sponsor delivers no less than the user accepts.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FILLS],
  },
  {
    name: 'fill-ends-reservation',
    guard: 'The reservation for a fill ends with it.',
    guarantees: ['G10'],
    how: 'skip',
    lanes: [FILLS],
  },
  {
    name: 'failed-gas-is-sponsored',
    guard: 'The balance pays the gas of a failed fill that the deposit is not worth.',
    guarantees: ['G10'],
    threats: [16, 69],
    how: 'zero',
    lanes: [FILLS],
  },
  {
    name: 'sponsored-fills-are-reserved',
    guard: 'A fill with a sponsored part goes out only while that is reserved.',
    guarantees: ['G10'],
    how: 'always',
    lanes: [FILLS],
  },
  {
    name: 'quoted-calls-end-with-the-deposit-in-view',
    guard: 'A call of a quote is judged by its deposit only once the block of the call was read.',
    guarantees: ['G3'],
    how: 'always',
    lanes: [QUOTED],
  },
  {
    name: 'quoted-calls-name-their-order',
    guard: 'A call makes the deposit of a quote only if it names the order.',
    threats: [69],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'quotes-of-others-are-unknown',
    guard: 'No key executes quotes of another integrator.',
    threats: [69],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'failed-calls-mark-nothing',
    guard: 'A request is no gasless one by a call that failed.',
    threats: [69],
    how: 'always',
    lanes: [QUOTED],
  },
  {
    name: 'fast-fills-are-covered',
    guard: 'A deposit is decided early only where the balance covers the risk.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FAST],
  },
  {
    name: 'reorged-fast-fills-are-paid',
    guard: 'A deposit that vanished after its fast fill was signed is paid by the balance.',
    guarantees: ['G10'],
    how: 'skip',
    lanes: [FAST],
  },
  {
    name: 'fast-fills-of-one-deposit',
    guard: 'A reservation for a fast fill is for one deposit and its value: another has none, and waits.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FAST],
  },
  {
    name: 'unsigned-again-gives-back',
    guard: 'What a vanished deposit took is given back where its fill did not happen and is not signed.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FAST],
  },
  {
    name: 'uncovered-fast-fills-wait',
    guard: 'A fast fill without reservation waits for the finality of its deposit.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FAST],
  },
  {
    name: 'fast-fills-need-a-linked-balance',
    guard: 'A fast fill needs a linked funding address.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FAST],
  },
  {
    name: 'fast-fills-of-own-requests',
    guard: 'A fast fill is of a request of the same integrator.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [FAST],
  },
];
