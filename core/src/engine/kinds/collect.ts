import { paidFrom } from '../../capabilities/deposit-addresses/paid-from.js';
import type { CollectLeg } from '../../contract/legs.js';
import { account } from '../../domain/accounts.js';
import { chainOf, type LegRules } from '../base/context.js';
import { baseOf, expirationOf } from '../base/instruction.js';
import { UNREAD } from '../base/leg-marks.js';
import { retryLeg } from '../keys/retry-leg.js';
import { isShut } from '../payouts/judge-payback.js';
import { asOwed, later, POLL_MS, waitOf } from '../payouts/turn.js';
import { DONE, sinceOfDrawn } from '../recovery/index.js';

const REFUSED_RETRY_DELAY_MS = 30_000;

/** The solver's own money: retried without limit, without a request. */
export const COLLECT: LegRules = {
  instruction: (context, chain, leg) => {
    const useKey = chain.useKey(leg.id, 'collect');
    return { ...baseOf(leg), kind: 'collect', useKey, expiration: expirationOf(context, leg) };
  },
  /** Names its deposits, and the addresses where they are. */
  toSend: async (context, leg, whole) => {
    const deposits = await context.store.depositsOfCollect(leg.id);
    const chain = chainOf(context, leg.chainId);
    const from = deposits.flatMap((deposit) => {
      const at = paidFrom(chain, deposit);
      return at ? [{ ...at, fundingKey: deposit.fundingKey }] : [];
    });
    const fundingKeys = deposits.map(({ fundingKey }) => fundingKey);
    return { ...(whole as CollectLeg), fundingKeys, ...(from.length === 0 ? {} : { from }) };
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
  /** The receiving lane must not get transfers while it is resumed with its balance. */
  doubt: (_context, lost, { chainId }) => (lost.isHalted(chainId) ? 'wait' : 'none'),
  rivals: () => [],
  done: DONE,
  askOther: async () => undefined,
  isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
  isTriedAgain: true,
  onRefused: (context, unit, leg, { message }) => {
    unit.update('legs', leg.id, { dueAt: context.clock.now() + REFUSED_RETRY_DELAY_MS, reason: message.slice(0, 200) });
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
  /** Proven by its use key, which only the solver's allocator signs. */
  isOurs: () => true,
  /** The arrived amount is a surplus of the receiving lane; the difference to the moved amount is the transfer fee. */
  countedApart: (_context, _leg, paid) => -paid.moved,
  onPaidElsewhere: () => {},
};
