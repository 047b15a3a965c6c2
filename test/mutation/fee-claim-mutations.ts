import type { Mutation } from './mutation.js';

const lanes: Mutation['lanes'] = [{ project: 'unit', files: ['core/test/engine/fee-claims.test.ts'] }];

/** Guards of app fees that are claimed. */
export const FEE_CLAIM_MUTATIONS: readonly Mutation[] = [
  {
    name: 'fee-claims-are-signed',
    guard: 'app fees are paid out to nobody without the signature of their wallet',
    guarantees: ['G3'],
    file: 'core/src/engine/app-fees/claim-fees.ts',
    find: 'if (!named.isSigned(claimId, signature))',
    replace: 'if (signature === undefined)',
    lanes,
  },
  {
    name: 'fee-claims-leave-the-balance',
    guard: 'what is claimed is owed no more, so that it is not claimed twice',
    guarantees: ['G3'],
    file: 'core/src/engine/app-fees/claim-fees.ts',
    find: 'unit.post(claimPosting(meta, { chainId, wallet, currency, amount }));',
    replace: 'void claimPosting(meta, { chainId, wallet, currency, amount });',
    lanes,
  },
  {
    name: 'fee-claims-reserve-inventory',
    guard: 'a claim is taken only where the lane can pay it beside all that it promised',
    guarantees: ['G12'],
    file: 'core/src/engine/app-fees/claim-fees.ts',
    find: 'return budget.reserve(unit, leg);',
    replace: 'return budget.reserve(unit, leg) || true;',
    lanes,
  },
  {
    name: 'fee-claims-wait-for-finality',
    guard: 'what a fill earned that may still be undone cannot be claimed',
    guarantees: ['G8'],
    file: 'core/src/engine/app-fees/claimable.ts',
    find: 'sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount));',
    replace: 'sums.set(name, 0n * BigInt(amount));',
    lanes,
  },
  {
    name: 'fee-claims-are-counted',
    guard: 'a claim that the ledger lost is paid under the id that it is counted by again',
    guarantees: ['G15'],
    file: 'core/src/engine/kinds/claim.ts',
    find: 'return paid ? DONE : undefined;',
    replace: 'return paid && leg.createdAt < 0 ? DONE : undefined;',
    lanes,
  },
  {
    name: 'fee-claims-in-doubt-are-held',
    guard: 'a ledger that lost a part of itself gives no claim up that it may have paid',
    guarantees: ['G15'],
    file: 'core/src/engine/kinds/claim.ts',
    find: 'if (spent || leg.reason === MAYBE_PAID) holdClaim(',
    replace: 'if (spent) holdClaim(',
    lanes,
  },
  {
    name: 'fee-claims-bear-their-reverts',
    guard: 'a recipient that makes its payout fail pays for that out of its own app fees',
    guarantees: ['G12'],
    file: 'core/src/engine/payouts/give-up-claim.ts',
    find: 'return cost < covers ? cost : covers;',
    replace: 'return cost * 0n < covers ? 0n : covers;',
    lanes,
  },
  {
    name: 'fee-claims-bear-each-try',
    guard: 'a payout that keeps failing is tried no more often than its app fees pay for',
    guarantees: ['G12'],
    file: 'core/src/engine/kinds/claim.ts',
    find: 'if (!isWornOut(leg) && bearsAnotherTry(context, leg, currency))',
    replace: 'if (!isWornOut(leg) && (bearsAnotherTry(context, leg, currency) || leg.reverts < 3))',
    lanes,
  },
];
