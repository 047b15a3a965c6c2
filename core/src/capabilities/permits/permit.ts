import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { failureOf } from '../../domain/leg-failure.js';
import type { FailureEvidence } from '../../domain/transitions.js';
import type { EngineContext, LegRules } from '../../engine/base/context.js';
import { baseOf } from '../../engine/base/instruction.js';
import { UNREAD } from '../../engine/base/leg-marks.js';
import type { Refused } from '../../engine/base/leg-rules.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { failOrigin } from '../../engine/books/fail-origin.js';
import { closedReason } from '../../engine/keys/close-fill.js';
import { mayDeposit } from '../../engine/payouts/may-deposit.js';
import { asOwed, later, POLL_MS, waitOf } from '../../engine/payouts/turn.js';
import { DONE, sinceOfDrawn } from '../../engine/recovery/index.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { acceptedOf } from './promise.js';

type Spent = NonNullable<Parameters<LegRules['onClosed']>[4]>;

/**
 * Sends a deposit that its payer signed.
 *
 * Invariants: it ends the request only while no deposit was seen, because the deposit counts, with any sender. It is signed
 * under one key; the chain takes a permit once anyway, so a loss of data repeats nothing.
 *
 * Not guaranteed: that it is paid for. The quote's fee covers what lands; of what reverts, `work` bounds the gas and
 * `PermitBudget` the number.
 */
export const PERMIT: LegRules = {
  instruction: (_context, chain, leg) => ({ ...baseOf(leg), kind: 'call', useKey: chain.useKey(leg.id, 'permit') }),
  toSend: async (context, leg, whole, known) => {
    const request = known ?? (leg.requestId === null ? undefined : await context.store.request(leg.requestId));
    if (request === undefined || whole.kind !== 'call') throw new Error(`permit ${leg.id} has no request`);
    return { ...whole, data: acceptedOf(request).data };
  },

  lines: () => [],

  judge: (context, unit, { chain, leg, doubt, request }) => {
    const wait = waitOf(doubt);
    if (wait !== null) return later(context, unit, leg, wait);
    if (request !== undefined && request.fundingKey !== null) return end(context, unit, leg, 'paid');
    const isLate = leg.deadlineAt !== null && context.clock.now() > leg.deadlineAt;
    if (isLate) return end(context, unit, leg, 'SIGNATURE_EXPIRED', LATE);
    return mayDeposit(context, chain) ? asOwed(leg) : later(context, unit, leg, POLL_MS);
  },
  doubt: (_context, lost, { chainId }) => lost.waits([chainId]) ?? 'none',
  rivals: () => [],
  done: DONE,
  askOther: async () => undefined,
  isSpent: () => false,
  isTriedAgain: false,
  onRefused: (context, unit, leg, refused) => {
    end(context, unit, leg, reasonOf(refused.reason), refused.message, refused.failedCallData);
  },
  onBlocked: (context, unit, leg) => {
    end(context, unit, leg, 'BLOCKED_WALLET', 'a party of it is not served');
  },

  onIncluded: () => {},
  onUndone: () => {},
  /** The watcher sees what was deposited. */
  onUnread: (_context, unit, leg) => {
    unit.update('legs', leg.id, { state: 'closed', reason: UNREAD });
  },
  onClosed: (context, unit, open, leg, reverted) => {
    const failure = reverted ? failureOf(leg, reverted, false) : undefined;
    const reason = reverted ? reasonOf(failure?.reason ?? 'TRANSACTION_REVERTED') : closedReason(open);
    unit.update('legs', leg.id, { state: 'closed', reason });
    const details = failure?.message ?? 'its transaction was not included';
    failOrigin(context, unit, leg, { reason, details, evidence: evidenceOf(open, reverted), call: failure?.call });
  },

  since: async (_context, leg) => sinceOfDrawn(leg),
  isOurs: () => false,
  countedApart: () => 0n,
  onPaidElsewhere: () => {},
};

const LATE = 'it could not be sent before the permit or its quote expired';

/** Ends a leg that was never signed. */
function end(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  reason: FailReason | 'paid',
  details = '',
  call?: Refused['failedCallData'],
): null {
  unit.update('legs', leg.id, { state: 'void', reason });
  if (reason === 'paid') return null;
  failOrigin(context, unit, leg, { reason, details, evidence: { kind: 'nothingOwed', reason }, call });
  return null;
}

function evidenceOf({ key }: OpenKey, reverted: Spent | null): FailureEvidence {
  return reverted ? { kind: 'revertedFinal', hash: reverted.hash } : { kind: 'keyClosed', key: key.key };
}

/** Clients know one name for what the payer no longer holds. */
function reasonOf(reason: FailReason): FailReason {
  if (reason === 'TRANSFER_AMOUNT_EXCEEDS_BALANCE') return 'GASLESS_PERMIT_BALANCE_TOO_LOW';
  // The same error of a contract means the payer's token here.
  return reason === 'DESTINATION_TOKEN_TRANSFER_REJECTED' ? 'TRANSFER_FROM_FAILED' : reason;
}
