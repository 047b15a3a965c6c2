import { mayBeJoined } from '../../capabilities/deposit-addresses/join-held.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositRow, HoldRow, LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { endsRequest, factsOf } from '../../domain/leg-facts.js';
import { chainNow, decideAndCommit, type WorkContext } from '../base/context.js';
import { BLOCKED, NO_REFUND_ADDRESS, UNREAD } from '../base/leg-marks.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { CHANGED, changeAlert } from '../deposits/changed-deposit.js';
import { apartAlert, STRAY, UNREADABLE } from '../deposits/named-apart.js';
import { POISON } from '../deposits/poison-deposits.js';
import { owesRefund } from '../deposits/settle-deposit.js';
import { owesTopUpBack } from '../payouts/give-up-top-up.js';
import { payerOf, wantsProof } from '../payouts/proof-of-payer.js';
import { refused } from './operator.js';
import type { OperatorOutcome } from './outcomes.js';
import { endHold, type Held, oweAgain, progressOf, readHeld } from './pay-out-hold.js';

/**
 * Invariant (G3): only by the leg of its deposit, under its once-only use; a top-up by its own leg until its
 * deadline, then by the excess leg. Repeated releases pay once.
 *
 * @param unpaid for a hold that is in no book, which only leaves the list.
 */
export async function releaseHold(
  context: WorkContext,
  id: string,
  to?: string,
  unpaid = false,
): Promise<OperatorOutcome> {
  return decideAndCommit(context, 'engine.operator.release', async () => {
    const unit = new UnitOfWork();
    const hold = await context.store.hold(id);
    if (!hold) return { work: unit, result: refused('notFound', `there is no hold ${id}`) };
    if (hold.reason === POISON) return { work: unit, result: refused('notApplicable', ON_HOLD) };
    if (isInNoBook(hold)) return tick(context, hold, to === undefined && unpaid);
    if (unpaid) return { work: unit, result: refused('notApplicable', IN_A_BOOK) };
    const held = await readHeld(context, unit, hold);
    // guard: joined-needs-recipient
    if (to === undefined && hold.state === 'open' && (await mayHaveBeenJoined(context, held)))
      return { work: new UnitOfWork(), result: refused('notSafe', JOINED) };
    const result = release(context, unit, held, to);
    return { work: result.ok && result.state === 'owed' ? unit : new UnitOfWork(), result };
  });
}

const JOINED =
  'a part of the ledger that was lost may have paid it together with a later transfer: see on the chain, and name a recipient, be it the same';

async function mayHaveBeenJoined(context: WorkContext, { leg, deposit }: Held): Promise<boolean> {
  return leg !== undefined && deposit !== undefined && mayBeJoined(context, leg, deposit);
}

