import type { Lane, Mutation } from './mutation.js';

const KEPT: Lane = { project: 'chain', files: ['plugins/evm/test/kept-parts.test.ts'] };
const FITNESS: Lane = { project: 'chain', files: ['plugins/evm/test/fitness.test.ts'] };
const FILLABLE: Lane = { project: 'unit', files: ['core/test/api/quote-fillable.test.ts'] };
const SHORT: Lane = { project: 'unit', files: ['core/test/engine/short-fills.test.ts'] };
const LIMITS: Lane = { project: 'unit', files: ['core/test/engine/inventory.test.ts'] };
const RPC: Lane = { project: 'unit', files: ['core/test/rpc/http-client.test.ts'] };

/** Guards of what is promised: nothing is quoted that cannot be kept, and nobody waits for what cannot come. */
export const PROMISE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'kept-part-is-sent-on-top',
    guard: 'payers are asked for what a token keeps of their deposit',
    guarantees: ['G2'],
    file: 'plugins/evm/src/deposits.ts',
    find: 'const amount = kept.sentFor(currency, input.amount);',
    replace: 'const amount = kept.sentFor(orderId, input.amount);',
    lanes: [KEPT],
  },
  {
    name: 'kept-part-is-not-paid-out',
    guard: 'no quote pays out in a token that never delivers the whole',
    guarantees: ['G2'],
    file: 'plugins/evm/src/evm-adapter.ts',
    find: 'if (this.#kept.of(currency) === 0) return undefined;',
    replace: 'if (this.#kept.of(currency) <= 10_000) return undefined;',
    lanes: [KEPT],
  },
  {
    name: 'unfit-contracts-end-the-start',
    guard: 'a chain whose contracts do not know our keys promises nothing',
    guarantees: ['G2'],
    file: 'plugins/evm/src/fitness.ts',
    find: 'const fatal = findings.find((finding) => finding.fatal);',
    replace: 'const fatal = findings.find((finding) => finding.fatal && finding.failing);',
    lanes: [FITNESS],
  },
  {
    name: 'unfillable-is-not-quoted',
    guard: 'what the destination could never be made to pay is refused before the promise',
    guarantees: ['G2'],
    file: 'core/src/quoting/fillable.ts',
    find: 'const refusal = chain.refuseFill?.(wish);',
    replace: 'const refusal = ask.preview ? chain.refuseFill?.(wish) : undefined;',
    lanes: [FILLABLE],
  },
  {
    name: 'short-is-given-up',
    guard: 'a fill whose inventory cannot come is paid back long before its deadline',
    guarantees: ['G2'],
    file: 'core/src/engine/payouts/judge-fill.ts',
    find: 'return means.reach(leg) < leg.amount;',
    replace: 'return means.reach(leg) < 0n;',
    lanes: [SHORT],
  },
  {
    name: 'short-waits-for-what-comes',
    guard: 'what is still to be collected is waited for',
    guarantees: ['G2'],
    file: 'core/src/engine/payouts/triage.ts',
    find: 'reach: (leg) => (budget?.meansOf(leg) ?? 0n) + (toCollect.get(account.depository(leg.chainId, leg.currency)) ?? 0n),',
    replace: 'reach: (leg) => budget?.meansOf(leg) ?? 0n,',
    lanes: [SHORT],
  },
  {
    name: 'waiting-deposits-count',
    guard: 'quotes see what deposits that are not decided yet will claim',
    guarantees: ['G12'],
    file: 'core/src/engine/books/inventory.ts',
    find: 'const left = total - this.#waiting.of(chainId, currency);',
    replace: 'const left = total - this.#waiting.of(chainId, "");',
    lanes: [LIMITS],
  },
  {
    name: 'full-disk-takes-no-quotes',
    guard: 'what is left of the disk is for what was promised before',
    guarantees: ['G2'],
    file: 'core/src/engine/books/free-space.ts',
    find: 'this.#short = free < floor;',
    replace: 'this.#short = free < 0n;',
    lanes: [{ project: 'unit', files: ['core/test/engine/free-space.test.ts'] }],
  },
  {
    name: 'anonymous-budget',
    guard: 'callers without a key cannot fill the disk with quotes',
    guarantees: ['G2'],
    file: 'core/src/quoting/anonymous-quotes.ts',
    find: 'if (this.#kept < most) return undefined;',
    replace: 'if (this.#kept < most * 1_000) return undefined;',
    lanes: [{ project: 'unit', files: ['core/test/api/anonymous-quotes.test.ts'] }],
  },
  {
    name: 'answers-are-bounded',
    guard: 'a provider cannot fill the memory with one answer',
    guarantees: ['G13'],
    file: 'core/src/rpc/post.ts',
    find: 'if (size > limits.mostBytes) fail(',
    replace: 'if (size > limits.mostBytes * 1_000_000) fail(',
    lanes: [RPC],
  },
];
