import type { LegPaid } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import type { EngineContext, LegRules } from '../base/context.js';
import { baseOf } from '../base/instruction.js';
import { BLOCKED, MAYBE_PAID, UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { bearsAnotherTry } from '../books/another-try.js';
import { reclaimInventory, releaseInventory } from '../books/budget.js';
import { isWornOut, oweAfterClosing } from '../keys/retry-leg.js';
import { isShut } from '../payouts/judge-payback.js';
import { asOwed, later, POLL_MS, waitOf } from '../payouts/turn.js';
import { DONE } from '../recovery/index.js';

/** Unix seconds. */
const NO_DEADLINE = 2 ** 32 - 1;

/** What differs between payouts from inventory that belong to no order. */
export interface InventoryPayout extends Pick<LegRules, 'lines' | 'otherParties' | 'since'> {
  /** Absent: as instructed. */
  readonly toSend?: LegRules['toSend'];
  /** Ends it unpaid: nothing of it is on a chain, or can get there. */
  giveBack(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void;
  /** It may have been paid: nothing more is paid automatically. */
  hold(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void;
  /** Included (1), or a reorg dropped it (-1). */
  onPaid(unit: UnitOfWork, leg: LegRow, by: 1n | -1n): void;
  /** A transaction that this ledger does not know paid under its id; final. */
  onPaidElsewhere(context: EngineContext, unit: UnitOfWork, leg: LegRow, paid: LegPaid): void;
}

/**
 * A payment from the filling lane's inventory under an id of its own, without an order, a deposit or a deadline.
 *
 * Invariant (G15): a ledger that lost the payment uses the same id again, so that the chain, or its history, reveals
 * the lost one.
 */
export function inventoryPayout(payout: InventoryPayout): LegRules {
  const rules: LegRules = {
    instruction: (_context, _chain, leg) => {
      const { id, orderId } = leg;
      if (orderId === null) throw new Error(`${id} has no id to be paid under`);
      return { ...baseOf(leg), kind: 'fill', orderId, deadline: NO_DEADLINE };
    },
    toSend: payout.toSend ?? (async (_context, _leg, whole) => whole),
    lines: payout.lines,

    judge: (context, unit, { leg, doubt }) => {
      if (isShut(context, leg)) return later(context, unit, leg, POLL_MS);
      const waiting = waitOf(doubt);
      if (waiting !== null) return later(context, unit, leg, waiting);
      if (doubt !== 'none' && leg.reason !== MAYBE_PAID) {
        unit.update('legs', leg.id, { reason: MAYBE_PAID });
        return null;
      }
      const currency = context.chains.get(leg.chainId)?.currency(leg.currency);
      if (!isWornOut(leg) && bearsAnotherTry(context, leg, currency)) return asOwed(leg);
      if (leg.reason === MAYBE_PAID) payout.hold(context, unit, leg, MAYBE_PAID);
      else payout.giveBack(context, unit, leg, 'TRANSACTION_REVERTED');
      return null;
    },
    doubt: (_context, lost, { chainId }) =>
      lost.waits([chainId]) ?? (lost.unmatchedUntil === Number.NEGATIVE_INFINITY ? 'none' : 'ask'),
    rivals: () => [],
    done: DONE,
    askOther: async (context, leg) => {
      const chain = context.chains.get(leg.chainId);
      const paid =
        chain && (await chain.paidBy(rules.instruction(context, chain, leg), await payout.since(context, leg)));
      // guard: fee-claims-paid-before
      return paid ? DONE : undefined;
    },
    isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
    isTriedAgain: false,
    onRefused: (context, unit, leg, { reason }) => {
      const spent = reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE';
      if (spent || leg.reason === MAYBE_PAID) payout.hold(context, unit, leg, spent ? reason : MAYBE_PAID);
      else payout.giveBack(context, unit, leg, reason);
    },

    ...(payout.otherParties ? { otherParties: payout.otherParties } : {}),
    onBlocked: (context, unit, leg) => {
      if (leg.reason === MAYBE_PAID) payout.hold(context, unit, leg, MAYBE_PAID);
      else payout.giveBack(context, unit, leg, BLOCKED);
    },

    onIncluded: (_context, unit, leg) => {
      releaseInventory(unit, leg);
      payout.onPaid(unit, leg, 1n);
    },
    onUndone: (unit, leg) => {
      reclaimInventory(unit, leg);
      // guard: fee-claims-count
      payout.onPaid(unit, leg, -1n);
    },
    onUnread: (context, unit, leg) => payout.hold(context, unit, leg, UNREAD),
    onClosed: (context, unit, _open, leg, reverted) => oweAfterClosing(context, unit, leg, reverted),

    since: payout.since,
    /** A lost one may have had another recipient and amount. */
    isOurs: ({ lanes }, _leg, paid) => lanes.some(({ signer }) => signer === paid.sender),
    /** What the payment took is a shortfall of its lane. */
    countedApart: (_context, _leg, paid, resumed) => (resumed ? paid.moved : 0n),
    onPaidElsewhere: payout.onPaidElsewhere,
  };
  return rules;
}
