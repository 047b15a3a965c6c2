import { engine } from './lanes.js';
import type { Lane, Mutation } from './mutation.js';

const CHAIN: Lane = { project: 'chain', files: ['plugins/evm/test/authorizations.test.ts'] };
const QUOTING: Lane = { project: 'unit', files: ['core/test/quoting/authorizations.test.ts'] };

/** Guards of what fills carry for accounts that are not ours. */
export const AUTHORIZATION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'authorizations-take-effect',
    guard: 'no fill makes its calls where an authorization for them would be passed over',
    guarantees: ['G2'],
    file: 'plugins/evm/src/in-force.ts',
    find: 'return stands === BigInt(one.nonce)',
    replace: 'return stands >= 0n',
    lanes: [CHAIN],
  },
  {
    name: 'what-was-filled-is-told-first',
    guard: 'a fill whose order was filled is never refused for the authorization that this used up',
    guarantees: ['G1', 'G3'],
    file: 'plugins/evm/src/in-force.ts',
    find: 'return proven && !refusedBeforehand(tried) ? beforehand',
    replace: 'return proven ? beforehand',
    lanes: [CHAIN],
  },
  {
    name: 'estimates-reckon-with-authorizations',
    guard: 'a provider that leaves authorizations out of its estimates is not believed',
    guarantees: ['G2'],
    file: 'plugins/evm/src/in-force.ts',
    find: 'if (estimated < BARE_GAS + AUTHORIZATION_GAS',
    replace: 'if (estimated < BARE_GAS + 0n * AUTHORIZATION_GAS',
    lanes: [CHAIN],
  },
  {
    name: 'transactions-carry-authorizations',
    guard: 'a fill carries its authorizations, at first and in each replacement',
    guarantees: ['G2'],
    file: 'plugins/evm/src/submitter.ts',
    find: '...(call.authorizations.length === 0 ? {} :',
    replace: '...(call.authorizations.length >= 0 ? {} :',
    lanes: [CHAIN],
  },
  {
    name: 'authorizations-go-out-with-their-order',
    guard: 'a fill carries the authorizations that were given for its calls',
    guarantees: ['G2'],
    file: 'core/src/engine/kinds/fill.ts',
    find: '...(authorizations === undefined ? {} :',
    replace: '...(authorizations !== null ? {} :',
    lanes: [engine('since')],
  },
  {
    name: 'no-authorization-is-ours',
    guard: 'no account of ours gets code, and none gets the code of ours',
    guarantees: ['G2'],
    file: 'core/src/quoting/authorizations.ts',
    find: 'const [own, code] = [ownAccount(destination, read.account), ownAccount(destination, read.code)];',
    replace: 'const [own, code] = [ownAccount(destination, ""), ownAccount(destination, "")];',
    lanes: [QUOTING],
  },
  {
    name: 'barred-gives-way',
    guard: 'what somebody keeps out of the pools gives way to what is behind it',
    guarantees: ['G13'],
    file: 'core/src/domain/judge-key.ts',
    find: "const barred = newest.state === 'barred';",
    replace: "const barred = newest.state === 'planned';",
    lanes: [engine('failure')],
  },
  {
    name: 'barring-is-charged',
    guard: 'who keeps a fill out of the pools pays for the no-op in its place',
    guarantees: ['G10'],
    file: 'core/src/engine/keys/close-key.ts',
    find: "legsOf(({ state }) => state === 'barred');",
    replace: "legsOf(({ state }) => state === 'planned');",
    lanes: [engine('failure')],
  },
  {
    name: 'authorizations-are-bumped-once',
    guard: 'a fill that pools may not pass on gives way after one more attempt',
    guarantees: ['G13'],
    file: 'core/src/engine/keys/replace.ts',
    find: 'open.attempts.length >= MOST_WITH_AUTHORIZATIONS',
    replace: 'open.attempts.length >= 100 * MOST_WITH_AUTHORIZATIONS',
    lanes: [engine('failure')],
  },
];
