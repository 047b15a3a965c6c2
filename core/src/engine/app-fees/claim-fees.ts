import type { Hex, OrderId } from '../../contract/ids.js';
import { counter } from '../../domain/accounts.js';
import { claimLegId, feeClaimId, payoutId } from '../../domain/fee-claim.js';
import { claimPosting } from '../../domain/postings.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { FRESH } from '../base/leg-marks.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { Budget } from '../books/budget.js';
import { claimableFees } from './claimable.js';
import { type Drafted, draft, nameClaim, refuse, refuseWhileClaiming } from './offer.js';
import type { FeeClaimAsk, FeeClaimOutcome } from './outcomes.js';

/**
 * Owes the payout of app fees for which their wallet signed.
 *
 * Invariants: the wallet's balance, claim, leg and inventory change in one change set. The leg id contains the
 * claim's number: of two concurrent claims one is refused. Ids have no gaps, so a ledger that lost claims meets each
 * id in turn (G15).
 */
export async function claimFees(
  context: WorkContext,
  ask: FeeClaimAsk,
  claimId: Hex,
  signature: string,
): Promise<FeeClaimOutcome> {
  return decideAndCommit<FeeClaimOutcome>(context, 'engine.claimFees', async () => {
    const unit = new UnitOfWork();
    const end = (result: FeeClaimOutcome) => ({ work: new UnitOfWork(), result });
    const known = await context.store.feeClaim(claimId);
    if (known) return end({ ok: true, state: 'acceptedBefore', claimId });
    const named = await nameClaim(context, ask);
    if (!named.ok) return end(named);
    const { account, before, recipient } = named;
    const overtaken = 'is not of this claim, or other claims came first: ask for it again';
    const { amount } = ask;
    if (amount === null || feeClaimId({ ...account, before, recipient, amount }) !== claimId)
      return end(refuse('stale', 'requestId', overtaken));
    // Before any slow step: third parties can cause next to no work.
    // guard: fee-claims-are-signed
    if (!named.isSigned(claimId, signature))
      return end(refuse('notSigned', 'signature', `is not what ${account.wallet} signs for this claim`));
    const waits = await refuseWhileClaiming(context, named);
    // guard: fee-claims-in-turn
    if (waits) return end(waits);
    const drafted = draft(context, named, amount, await claimableFees(context, account));
    if (!drafted.ok) return end(drafted);
    const budget = await Budget.load(context);
    // Only a claim under way changes the count, and the previous one is over.
    const paid = await context.store.pot(counter.paidClaims(account.chainId, account.wallet, account.currency));
    if (!owe(context, unit, budget, drafted, payoutId(account, paid))) {
      const what = 'the solver holds too little of the currency there now: ask again later';
      return end(refuse('short', 'amount', what));
    }
    return { work: unit, result: { ok: true, state: 'accepted', claimId } };
  }).then((outcome) => {
    if (outcome.ok && outcome.state === 'accepted') {
      context.log.info({ claimId, chainId: ask.chainId }, 'app fees were claimed');
      context.wake(ask.chainId);
    }
    return outcome;
  });
}

function owe(
  context: WorkContext,
  unit: UnitOfWork,
  budget: Budget,
  { claim, offer, work }: Drafted,
  orderId: OrderId,
): boolean {
  const { chainId, wallet, currency, recipient, amount } = claim;
  const now = context.clock.now();
  const legId = claimLegId(claim);
  const leg = unit.insert('legs', {
    id: legId,
    version: 1,
    requestId: null,
    fundingKey: null,
    kind: 'claim',
    state: 'owed',
    chainId,
    signer: laneFor(context, chainId, 'fill'),
    currency,
    amount: amount - offer.fee,
    covers: amount,
    recipient,
    orderId,
    deadlineAt: null,
    key: null,
    reason: null,
    dueAt: now,
    includedAt: null,
    claimedAt: null,
    work,
    spent: 0n,
    ...FRESH,
    joined: null,
    createdAt: now,
  });
  unit.insert('feeClaims', {
    id: offer.claimId,
    legId,
    wallet,
    chainId,
    currency,
    amount,
    recipient,
    createdAt: now,
  });
  const meta = { groupId: legId, requestId: null, legId, createdAt: now };
  // guard: fee-claims-leave-balance
  unit.post(claimPosting(meta, { chainId, wallet, currency, amount }));
  unit.count({ account: counter.claims(chainId, wallet, currency), by: 1n });
  return budget.reserve(unit, leg);
}
