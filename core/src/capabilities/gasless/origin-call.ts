import type { LegRow } from '../../contract/store-rows.js';
import { failureOf } from '../../domain/leg-failure.js';
import type { FailureEvidence } from '../../domain/transitions.js';
import type { LegRules } from '../../engine/base/context.js';
import { UNREAD } from '../../engine/base/leg-marks.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { closedReason } from '../../engine/keys/close-fill.js';
import { CALL } from './call.js';
import { failQuoted, requestOf, settleCall } from './end-call.js';
import { burntBy } from './record.js';

/**
 * A call for others that makes the deposit, or the own execution, of a quote.
 *
 * Invariants: as of other calls. The request is the quote's and follows its deposit, as if the user had sent it; the call
 * alone never makes it a success. It fails with the call only while no deposit was seen, and once what the call did was read.
 */
export const ORIGIN_CALL: LegRules = {
  ...CALL,
  onIncluded: (_context, unit, leg, spent) => noteFee(unit, leg, spent.fee),
  mayEnd: (context, { chainId }, height) =>
    /* guard: quoted-calls-end-with-the-deposit-in-view */ (context.read.get(chainId) ?? Number.NEGATIVE_INFINITY) >=
    height,
  onFinal: (context, unit, leg) => {
    settleCall(context, unit, leg, burntBy(requestOf(unit, leg)) ?? 0n);
    const evidence = { kind: 'keyClosed', key: leg.key ?? leg.id } as const;
    failQuoted(context, unit, leg, { reason: 'UNKNOWN', evidence, details: NO_DEPOSIT });
  },
  onUndone: (unit, leg) => {
    const request = requestOf(unit, leg);
    const { callFee: _, ...actual } = JSON.parse(request.actual ?? '{}') as Record<string, unknown>;
    const isEmpty = Object.keys(actual).length === 0;
    unit.update('requests', request.id, { actual: isEmpty ? null : JSON.stringify(actual) });
  },
  onUnread: (context, unit, leg) => {
    unit.update('legs', leg.id, { state: 'closed', reason: UNREAD });
    settleCall(context, unit, leg, 0n);
    failQuoted(context, unit, leg, { reason: 'UNKNOWN', evidence: { kind: 'nothingOwed', reason: UNREAD } });
  },
  onClosed: (context, unit, open, leg, reverted) => {
    const failure = reverted ? failureOf(leg, reverted, false) : undefined;
    const reason = reverted ? (failure?.reason ?? 'TRANSACTION_REVERTED') : closedReason(open);
    unit.update('legs', leg.id, { state: 'closed', reason });
    if (reverted) noteFee(unit, leg, reverted.fee);
    settleCall(context, unit, leg, reverted ? reverted.fee : 0n);
    const evidence: FailureEvidence = reverted
      ? { kind: 'revertedFinal', hash: reverted.hash }
      : { kind: 'keyClosed', key: open.key.key };
    failQuoted(context, unit, leg, { reason, evidence, details: failure?.message, call: failure?.call });
  },
};

const NO_DEPOSIT = 'the call was made, but it did not make the deposit of the quote';

function noteFee(unit: UnitOfWork, leg: LegRow, fee: bigint): void {
  const request = requestOf(unit, leg);
  const actual = { ...(JSON.parse(request.actual ?? '{}') as object), callFee: fee.toString() };
  unit.update('requests', request.id, { actual: JSON.stringify(actual) });
}
