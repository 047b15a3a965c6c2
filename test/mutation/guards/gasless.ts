import type { Guard } from '../guard.js';
import { lane } from '../lanes.js';

const ENGINE = lane('core/test/engine/gasless-calls.test.ts');
const ADAPTER = lane('plugins/evm/test/gasless-calls.test.ts');
const ROUTE = lane('core/test/api/execute.test.ts');

/** Guards of calls for others. */
export const GASLESS_GUARDS: readonly Guard[] = [
  {
    name: 'calls-are-reserved',
    guard: 'No call is owed without its whole possible fee reserved in the app balance.',
    guarantees: ['G10'],
    threats: [69],
    how: 'skip',
    lanes: [ENGINE],
  },
  {
    name: 'unsent-call-takes-nothing',
    guard: 'A call that was never signed returns its reservation.',
    guarantees: ['G10'],
    how: 'skip',
    lanes: [ENGINE],
  },
  {
    name: 'landed-calls-are-paid',
    guard: 'A call that landed without effect is paid for, and its reservation ends.',
    guarantees: ['G10'],
    how: 'skip',
    lanes: [ENGINE],
  },
  {
    name: 'one-key-per-call',
    guard: 'A call whose key ended is never signed again.',
    guarantees: ['G1'],
    how: 'skip',
    lanes: [ENGINE],
  },
  {
    name: 'late-calls-are-not-sent',
    guard: 'A call that could not be sent in time is given up.',
    guarantees: ['G7', 'G10'],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'lost-calls-are-not-repeated',
    guard: 'A call that a lost part of the ledger may have sent is not sent again.',
    guarantees: ['G15'],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'doubted-calls-are-unknown',
    guard:
      'A call that a lost part of the ledger may have made is not reported as not made: its client would make it again.',
    guarantees: ['G15'],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'calls-carry-no-coin',
    guard: 'No call takes coin of the service along.',
    guarantees: ['G12'],
    threats: [69],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'calls-that-drain',
    guard: 'A call that its chain’s adapter never makes is refused before it is tried.',
    guarantees: ['G12'],
    threats: [69],
    how: 'nothing',
    lanes: [ROUTE],
  },
  {
    name: 'sponsor-is-linked',
    guard: 'Only an integrator with a linked funding address sponsors calls.',
    guarantees: ['G10'],
    how: 'never',
    lanes: [ROUTE],
  },
  {
    name: 'evm-calls-of-held-tokens',
    guard: 'The executor makes no unknown call of a token of which it holds any.',
    guarantees: ['G12'],
    threats: [69],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'evm-calls-spend-no-tokens',
    guard: 'A call that spends or approves tokens of the executor is not made.',
    guarantees: ['G12'],
    threats: [69],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'evm-calls-of-code',
    guard: 'A call to an account that has no code and gets none is refused.',
    guarantees: ['G7'],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'nothing-executed-is-no-success',
    guard: 'A call that landed at an account without code is no success.',
    guarantees: ['G7'],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'failed-operation-is-no-success',
    guard: 'A call in which an operation of a smart account failed is no success.',
    guarantees: ['G7'],
    how: 'never',
    lanes: [ADAPTER],
  },
  {
    name: 'evm-trial-of-this-head',
    guard: 'A call that was tried at an earlier head is tried again before it is signed.',
    guarantees: ['G12'],
    how: 'always',
    lanes: [ADAPTER],
  },
  {
    name: 'evm-free-operations',
    guard: 'Operations of smart accounts that pay a fee are not submitted.',
    guarantees: ['G12'],
    how: 'nothing',
    lanes: [ADAPTER],
  },
  {
    name: 'passed-over-is-no-success',
    guard: 'A call whose authorization the chain passed over is no success.',
    guarantees: ['G7'],
    how: 'always',
    lanes: [ADAPTER],
  },
  {
    name: 'lanes-short-of-gas-get-no-calls',
    guard: 'A lane that cannot pay for one more call gets none.',
    guarantees: ['G6'],
    how: 'always',
    lanes: [ENGINE],
  },
  {
    name: 'unsent-calls-leave-empty-lanes',
    guard: 'An unsigned call leaves a lane without gas money for another.',
    guarantees: ['G6'],
    how: 'never',
    lanes: [ENGINE],
  },
  {
    name: 'evm-executor-alone',
    guard: 'The key that makes calls for others has no other role.',
    guarantees: ['G12'],
    threats: [69],
    how: 'skip',
    lanes: [lane('plugins/evm/test/plugin.test.ts')],
  },
];