function release(
  context: WorkContext,
  unit: UnitOfWork,
  { hold, leg: held, deposit }: Held,
  to: string | undefined,
): OperatorOutcome {
  const isTopUp = held !== undefined && factsOf(held).paidWithFill;
  // A top-up is paid on its own chain until its deadline; everything else on the deposit's.
  const isLate = isTopUp && held.deadlineAt !== null && chainNow(context, held.chainId) > held.deadlineAt;
  const chainId = isTopUp && !isLate ? held.chainId : hold.chainId;
  const chain = context.chains.get(chainId);
  if (!chain) return refused('notApplicable', `chain ${chainId} is not configured: nothing can be paid there`);
  const parsed = to === undefined ? undefined : chain.parseAddress(to);
  if (parsed && !parsed.ok)
    return refused('invalid', `${to} is no address of ${chain.facts.displayName}: ${parsed.reason}`);
  if (!held || !deposit) return refused('notApplicable', 'the movement of this hold is not known here');
  const { delivers } = factsOf(held);
  const paying = delivers ? unit.get('legs', legId.refund(hold.fundingKey)) : held;
  if (hold.state === 'released') {
    const wentBack = isTopUp && (held.state === 'void' || held.state === 'closed');
    return progressOf(wentBack ? unit.get('legs', legId.excess(hold.fundingKey)) : paying);
  }
  const filled = delivers || unit.get('requests', hold.requestId)?.failReason === 'ORDER_ALREADY_FILLED';
  if (filled && endsRequest(held) && !parsed) {
    return refused(
      'notSafe',
      'its order was filled, so refunding its deposit would be a second payment: name a recipient if it must be paid',
    );
  }
  if ((held.reason === UNREAD || isTopUp) && !parsed) {
    const where = isLate ? ` on ${chain.facts.displayName}, where its part of the deposit goes back` : '';
    return refused(
      'notSafe',
      `its transaction may have paid: find its recipient on the chain, and name a recipient${where} only if it paid no one`,
    );
  }
  // guard: blocked-needs-recipient
  if (held.reason === BLOCKED && !parsed)
    return refused('notSafe', 'a screener blocks a party to it: name the recipient to pay, even if it is the same');
  // guard: unnamed-needs-recipient
  if (held.reason === NO_REFUND_ADDRESS && !parsed)
    return refused('notSafe', 'its client named no refund address: find out who paid, and name a recipient');
  // guard: unproven-needs-recipient
  if (!parsed && wantsRecipient(context, chain, unit, held, deposit)) {
    return refused(
      'notSafe',
      `nothing proves that ${held.recipient} owns it: find out who paid, and name a recipient, even if it is the same`,
    );
  }
  if (delivers && paying && paying.state !== 'void')
    return refused('notSafe', `a refund of the same deposit is ${paying.state}`);
  const recipient = parsed?.value ?? held.recipient;
  const back = isLate ? owesTopUpBack(context, unit, held, deposit, recipient) : undefined;
  if (isLate && !back) {
    return refused(
      'notApplicable',
      "its deadline has passed, and the deposit's only excess leg is used already: pay it by hand",
    );
  }
  endHold(context, unit, hold, held);
  const leg = delivers
    ? owesRefund(context, unit, deposit, recipient, hold.amount, 'MANUAL_ADMIN_REFUND')
    : (back ?? oweAgain(unit, held, recipient));
  // A held deposit was final; only a held fill may be older than that.
  unit.update('legs', leg.id, { releasedBy: 'operator', dueAt: context.clock.now() });
  context.log.warn({ hold: hold.id, leg: leg.id, recipient }, 'an operator released a hold');
  return { ok: true, state: 'owed', message: `${hold.amount} is owed to ${recipient}`, legId: leg.id };
}

/** Whether the payer is unproven, even if the leg was held for another reason first. */
function wantsRecipient(
  context: WorkContext,
  chain: ChainAdapter,
  unit: UnitOfWork,
  held: LegRow,
  deposit: DepositRow,
): boolean {
  const request = held.requestId === null ? undefined : unit.get('requests', held.requestId);
  return wantsProof(held) || payerOf(context, chain, held, request, deposit) !== 'named';
}

const ON_HOLD =
  'it is recorded as a deposit by itself, once that goes: it is tried every ten minutes, and the log says what is in the way';

/** Notices without a posting. */
const OF_NO_BOOK: ReadonlySet<string> = new Set([STRAY, UNREADABLE, CHANGED]);

/** Its release pays nothing. */
export const isInNoBook = ({ reason }: Pick<HoldRow, 'reason'>): boolean => OF_NO_BOOK.has(reason);

const NOTHING_TO_PAY =
  'it is in no book, so its release pays no one: see to its transaction by hand, then have it leave the list unpaid (`--unpaid`, without a recipient)';
const IN_A_BOOK = 'it is in the books and is paid when released: only a hold that is in no book leaves the list unpaid';

async function tick(
  context: WorkContext,
  hold: HoldRow,
  isUnderstood: boolean,
): Promise<{ readonly work: UnitOfWork; readonly result: OperatorOutcome }> {
  const unit = new UnitOfWork();
  // guard: unpaid-is-understood
  if (hold.state === 'open' && !isUnderstood) return { work: unit, result: refused('notSafe', NOTHING_TO_PAY) };
  const message = 'removed from the list: it is in no book, and nothing was paid';
  if (hold.state === 'open') {
    unit.load('holds', hold);
    unit.update('holds', hold.id, { state: 'released' });
    const like = (await context.store.holds('open')).filter(
      (row) => row.chainId === hold.chainId && row.reason === hold.reason,
    );
    if (hold.reason === CHANGED) context.alerts.clear(changeAlert(hold));
    else if (like.length <= 1) context.alerts.clear(apartAlert(hold.chainId, hold.reason));
  }
  return { work: unit, result: { ok: true, state: 'alreadyDone', message } };
}
