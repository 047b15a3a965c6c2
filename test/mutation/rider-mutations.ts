import type { Mutation } from './mutation.js';

const lanes: Mutation['lanes'] = [{ project: 'unit', files: ['core/test/engine/riders.test.ts'] }];
const contract: Mutation['lanes'] = [{ project: 'chain', files: ['plugins/evm/test/contracts/coin.test.ts'] }];

/** Guards of coin that a fill takes along for the calls of its order. */
export const RIDER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'riders-are-bound-with-their-fill',
    guard: 'coin that a fill takes along is bound to the key of the fill, so that it is never paid apart',
    guarantees: ['G1'],
    file: 'core/src/engine/payouts/sign-legs.ts',
    find: 'if (rider === undefined) return [bound];',
    replace: 'if (rider === undefined || amount >= 0n) return [bound];',
    lanes,
  },
  {
    name: 'riders-make-nobody-share',
    guard: 'a fill that fails with its coin is alone: it is tried no second time',
    guarantees: ['G3'],
    file: 'core/src/engine/keys/close-key.ts',
    find: 'const shared = !spent.ok && movers(open.legs).length > 1;',
    replace: 'const shared = !spent.ok && open.legs.length > 1;',
    lanes,
  },
  {
    name: 'riders-end-first',
    guard: 'a deposit goes back as one where a fill and its coin end without effect',
    guarantees: ['G3'],
    file: 'core/src/domain/riders.ts',
    find: 'return own.length === legs.length ? legs : [...legs.filter((leg) => !own.includes(leg)), ...own];',
    replace: 'return own.length === legs.length ? legs : [...own, ...legs.filter((leg) => !own.includes(leg))];',
    lanes,
  },
  {
    name: 'riders-keep-no-key-open',
    guard: 'coin is never carried without its fill: once the order is late, their key is closed',
    guarantees: ['G1', 'G7'],
    file: 'core/src/domain/judge-key.ts',
    find: 'const moving = newest.legIds.filter((id) => !riders.some((leg) => leg.id === id));',
    replace: 'const moving = newest.legIds.filter((id) => riders.every((leg) => leg.id !== `no ${id}`));',
    lanes,
  },
  {
    name: 'riders-are-replaced-with-their-fill',
    guard: 'a replacement carries coin in the instruction of its fill, and not by itself',
    guarantees: ['G1'],
    file: 'core/src/engine/keys/replace.ts',
    find: 'const carried = movers(newest).filter((row) => !isExpired(row, time));',
    replace: 'const carried = newest.filter((row) => !isExpired(row, time));',
    lanes,
  },
  {
    name: 'riders-are-never-paid-after',
    guard: 'coin whose fill was made by what this ledger does not know is asked about, and never paid after it',
    guarantees: ['G1', 'G15'],
    file: 'core/src/engine/recovery/foreign-fills.ts',
    find: "if (request !== undefined && isInFill(request)) return 'hold';",
    replace: "if (request !== undefined && isInFill(request)) return 'none';",
    lanes,
  },
  {
    name: 'riders-hold-their-fill',
    guard: 'a fill whose coin left too little is given up, and its deposit goes back whole',
    guarantees: ['G3'],
    file: 'core/src/engine/payouts/judge-fill.ts',
    find: "if (coined === 'tooLittle') {",
    replace: "if (coined === 'tooLittle' && leg.amount < 0n) {",
    lanes,
  },
  {
    name: 'coin-is-filled-once',
    guard: 'the router fills coin that goes beside a token once, and never under the id of an order',
    guarantees: ['G1'],
    file: 'plugins/evm/contracts/FillRouter.sol',
    find: '_mark(to, coin.amount, deadline, coin.id);',
    replace: 'filled[coin.id] = true;',
    lanes: contract,
  },
  {
    name: 'coin-is-what-is-sent',
    guard: 'the router gives the calls of an order no other coin than what was sent along for them',
    guarantees: ['G1'],
    file: 'plugins/evm/contracts/FillRouter.sol',
    find: 'if (msg.value != coin.amount) revert WrongValue(coin.amount, msg.value);',
    replace: 'if (msg.value < coin.amount) revert WrongValue(coin.amount, msg.value);',
    lanes: contract,
  },
];
