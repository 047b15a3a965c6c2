import type { LegRow } from '../../contract/store-rows.js';
import { account, counter } from '../../domain/accounts.js';
import { feeAccountsChain } from '../../domain/fee-accounts.js';
import { walletOf } from '../../domain/fee-claim.js';
import { chainOf, type LegRules } from '../base/context.js';
import { baseOf } from '../base/instruction.js';
import { BLOCKED, MAYBE_PAID, UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { bearsAnotherTry } from '../books/another-try.js';
import { reclaimInventory, releaseInventory } from '../books/budget.js';
import { isWornOut, oweAfterClosing } from '../keys/retry-leg.js';
import { bookLostClaim, giveBackClaim, holdClaim } from '../payouts/give-up-claim.js';
import { isShut } from '../payouts/judge-payback.js';
import { asOwed, later, POLL_MS, waitOf } from '../payouts/turn.js';
import { DONE, sinceOfClaim } from '../recovery/index.js';

/** A claim has no deadline. Unix seconds. */
const NO_DEADLINE = 2 ** 32 - 1;

/**
 * Pays claimed app fees from the lane's inventory, less gas, under an id made of the account and its number of paid
 * claims. An unpayable claim returns to the wallet's balance.
 *
 * Invariant (G15): a ledger that lost a claim reuses its id before any later one, so the chain reveals the lost
 * claim, which is then deducted.
 */
export const CLAIM: LegRules = {
  instruction: (_context, _chain, leg) => {
    const { id, orderId } = leg;
    if (orderId === null) throw new Error(`${id} has no id to be paid under`);
    return { ...baseOf(leg), kind: 'fill', orderId, deadline: NO_DEADLINE };
  },
  toSend: async (_context, _leg, whole) => whole,

  lines: ({ chainId, signer, currency, moved, covers }) => [
    [
      [account.inventory(chainId, signer, currency), -BigInt(moved)],
      [account.claims(chainId, currency), BigInt(covers)],
      [account.earned(chainId, currency), BigInt(moved) - BigInt(covers)],
    ],
  ],

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
    if (leg.reason === MAYBE_PAID) holdClaim(context, unit, leg, MAYBE_PAID);
    else giveBackClaim(context, unit, leg, 'TRANSACTION_REVERTED');
    return null;
  },
  doubt: (_context, lost, { chainId }) =>
    lost.waits([chainId]) ?? (lost.unmatchedUntil === Number.NEGATIVE_INFINITY ? 'none' : 'ask'),
  rivals: () => [],
  done: DONE,
  askOther: async (context, leg) => {
    const chain = context.chains.get(leg.chainId);
    const paid = chain && (await chain.paidBy(CLAIM.instruction(context, chain, leg), await CLAIM.since(context, leg)));
    // guard: fee-claims-paid-before
    return paid ? DONE : undefined;
  },
  isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
  isTriedAgain: false,
  onRefused: (context, unit, leg, { reason }) => {
    const spent = reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE';
    if (spent || leg.reason === MAYBE_PAID) holdClaim(context, unit, leg, spent ? reason : MAYBE_PAID);
    else giveBackClaim(context, unit, leg, reason);
  },

  otherParties: (context, leg) => {
    const { facts } = feeAccountsChain(context.chains, context.policy, chainOf(context, leg.chainId));
    return [{ chainId: facts.id, address: walletOf(leg), role: 'user' }];
  },
  onBlocked: (context, unit, leg) => {
    if (leg.reason === MAYBE_PAID) holdClaim(context, unit, leg, MAYBE_PAID);
    else giveBackClaim(context, unit, leg, BLOCKED);
  },

  onIncluded: (_context, unit, leg) => {
    releaseInventory(unit, leg);
    countPaid(unit, leg, 1n);
  },
  onUndone: (unit, leg) => {
    reclaimInventory(unit, leg);
    // guard: fee-claims-count
    countPaid(unit, leg, -1n);
  },
  onUnread: (context, unit, leg) => holdClaim(context, unit, leg, UNREAD),
  onClosed: (context, unit, _open, leg, reverted) => oweAfterClosing(context, unit, leg, reverted),

  since: sinceOfClaim,
  /** A lost claim may have had another recipient and amount. */
  isOurs: ({ lanes }, _leg, paid) => lanes.some(({ signer }) => signer === paid.sender),
  /** What the payment took is a shortfall of its lane. */
  countedApart: (_context, _leg, paid, resumed) => (resumed ? paid.moved : 0n),
  onPaidElsewhere: (context, unit, leg, paid) => {
    countPaid(unit, leg, 1n);
    bookLostClaim(context, unit, leg, paid);
  },
};

/** Counted at inclusion, reversed by a reorg. */
function countPaid(unit: UnitOfWork, leg: LegRow, by: 1n | -1n): void {
  unit.count({ account: counter.paidClaims(leg.chainId, walletOf(leg), leg.currency), by });
}
