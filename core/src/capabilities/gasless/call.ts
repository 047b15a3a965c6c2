import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { failureOf } from '../../domain/leg-failure.js';
import { isDelivered } from '../../domain/request-status.js';
import type { EngineContext, LegRules, WorkContext } from '../../engine/base/context.js';
import { baseOf } from '../../engine/base/instruction.js';
import { UNREAD } from '../../engine/base/leg-marks.js';
import type { Refused } from '../../engine/base/leg-rules.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { confirmFill } from '../../engine/books/inclusion.js';
import { moveRequest } from '../../engine/books/requests.js';
import { noteOnChain } from '../../engine/books/settled-leg.js';
import { closedReason, neverLanded } from '../../engine/keys/close-fill.js';
import { isShut } from '../../engine/payouts/judge-payback.js';
import { asOwed, later, POLL_MS, waitOf } from '../../engine/payouts/turn.js';
import { DONE, sinceOfDrawn } from '../../engine/recovery/index.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { callOf } from './call-body.js';
import { giveUpCall, requestOf, settleCall } from './end-call.js';

type Spent = Parameters<LegRules['onIncluded']>[3];

/**
 * Makes a call for others, whose fee an app balance pays.
 *
 * Invariants: it is signed under one key, ever, so it is made at most once; its reservation ends once, in the change set
 * that ends the leg: by what was burnt where a transaction of it landed finally, by nothing otherwise.
 *
 * Not guaranteed: that the fee is covered where it rises above the reservation after the signature. The service bears
 * the difference, bounded by the configured fee limit.
 */
export const CALL: LegRules = {
  instruction: (_context, chain, leg) => ({ ...baseOf(leg), kind: 'call', useKey: chain.useKey(leg.id, 'call') }),
  toSend: async (context, leg, whole, known) => {
    const request = known ?? (leg.requestId === null ? undefined : await context.store.request(leg.requestId));
    if (request === undefined) throw new Error(`call ${leg.id} has no request to say what it is`);
    const { data, authorizations } = callOf(request);
    if (whole.kind !== 'call') throw new Error(`${leg.id} is no call`);
    return { ...whole, data, ...(authorizations.length === 0 ? {} : { authorizations }) };
  },

  lines: () => [],

  judge: judgeCall((context, _chain, leg) => isShut(context, leg)),
  doubt: (_context, lost, { chainId, createdAt }) =>
    lost.waits([chainId]) ?? (createdAt <= lost.unmatchedUntil ? 'hold' : 'none'),
  rivals: () => [],
  done: DONE,
  askOther: async () => undefined,
  isSpent: () => false,
  isTriedAgain: false,
  onRefused: (context, unit, leg, refused) => {
    giveUpCall(context, unit, leg, { ...whyOf(refused), evidence: { kind: 'nothingOwed', reason: refused.reason } });
  },
  onBlocked: (context, unit, leg) => {
    giveUp(context, unit, leg, 'BLOCKED_WALLET', 'a party of it is not served');
  },

  onIncluded: (context, unit, leg, spent) => {
    noteOnChain(context, unit, leg, spent);
    const set = { actual: JSON.stringify({ callFee: spent.fee.toString() }), failed: null, details: null };
    unit.update('requests', requestOf(unit, leg).id, set);
    confirmFill(context, unit, leg, spent.block.height);
  },
  onFinal: (context, unit, leg, spent) => settleCall(context, unit, leg, spent.fee),
  onUndone: (unit, leg) => {
    unit.update('requests', requestOf(unit, leg).id, { actual: null });
  },
  /** Nothing is charged for a result that is not understood. */
  onUnread: (context, unit, leg) => {
    unit.update('legs', leg.id, { state: 'closed', reason: UNREAD });
    settleCall(context, unit, leg, 0n);
    const evidence = { kind: 'nothingOwed', reason: UNREAD } as const;
    moveRequest(context, unit, requestOf(unit, leg).id, 'nothingOwed', { failReason: 'UNKNOWN' }, { evidence });
  },
  onClosed: (context, unit, open, leg, reverted, inDoubt) => {
    const request = requestOf(unit, leg);
    const failure = reverted ? failureOf(leg, reverted, false) : undefined;
    const reason = endReason(open, reverted, failure?.reason, inDoubt);
    // guard: one-key-per-call
    unit.update('legs', leg.id, { state: 'closed', reason });
    if (!reverted) neverLanded(unit, leg);
    else unit.update('requests', request.id, { actual: JSON.stringify({ callFee: reverted.fee.toString() }) });
    // guard: landed-calls-are-paid
    settleCall(context, unit, leg, reverted ? reverted.fee : 0n);
    fail(context, unit, leg, reason, open, reverted);
  },

  since: async (_context, leg) => sinceOfDrawn(leg),
  isOurs: () => false,
  countedApart: () => 0n,
  onPaidElsewhere: () => {},
};

