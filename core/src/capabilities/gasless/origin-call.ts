import { failureOf } from '../../domain/leg-failure.js';
import type { FailureEvidence } from '../../domain/transitions.js';
import type { LegRules } from '../../engine/base/context.js';
import { UNREAD } from '../../engine/base/leg-marks.js';
import { mayDeposit } from '../../engine/payouts/may-deposit.js';
import { CALL, endReason, judgeCall } from './call.js';
import { failQuoted, settleCall } from './end-call.js';

/**
 * A call for others that makes the deposit, or the own execution, of a quote.
 *
 * Invariants: as of other calls. The request is the quote's and follows its deposit, as if the user had sent it; the call
 * alone never makes it a success. It fails with the call only while no deposit was seen, and once what the call did was read.
 */
export const ORIGIN_CALL: LegRules = {
  ...CALL,
  judge: judgeCall((context, chain) => !mayDeposit(context, chain)),
  onIncluded: () => {},
  mayEnd: (context, { chainId }, height) =>
    /* guard: quoted-calls-end-with-the-deposit-in-view */ (context.read.get(chainId) ?? Number.NEGATIVE_INFINITY) >=
    height,
  onFinal: (context, unit, leg, spent) => {
    settleCall(context, unit, leg, spent.fee);
    const evidence = { kind: 'keyClosed', key: leg.key ?? leg.id } as const;
    failQuoted(context, unit, leg, { reason: 'UNKNOWN', evidence, details: NO_DEPOSIT });
  },
  onUndone: () => {},
  onUnread: (context, unit, leg) => {
    unit.update('legs', leg.id, { state: 'closed', reason: UNREAD });
    settleCall(context, unit, leg, 0n);
    failQuoted(context, unit, leg, { reason: 'UNKNOWN', evidence: { kind: 'nothingOwed', reason: UNREAD } });
  },
  onClosed: (context, unit, open, leg, reverted, inDoubt) => {
    const failure = reverted ? failureOf(leg, reverted, false) : undefined;
    const reason = endReason(open, reverted, failure?.reason, inDoubt);
    unit.update('legs', leg.id, { state: 'closed', reason });
    settleCall(context, unit, leg, reverted ? reverted.fee : 0n);
    const evidence: FailureEvidence = reverted
      ? { kind: 'revertedFinal', hash: reverted.hash }
      : { kind: 'keyClosed', key: open.key.key };
    failQuoted(context, unit, leg, { reason, evidence, details: failure?.message, call: failure?.call });
  },
};

const NO_DEPOSIT = 'the call was made, but it did not make the deposit of the quote';
