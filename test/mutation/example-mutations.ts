import type { Lane, Mutation } from './mutation.js';

const HERE = 'test/fixtures/example-chain';
const lane = (name: string): Lane => ({ project: 'chain', files: [`${HERE}/test/${name}.test.ts`] });
const KIT = lane('conformance');
const HISTORY = lane('history');

/** Guards of the example chain, which whoever copies it must not lose. */
export const EXAMPLE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'example-failed-deposits',
    guard: 'a transaction that is in a block and failed is no deposit',
    guarantees: ['G2'],
    file: `${HERE}/src/deposits.ts`,
    find: "if (!ok || tx.kind !== 'pay' ||",
    replace: "if (tx.kind !== 'pay' ||",
    lanes: [KIT],
  },
  {
    name: 'example-own-money',
    guard: 'what moves between accounts of the service is no deposit',
    guarantees: ['G2', 'G12'],
    file: `${HERE}/src/deposits.ts`,
    find: ' || vault.own.has(tx.from)',
    replace: '',
    lanes: [HISTORY],
  },
  {
    name: 'example-fills-run-out',
    guard: 'a fill runs out with its order',
    guarantees: ['G1', 'G3'],
    file: `${HERE}/src/lanes.ts`,
    find: 'Math.min(life, ...deadlines)',
    replace: 'life',
    lanes: [KIT],
  },
  {
    name: 'example-unfilled-at-a-final-block',
    guard: 'an order is unfilled for good only at a final block past its deadline',
    guarantees: ['G3', 'G7'],
    file: `${HERE}/src/history.ts`,
    find: 'if (at.final.timestamp <= deadline * 1000) return false;',
    replace: '',
    lanes: [KIT],
  },
  {
    name: 'example-forgotten-history',
    guard: 'an order is unfilled for good only by a history of which nothing is forgotten',
    guarantees: ['G3', 'G7'],
    file: `${HERE}/src/history.ts`,
    find: 'return whole && !sent.some',
    replace: 'return !sent.some',
    lanes: [HISTORY],
  },
  {
    name: 'example-forgotten-place',
    guard: 'a place that was taken by what the node forgot proves nothing',
    guarantees: ['G1', 'G7'],
    file: `${HERE}/src/lanes.ts`,
    find: "if (pruned || transaction === null) return { state: 'unknown', why: 'the node forgot what took this place' };",
    replace: "if (pruned || transaction === null) return { state: 'spentByOther', final: true };",
    lanes: [HISTORY],
  },
  {
    name: 'example-account-of-a-leg',
    guard: 'an account pays only the legs that it owes',
    guarantees: ['G2', 'G12'],
    file: `${HERE}/src/lanes.ts`,
    find: 'if (!role.sends.includes(leg.kind))',
    replace: 'if (role.sends.length === 0)',
    lanes: [HISTORY],
  },
  {
    name: 'example-lagging-node',
    guard: 'a node that is behind what was told before is not believed',
    guarantees: ['G1', 'G13'],
    file: `${HERE}/src/http/nodes.ts`,
    find: 'if (answer.at.head.height < known)',
    replace: 'if (known < 0)',
    lanes: [HISTORY],
  },
];