/** @param isHeldUp whether such a call waits, within its deadline, for its chain. */
export function judgeCall(
  isHeldUp: (context: WorkContext, chain: ChainAdapter, leg: LegRow) => boolean,
): LegRules['judge'] {
  return (context, unit, { chain, leg, doubt }) => {
    // A late call may have been made all the same: what is doubted is not said to be unsent.
    const wait = waitOf(doubt);
    if (wait !== null) return later(context, unit, leg, wait);
    // guard: lost-calls-are-not-repeated
    if (doubt !== 'none') return giveUp(context, unit, leg, 'UNKNOWN', MAYBE_MADE);
    const isLate = leg.deadlineAt !== null && context.clock.now() > leg.deadlineAt;
    // guard: late-calls-are-not-sent
    if (isLate) return giveUp(context, unit, leg, 'TRANSACTION_SUBMISSION_FAILED', 'it could not be sent in time');
    if (isHeldUp(context, chain, leg)) return later(context, unit, leg, POLL_MS);
    const other = laneWithMoreGas(chain, leg);
    if (other === undefined) return asOwed(leg);
    unit.update('legs', leg.id, { signer: other });
    return null;
  };
}

/** An attempt that a lost ledger sent may be what spent the key: then it is not known whether the call was made. */
export function endReason(
  open: OpenKey,
  reverted: Spent | null,
  failure: FailReason | undefined,
  inDoubt: boolean,
): FailReason {
  if (reverted) return failure ?? 'TRANSACTION_REVERTED';
  // guard: doubted-calls-are-unknown
  return inDoubt ? 'UNKNOWN' : closedReason(open);
}

const MAYBE_MADE =
  'the ledger was restored, or its account was used by something else: whether it was made is not known, and it is not made again';

/** A fee may double until the call is signed. */
const WORK_COSTS = 3n;

/** Another lane for a call that is not signed yet and whose lane lacks gas money. */
function laneWithMoreGas(chain: ChainAdapter, { signer, work }: LegRow): string | undefined {
  const cost = chain.workCost?.(work ?? 0n);
  if (cost === undefined) return undefined;
  const isShort = (lane: string) => {
    const balance = chain.laneBalance(lane, chain.facts.currency.address)?.value;
    return balance === undefined ? undefined : balance < cost * WORK_COSTS;
  };
  if (isShort(signer) !== true) return undefined;
  // guard: unsent-calls-leave-empty-lanes
  return chain.lanes.find((lane) => lane.sends.includes('call') && isShort(lane.signer) === false)?.signer;
}

function giveUp(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: FailReason, message: string): null {
  giveUpCall(context, unit, leg, { reason, message, evidence: { kind: 'nothingOwed', reason } });
  return null;
}

function whyOf({ reason, message, failedCallData: call }: Refused) {
  return { reason, message, ...(call ? { call } : {}) };
}

function fail(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  failReason: FailReason,
  { key }: OpenKey,
  reverted: Spent | null,
): void {
  const request = requestOf(unit, leg);
  const closed = { kind: 'keyClosed', key: key.key } as const;
  if (isDelivered(request))
    moveRequest(context, unit, request.id, 'fillDroppedForGood', { failReason }, { evidence: closed });
  else if (reverted)
    moveRequest(
      context,
      unit,
      request.id,
      'nothingOwed',
      { failReason },
      { evidence: { kind: 'revertedFinal', hash: reverted.hash } },
    );
  else {
    const trigger = failReason === 'TRANSACTION_SUBMISSION_FAILED' ? 'submissionFailed' : 'notIncluded';
    moveRequest(context, unit, request.id, trigger, { failReason }, { evidence: closed });
  }
}
