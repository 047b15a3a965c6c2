import { account } from '../../domain/accounts.js';
import type { LegRules } from '../base/context.js';
import { fillInstruction } from '../base/instruction.js';
import { BLOCKED, lastingReason, MAYBE_PAID, UNREAD } from '../base/leg-marks.js';
import { reclaimInventory, releaseInventory } from '../books/budget.js';
import { confirmFill } from '../books/inclusion.js';
import { completeFill, noteOnChain } from '../books/settled-leg.js';
import { noteTopUp } from '../books/top-up-record.js';
import { oweAfterClosing } from '../keys/retry-leg.js';
import { giveUpTopUp, holdTopUp } from '../payouts/give-up-top-up.js';
import { DONE, doubtOfTopUp, isPartRefunded, PAID_OTHERWISE, sinceOfFill } from '../recovery/index.js';
import { judgeTopUp } from './judge-top-up.js';

/**
 * Pays native coin under an id derived from the order's: alone after the fill, or inside it where the order's calls
 * spend it. What cannot be delivered is refunded.
 *
 * Invariants: (G1) one id per order, filled once; (G3) its part of the deposit is delivered or refunded, never both.
 */
export const TOP_UP: LegRules = {
  instruction: (_context, _chain, leg) => fillInstruction(leg),
  toSend: async (_context, _leg, whole) => whole,

  lines: ({ chainId, signer, currency, originChainId, originCurrency, moved, covers }) => [
    [
      [account.inventory(chainId, signer, currency), -BigInt(moved)],
      [account.paid(chainId, currency), BigInt(moved)],
    ],
    [
      [account.owed(originChainId, originCurrency), BigInt(covers)],
      [account.earned(originChainId, originCurrency), -BigInt(covers)],
    ],
  ],

  judge: judgeTopUp,
  doubt: doubtOfTopUp,
  /** Another transaction that filled it is noted under this id. */
  rivals: ({ orderId }) => (orderId === null ? [] : [orderId]),
  done: DONE,
  /** A lost send may have refunded its part of the deposit. */
  askOther: async (context, leg) => ((await isPartRefunded(context, leg)) ? PAID_OTHERWISE : undefined),
  isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
  isTriedAgain: false,
  onRefused: (context, unit, leg, { reason }) => {
    const spent = reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE' || reason === 'DOUBLE_SPEND';
    if (spent) holdTopUp(context, unit, leg, leg.reason === MAYBE_PAID ? MAYBE_PAID : reason);
    else giveUpTopUp(context, unit, leg, reason);
  },

  onBlocked: (context, unit, leg) => holdTopUp(context, unit, leg, leg.reason === MAYBE_PAID ? MAYBE_PAID : BLOCKED),

  onIncluded: (context, unit, leg, spent) => {
    releaseInventory(unit, leg);
    noteOnChain(context, unit, leg, spent);
    noteTopUp(unit, leg, leg.amount);
    confirmFill(context, unit, leg, spent.block.height);
  },
  onUndone: (unit, leg) => {
    reclaimInventory(unit, leg);
    noteTopUp(unit, leg, null);
  },
  onUnread: (context, unit, leg) => holdTopUp(context, unit, leg, UNREAD),
  /** If its deposit vanished while the top-up was signed, the top-up is suspended now. */
  onClosed: (context, unit, _open, leg, reverted) => {
    if (leg.fundingKey !== null) unit.touch('deposits', leg.fundingKey);
    oweAfterClosing(context, unit, leg, reverted);
    const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
    if (deposit?.state !== 'vanished') return;
    releaseInventory(unit, leg);
    unit.update('legs', leg.id, { state: 'suspended', reason: lastingReason(leg) });
  },

  since: sinceOfFill,
  isOurs: ({ lanes }, leg, paid) =>
    lanes.some(({ signer }) => signer === paid.sender) && paid.recipient === leg.recipient,
  /** What the payment took is a shortfall of its lane. */
  countedApart: (_context, _leg, paid, resumed) => (resumed ? paid.moved : 0n),
  onPaidElsewhere: (context, unit, leg, paid) => {
    if (leg.state !== 'short') releaseInventory(unit, leg);
    noteTopUp(unit, leg, paid.moved);
    completeFill(context, unit, leg);
  },
};
