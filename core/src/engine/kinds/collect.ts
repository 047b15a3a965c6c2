import { account } from '../../domain/accounts.js';
import type { LegRules } from '../base/context.js';
import { baseOf, expirationOf } from '../base/instruction.js';
import { UNREAD } from '../base/leg-marks.js';
import { retryLeg } from '../keys/retry-leg.js';
import { isShut } from '../payouts/judge-payback.js';
import { asOwed, later, POLL_MS, waitOf } from '../payouts/turn.js';
import { DONE, sinceOfDrawn } from '../recovery/index.js';

const REFUSED_MS = 30_000;

/**
 * Moves settled, final deposits from the depository to the lane that fills, as its inventory. It is the solver's own money:
 * nobody waits for it, so it is tried for as long as it takes, and belongs to no request.
 */
export const COLLECT: LegRules = {
  instruction: (context, chain, leg) => {
    const useKey = chain.useKey(leg.id, 'collect');
    return { ...baseOf(leg), kind: 'collect', useKey, expiration: expirationOf(context, leg) };
  },
  /** It names the deposits that it takes from. */
  toSend: async (context, leg, whole) => {
    const deposits = await context.store.depositsOfCollect(leg.id);
    return { ...whole, fundingKeys: deposits.map(({ fundingKey }) => fundingKey) };
  },

  lines: ({ chainId, signer, to = signer, currency, moved, arrived = moved }) => [
    [
      [account.depository(chainId, currency), -BigInt(moved)],
      [account.inventory(chainId, to, currency), BigInt(arrived)],
      [account.transferFees(chainId, currency), BigInt(moved) - BigInt(arrived)],
    ],
  ],

  judge: (context, unit, { leg, doubt }) => {
    const wait = isShut(context, leg) ? POLL_MS : waitOf(doubt);
    return wait === null ? asOwed(leg) : later(context, unit, leg, wait);
  },
  /** The lane that it comes to is resumed with the balance that it has: nothing may come in from another one meanwhile. */
  doubt: (_context, lost, { chainId }) => (lost.isHalted(chainId) ? 'wait' : 'none'),
  rivals: () => [],
  done: DONE,
  askOther: async () => undefined,
  isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
  isTriedAgain: true,
  onRefused: (context, unit, leg, { message }) => {
    unit.update('legs', leg.id, { dueAt: context.clock.now() + REFUSED_MS, reason: message.slice(0, 200) });
  },

  onBlocked: (_context, _unit, leg) => {
    throw new Error(`${leg.id} moves the solver's own money: it has no parties`);
  },

  onIncluded: () => {},
  onUndone: () => {},
  onUnread: (_context, unit, leg) => {
    unit.update('legs', leg.id, { state: 'held', reason: UNREAD });
  },
  onClosed: (context, unit, _open, leg, reverted) => retryLeg(context, unit, leg, reverted),

  since: async (_context, leg) => sinceOfDrawn(leg),
  /** Believed for its use key, which only our allocator signs. */
  isOurs: () => true,
  /** What it brought is a surplus of its lane; what the token kept on the way is then the difference of two inflows. */
  countedApart: (_context, _leg, paid) => -paid.moved,
  onPaidElsewhere: () => {},
};
