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

/** No block comes so late: what is claimed is owed until it is paid, or its chain refuses it. Unix seconds. */
const NO_DEADLINE = 2 ** 32 - 1;

/**
 * Pays app fees that their recipient claimed, out of the inventory of the lane that fills, less the gas of sending it. A chain
 * fills it as it does an order, under an id that follows from the account and how often it was paid before; what cannot be paid
 * goes back to what is owed to the wallet, to be claimed anew under the same id.
 *
 * Invariant (G15): a ledger that lost a claim comes to its id again before any later one, so that where its chain refuses to fill
 * it, or shows that it was filled, the lost claim is found instead of another being paid, and what it took is taken off what is
 * owed to the wallet.
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
  /** It is owed to its wallet as before, and can be claimed anew once nobody blocks that. */
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
    countPaid(unit, leg, -1n);
  },
  onUnread: (context, unit, leg) => holdClaim(context, unit, leg, UNREAD),
  onClosed: (context, unit, _open, leg, reverted) => oweAfterClosing(context, unit, leg, reverted),

  since: sinceOfClaim,
  /** Of the account and the number, whatever it paid to whom: a claim that this ledger lost may have had other terms. */
  isOurs: ({ lanes }, _leg, paid) => lanes.some(({ signer }) => signer === paid.sender),
  /** What it took of its lane is a shortfall of that lane. */
  countedApart: (_context, _leg, paid, resumed) => (resumed ? paid.moved : 0n),
  onPaidElsewhere: (context, unit, leg, paid) => {
    countPaid(unit, leg, 1n);
    bookLostClaim(context, unit, leg, paid);
  },
};

/** Counted where the transaction lands, and taken back where a reorg takes that back. */
function countPaid(unit: UnitOfWork, leg: LegRow, by: 1n | -1n): void {
  unit.count({ account: counter.paidClaims(leg.chainId, walletOf(leg), leg.currency), by });
}
