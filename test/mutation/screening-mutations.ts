import type { Mutation } from './mutation.js';

const unit = (...files: readonly string[]): Mutation['lanes'] => [{ project: 'unit', files }];
const legs = unit('core/test/engine/screening.test.ts');
const quotes = unit('core/test/quoting/screened.test.ts');
const screeners = unit('core/test/screening/screening.test.ts');

/** Guards against paying, or taking from, somebody whom a screener blocks. */
export const SCREENING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'quotes-are-screened',
    guard: 'nothing is promised to somebody who is blocked, nor while that is not known',
    guarantees: ['G2'],
    file: 'core/src/quoting/quoter.ts',
    find: 'if (blocked) return blocked;',
    replace: 'void blocked;',
    lanes: quotes,
  },
  {
    name: 'silence-clears-no-quote',
    guard: 'a screener that does not answer clears nobody who asks for a quote',
    guarantees: ['G2'],
    file: 'core/src/quoting/screened.ts',
    find: "if (screened?.state === 'clear') return undefined;",
    replace: "if (screened?.state !== 'blocked') return undefined;",
    lanes: quotes,
  },
  {
    name: 'legs-are-screened',
    guard: 'nothing is signed for a leg with a blocked party, nor while that is not known',
    guarantees: ['G2'],
    file: 'core/src/engine/payouts/screen-legs.ts',
    find: "states.get(one) !== 'clear');",
    replace: "states.get(one) === 'no');",
    lanes: legs,
  },
  {
    name: 'silence-holds-nothing',
    guard: 'a screener that does not answer makes nobody give a fill up',
    guarantees: ['G2'],
    file: 'core/src/engine/payouts/screen-legs.ts',
    find: "states.get(one) === 'blocked');",
    replace: "states.get(one) !== 'clear');",
    lanes: legs,
  },
  {
    name: 'depositors-are-screened',
    guard: 'what a blocked depositor sent is held whatever the user of its order is called',
    guarantees: ['G2'],
    file: 'core/src/engine/payouts/parties.ts',
    find: 'if (deposit) parties.push(',
    replace: 'if (deposit && request === undefined) parties.push(',
    lanes: legs,
  },
  {
    name: 'recipients-hold-paybacks',
    guard: 'what was paid in for a blocked recipient is held, and not paid back by itself',
    guarantees: ['G2'],
    file: 'core/src/engine/payouts/parties.ts',
    find: 'if (paysBack) parties.push(',
    replace: 'if (!paysBack) parties.push(',
    lanes: legs,
  },
  {
    name: 'blocked-holds-want-a-name',
    guard: 'what was held for a blocked party is released to nobody whom an operator did not name',
    guarantees: ['G3'],
    file: 'core/src/engine/operator/release-hold.ts',
    find: 'if (held.reason === BLOCKED && !parsed)',
    replace: "if (held.reason === BLOCKED && !parsed && to === 'nobody')",
    lanes: legs,
  },
  {
    name: 'one-word-blocks',
    guard: 'a party is blocked where one of several screeners says so',
    guarantees: ['G2'],
    file: 'core/src/screening/screening.ts',
    find: "answers.find(({ state }) => state === 'blocked') ??",
    replace: 'answers.find((one) => one === CLEAR) ??',
    lanes: screeners,
  },
  {
    name: 'nonsense-clears-nobody',
    guard: 'an answer with another number of verdicts says nothing',
    guarantees: ['G2'],
    file: 'core/src/screening/screening.ts',
    find: 'if (!Array.isArray(verdicts) || verdicts.length !== parties.length)',
    replace: 'if (!Array.isArray(verdicts))',
    lanes: screeners,
  },
  {
    name: 'quotes-leave-payments-screened',
    guard: 'questions about quotes that a screener never answers keep no payment from being screened',
    guarantees: ['G2'],
    file: 'core/src/screening/screening.ts',
    find: 'this.#open[about] += 1;',
    replace: 'this.#open.quotes += 1;\n    this.#open.payments += 1;',
    lanes: screeners,
  },
  {
    name: 'broken-lists-clear-nobody',
    guard: 'a list that cannot be read leaves no older one in force',
    guarantees: ['G2'],
    file: 'plugins/screening-list/src/list-file.ts',
    find: 'this.#loaded = await this.#loading;',
    replace:
      'this.#loaded = await this.#loading.catch(() => this.#loaded);\n      if (tries > 1) return this.#loaded.list;',
    lanes: [{ project: 'chain', files: ['plugins/screening-list/test/list.test.ts'] }],
  },
];
