import { mayBeJoined } from '../../capabilities/deposit-addresses/join-held.js';
import type { DepositRow, HoldRow, LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { loadDoubts } from '../recovery/index.js';
import { isClaimable, messageOf, type ProvingChain, provingChain, recipientOn } from './claimable.js';
import { refused } from './operator.js';
import type { ClaimOutcome } from './outcomes.js';
import { endHold, oweAgain, progressOf, readHeld } from './pay-out-hold.js';

interface Asked {
  readonly id: string;
  readonly to: string;
  readonly signature: string;
}

interface Claim {
  readonly hold: HoldRow;
  readonly leg: LegRow;
  readonly deposit: DepositRow;
  readonly chain: ProvingChain;
  readonly recipient: string;
}

type Examined = { readonly ok: true; readonly claim: Claim } | { readonly ok: false; readonly outcome: ClaimOutcome };

/**
 * Invariants (G3): a hold is paid by its own leg under that leg's once-only use. A signature, unlike an operator, does
 * not override doubts after a restore. It is verified first, so third parties cannot cause chain queries.
 */
export async function claimHold(
  context: WorkContext,
  id: string,
  to: string,
  signature: string,
): Promise<ClaimOutcome> {
  const asked = { id, to, signature };
  const first = await examine(context, new UnitOfWork(), asked);
  if (!first.ok) return first.outcome;
  const own = await isDepositorsMoney(context, first.claim);
  if (own === 'unknown') {
    const message = 'the chain could not be queried for the owner of the funds: try again';
    return { ok: false, code: 'unavailable', message };
  }
  if (own === 'no') {
    const message =
      'the chain does not prove that all of it was the money of its depositor: only an operator may release it';
    return refused('notSafe', message);
  }
  return decideAndCommit(context, 'engine.claim', async () => {
    const unit = new UnitOfWork();
    // Read again after the slow checks: a concurrent release or new doubt takes precedence.
    const now = await examine(context, unit, asked);
    return { work: unit, result: now.ok ? owe(context, unit, now.claim) : now.outcome };
  });
}

async function examine(context: WorkContext, unit: UnitOfWork, { id, to, signature }: Asked): Promise<Examined> {
  const hold = await context.store.hold(id);
  if (!hold) return { ok: false, outcome: refused('notFound', `there is no hold ${id}`) };
  const { leg, deposit } = await readHeld(context, unit, hold);
  const request = unit.get('requests', hold.requestId);
  const chain = provingChain(context, hold);
  const isRefunded = hold.state === 'released' && leg !== undefined && factsOf(leg).replacesFill;
  if (!chain || !leg || !deposit || !request || (!isRefunded && !isClaimable(context, { hold, leg, deposit, request })))
    return { ok: false, outcome: refused('notApplicable', 'only an operator may release this hold') };
  const parsed = await recipientOn(context, chain, to);
  if (!parsed.ok) return { ok: false, outcome: refused('invalid', parsed.reason) };
  const recipient = parsed.value;
  // guard: claims-are-signed
  if (chain.capabilities.verifyMessage?.(deposit.depositor, messageOf(context, hold, recipient), signature) !== true) {
    const message = `it is not what ${deposit.depositor} signs for this hold and recipient`;
    return { ok: false, outcome: { ok: false, code: 'notSigned', message } };
  }
  if (isRefunded) return { ok: false, outcome: reported(leg, recipient, hold) };
  // guard: claims-after-restore
  const isDoubted = (await loadDoubts(context, [leg])).about(leg, request, deposit) === 'hold';
  if (isDoubted || (await mayBeJoined(context, leg, deposit))) {
    const message =
      'it may have been paid, or its order filled, by something that this ledger does not know: only an operator may release it';
    return { ok: false, outcome: refused('notSafe', message) };
  }
  return { ok: true, claim: { hold, leg, deposit, chain, recipient } };
}

/** Never confirms one recipient while another is paid. */
function reported(leg: LegRow, recipient: string, { requestId }: HoldRow): ClaimOutcome {
  if (leg.recipient !== recipient) return refused('notApplicable', `it was released before, to ${leg.recipient}`);
  return { ...progressOf(leg), requestId };
}

async function isDepositorsMoney(context: WorkContext, { chain, deposit }: Claim): Promise<'yes' | 'no' | 'unknown'> {
  const { transactionHash, depositor, chainId } = deposit;
  try {
    return (await chain.isDepositorsMoney({ transactionHash, depositor })) === true ? 'yes' : 'no';
  } catch (error) {
    context.log.warn({ chainId, transactionHash, err: error }, 'a chain did not show whose money a transfer moved');
    return 'unknown';
  }
}

function owe(context: WorkContext, unit: UnitOfWork, { hold, leg, deposit, recipient }: Claim): ClaimOutcome {
  const { requestId, amount } = hold;
  // The withheld gas becomes collectable by payment.
  unit.update('deposits', deposit.fundingKey, { collectable: null });
  // What the request says of the order must not change unseen.
  unit.touch('requests', requestId);
  endHold(context, unit, hold, leg);
  oweAgain(unit, leg, recipient);
  unit.update('legs', leg.id, { releasedBy: 'depositor', dueAt: context.clock.now() });
  context.log.warn({ hold: hold.id, leg: leg.id, recipient }, 'a depositor claimed a hold');
  const message = `${amount} less the network fee is owed to ${recipient}`;
  return { ok: true, state: 'owed', message, legId: leg.id, requestId };
}
