import type { Lane, Mutation } from './mutation.js';

const ENGINE: Lane = { project: 'unit', files: ['core/test/engine/short-forms.test.ts'] };
const QUOTING: Lane = { project: 'unit', files: ['core/test/quoting/short-forms.test.ts'] };
const STORES: Lane = { project: 'unit', files: ['core/test/store/conformance.test.ts'] };

/** Guards of orders that deposits name by the first bytes of their ids. */
export const SHORT_FORM_MUTATIONS: readonly Mutation[] = [
  {
    name: 'form-of-two-orders',
    guard: 'a transfer that carries what two orders have is of neither',
    guarantees: ['G1', 'G2', 'G3'],
    file: 'core/src/engine/deposits/short-forms.ts',
    find: 'if (others.length === 0) return',
    replace: 'if (others.length < 9) return',
    lanes: [ENGINE],
  },
  {
    name: 'form-as-recorded',
    guard: 'what a transfer was found to be of is what it is of, whatever orders come later',
    guarantees: ['G1', 'G2', 'G3'],
    file: 'core/src/engine/deposits/ingest.ts',
    find: 'const observations = asRecorded(context, part.observations, known);',
    replace: 'const { observations } = part;',
    lanes: [ENGINE],
  },
  {
    name: 'form-is-no-order',
    guard: 'what no order has is no name: transfers that carry it are not of one request',
    guarantees: ['G2', 'G3'],
    file: 'core/src/engine/deposits/match-orders.ts',
    find: 'seen.orderId === null || isUnresolved(context, seen) ?',
    replace: 'seen.orderId === null ?',
    lanes: [ENGINE],
  },
  {
    name: 'form-of-a-lost-order',
    guard:
      'a deposit of an order that the ledger lost and that was filled is not paid back, though it carries no more than a form',
    guarantees: ['G3', 'G15'],
    file: 'core/src/engine/recovery/foreign-fills.ts',
    find: 'for (const key of [filledKey(orderId), filledKey(leastForm(orderId))])',
    replace: 'for (const key of [filledKey(orderId)])',
    lanes: [ENGINE],
  },
  {
    name: 'form-of-nobodys-request',
    guard: 'a request that whoever pays began under an id of his choice is no order: it takes no deposit of another',
    guarantees: ['G1', 'G2'],
    file: 'core/src/store/reads/orders-by-prefix.ts',
    find: "['quotes', 'tombstones']",
    replace: "['quotes', 'tombstones', 'requests']",
    lanes: [STORES, ENGINE],
  },
  {
    name: 'form-of-what-was-shrunk',
    guard: 'an order is found by its form when its quote is gone',
    guarantees: ['G2'],
    file: 'core/src/store/memory/memory-reads.ts',
    find: '[...tables.quotes.rows(), ...tables.tombstones.rows()]',
    replace: '[...tables.quotes.rows()]',
    lanes: [STORES],
  },
  {
    name: 'form-is-told-apart',
    guard: 'no order is promised whose form another one has',
    guarantees: ['G2'],
    file: 'core/src/quoting/short-forms.ts',
    find: 'if ((await store.ordersByPrefix([form])).length === 0) return facts;',
    replace: 'if ((await store.ordersByPrefix([form])).length < 9) return facts;',
    lanes: [QUOTING],
  },
  {
    name: 'form-is-witnessed',
    guard: 'other providers are asked about what a transfer carries, and not about what it was found to be',
    guarantees: ['G8'],
    file: 'core/src/engine/deposits/witness.ts',
    find: 'orderId: orderId === null ? null : asCarried(context, row.chainId, orderId),',
    replace: 'orderId,',
    lanes: [ENGINE],
  },
];
