import type { Lane, Mutation } from './mutation.js';

const chain = (family: string, ...names: string[]): Lane => ({
  project: 'chain',
  files: names.map((name) => `plugins/${family}/test/${name}.test.ts`),
});

const ABSENCE = chain('svm', 'absence');
const SVM_WATCH = chain('svm', 'watch');
const SVM_DEPOSITS = chain('svm', 'deposits');
const SVM_KIT = chain('svm', 'conformance');
const LANE = chain('bvm', 'lane', 'sending');
const REPLACING = chain('bvm', 'replacing');
const REFUNDS = chain('bvm', 'refunds');
const READ = chain('bvm', 'deposits-read');
const LEGS_DONE = chain('bvm', 'legs-done');
const BVM_KIT = chain('bvm', 'conformance');

/** Guards of the adapters whose chains keep no contract of ours: what they believe of a chain is all there is. */
export const FAMILY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'history-proven-before-the-question',
    guard: 'a node that was given blocks after it was asked proves nothing by them',
    guarantees: ['G1', 'G7'],
    file: 'plugins/svm/src/look.ts',
    find: 'const before = await gaps();',
    replace: 'const before = new Map<KeyView, string>();',
    lanes: [ABSENCE],
  },
  {
    name: 'whole-life-of-a-message',
    guard: 'a message never landed only where the node has every block that it could have been in',
    guarantees: ['G1', 'G7'],
    file: 'plugins/svm/src/look.ts',
    find: 'return before.get(key) ?? after.get(key);',
    replace: 'return undefined;',
    lanes: [ABSENCE],
  },
  {
    name: 'unfilled-by-whole-history',
    guard: 'an order was never filled only where the node has every block since the order began',
    guarantees: ['G1'],
    file: 'plugins/svm/src/sent.ts',
    find: 'keptSince(provider.rpc, oldest, to)',
    replace: 'Promise.resolve(0)',
    lanes: [ABSENCE],
  },
  {
    name: 'listed-by-a-whole-node',
    guard: 'the cursor passes no slot whose deposits were listed by a node that lacked its block',
    guarantees: ['G2'],
    file: 'plugins/svm/src/listing/backlog.ts',
    find: '    await prove?.();\n    const failure',
    replace: '    const failure',
    lanes: [SVM_WATCH],
  },
  {
    name: 'one-transfer-beside-one-memo',
    guard: 'a memo names an order only beside one transfer to the vault, and alone',
    guarantees: ['G4'],
    file: 'plugins/svm/src/watch/read-deposits.ts',
    find: 'arrivals.length === 1 && memos.length === 1 ? named(memos[0]) : null',
    replace: 'named(memos[0])',
    lanes: [SVM_DEPOSITS, SVM_KIT],
  },
  {
    name: 'leg-done-by-its-recipient',
    guard: 'a leg is done by a transfer to its recipient',
    guarantees: ['G1'],
    file: 'plugins/svm/src/effects.ts',
    find: '      recipient === leg.recipient &&\n',
    replace: '',
    lanes: [SVM_KIT, chain('svm', 'submit')],
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
    guard: 'an OP_RETURN names an order only where one output pays the depository',
    guarantees: ['G4'],
    file: 'plugins/bvm/src/watch/read-deposits.ts',
    find: "orderId: own.role === 'depository' && alone ?",
    replace: "orderId: own.role === 'depository' ?",
    lanes: [READ],
  },
];
