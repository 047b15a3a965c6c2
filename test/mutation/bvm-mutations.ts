import { chain, nightly } from './lanes.js';
import type { Mutation } from './mutation.js';

const LANE = chain('bvm', 'lane', 'sending');
const REPLACING = chain('bvm', 'replacing');
const REFUNDS = chain('bvm', 'refunds');
const READ = chain('bvm', 'deposits-read');
const LEGS_DONE = chain('bvm', 'legs-done');
const BVM_KIT = chain('bvm', 'conformance');
const CROWDED = nightly('bvm', 'crowded-pool');
const PAID_ALONE = chain('bvm', 'paid-alone');
const MESSAGES = chain('bvm', 'messages');

/** Guards of the Bitcoin-type adapter, whose chains keep no contract at all. */
export const BVM_MUTATIONS: readonly Mutation[] = [
  {
    name: 'bvm-no-calls',
    guard: 'a fill that asks for calls is not paid without them',
    guarantees: ['G1', 'G7'],
    file: 'plugins/bvm/src/check.ts',
    find: "if (leg.kind === 'fill' && (leg.calls !== undefined || leg.coin !== undefined))",
    replace: "if (leg.kind === 'fill' && leg.amount < 0n)",
    lanes: [BVM_KIT],
  },
  {
    name: 'lane-waits-for-its-anchor',
    guard: 'a lane prepares nothing while its transaction before is in no block',
    guarantees: ['G1', 'G5'],
    file: 'plugins/bvm/src/submitter.ts',
    find: "if (isBusy(deps, position)) return unavailable('the transaction before is not in a block');",
    replace: '',
    lanes: [LANE],
  },
  {
    name: 'lane-begins-anew-for-good',
    guard: 'a lane begins with another output only where what it had to spend is spent for good',
    guarantees: ['G1'],
    file: 'plugins/bvm/src/submitter.ts',
    find: 'return spender.block === null || spender.block.height > finalHeight();',
    replace: 'return false;',
    lanes: [LANE],
  },
  {
    name: 'replacement-keeps-its-anchor',
    guard: 'what takes the place of a transaction spends the same anchor',
    guarantees: ['G1', 'G6'],
    file: 'plugins/bvm/src/submitter.ts',
    find: 'const anchor = anchorAgain(deps, state, serial, before.anchor);',
    replace: 'const anchor = state.free[0] ?? before.anchor;',
    lanes: [REPLACING],
  },
  {
    name: 'replacement-below-its-cap',
    guard: 'no replacement pays more than the cap',
    guarantees: ['G6'],
    file: 'plugins/bvm/src/submitter.ts',
    find: 'if (composed.fee > most) {',
    replace: 'if (composed.fee < 0n) {',
    lanes: [REPLACING],
  },
  {
    name: 'own-attempt-in-the-pool',
    guard: 'a key is not spent by others while one of its transactions waits in a pool',
    guarantees: ['G1', 'G7'],
    file: 'plugins/bvm/src/look.ts',
    find: "if (own.some((one) => one !== undefined)) return { state: 'unspent', inPool: true };",
    replace: '',
    lanes: [REPLACING, BVM_KIT],
  },
  {
    name: 'lost-output-at-finality',
    guard: 'an output that others spent is lost for good only when that is final',
    guarantees: ['G1', 'G7'],
    file: 'plugins/bvm/src/look.ts',
    find: 'final: head.height - missing.since(name, head.height) >= finalityDepth',
    replace: 'final: true',
    lanes: [LANE, BVM_KIT],
  },
  {
    name: 'paid-out-of-its-deposit',
    guard: 'a refund that the chain shows as done is not made again',
    guarantees: ['G3'],
    file: 'plugins/bvm/src/check.ts',
    find: "if (trail.is === 'paid') return refused('INVALID_NONCE', `${trail.by.tx.txid} did it`);",
    replace: '',
    lanes: [REFUNDS],
  },
  {
    name: 'output-of-one-leg',
    guard: 'each output of a batch does one leg',
    guarantees: ['G1', 'G3'],
    file: 'plugins/bvm/src/lane/legs-done.ts',
    find: '      free.delete(named);\n',
    replace: '',
    lanes: [LEGS_DONE],
  },
  {
    name: 'own-outputs-are-no-deposits',
    guard: 'what spends an output of ours is no deposit',
    guarantees: ['G2'],
    file: 'plugins/bvm/src/watch/read-deposits.ts',
    find: ' || spent.some(({ script }) => scripts.of(script) !== undefined)) return [];',
    replace: ') return [];',
    lanes: [READ],
  },
  {
    name: 'one-output-beside-one-order',
    guard: 'an OP_RETURN names an order only beside few outputs that pay the depository',
    guarantees: ['G4'],
    file: 'plugins/bvm/src/watch/read-deposits.ts',
    find: ' || more.length >= MOST_SUMMED',
    replace: '',
    lanes: [READ],
  },
  {
    name: 'sightings-of-promises',
    guard: 'a transfer that names no promised order takes no place from those that do',
    guarantees: ['G13'],
    file: 'plugins/bvm/src/watch/candidates.ts',
    find: 'if (promised || !isPromised)',
    replace: 'if (promised || true)',
    lanes: [CROWDED],
  },
  {
    name: 'sightings-by-importance',
    guard: 'a larger deposit takes the place of a smaller one in the list of what waits',
    guarantees: ['G13'],
    file: 'plugins/bvm/src/watch/sightings.ts',
    find: 'all.sort((a, b) => compareStandings(a.standing, b.standing));\n  return',
    replace: 'return',
    lanes: [CROWDED],
  },
  {
    name: 'names-of-scripts',
    guard: 'no text that is told of a deposit is longer than an index takes',
    guarantees: ['G2'],
    file: 'plugins/bvm/src/addresses.ts',
    find: 'hex.length <= MOST_DIGITS ?',
    replace: 'hex.length >= 0 ?',
    lanes: [READ],
  },
  {
    name: 'paid-by-one-script',
    guard: 'a transaction of several parties proves none of them to be its payer',
    guarantees: ['G3'],
    file: 'plugins/bvm/src/paid-alone.ts',
    find: 'spent.every(',
    replace: 'spent.some(',
    lanes: [PAID_ALONE],
  },
  {
    name: 'message-of-the-address',
    guard: 'a signed message counts for the address of the key that signed it alone',
    guarantees: ['G3'],
    file: 'plugins/bvm/src/messages/classic.ts',
    find: 'return header < IN_P2SH && same(hash, payload);',
    replace: 'return header < IN_P2SH && payload.length > 0;',
    lanes: [MESSAGES],
  },
  {
    name: 'bvm-own-money-by-what-was-spent',
    guard: 'whom a memo names has not thereby spent anything',
    guarantees: ['G3'],
    file: 'plugins/bvm/src/bvm-adapter.ts',
    find: 'return this.paidAlone(transfer);',
    replace: 'return this.paidAlone(transfer).then(() => true);',
    lanes: [BVM_KIT],
  },
];
