import type { LegKind, RefundLeg } from '../../contract/legs.js';
import { account } from '../../domain/accounts.js';
import type { LegRules } from '../base/context.js';
import { baseOf, expirationOf } from '../base/instruction.js';
import { UNREAD } from '../base/leg-marks.js';
import { withheld } from '../books/deposit-life.js';
import { noteOnChain } from '../books/settled-leg.js';
import { retryLeg } from '../keys/retry-leg.js';
import { holdLeg } from '../payouts/give-up.js';
import { judgePayback } from '../payouts/judge-payback.js';
import { isUnproven, wantingProof } from '../payouts/proof-of-payer.js';
import { DONE, sinceOfPayback } from '../recovery/index.js';

type Payback = Extract<LegKind, RefundLeg['kind']>;

/**
 * What refunds and excesses have in common: a deposit, or a part of it, goes back out of the depository, less the gas of
 * sending it. What cannot be paid back is held for an operator.
 */
export function payback(kind: Payback): Omit<LegRules, 'doubt' | 'rivals' | 'askOther' | 'onPaidElsewhere'> {
  return {
    instruction: (context, chain, leg) => {
      const { fundingKey, covers } = leg;
      if (fundingKey === null) throw new Error(`${kind} ${leg.id} has no deposit`);
      const useKey = chain.useKey(fundingKey, kind);
      return { ...baseOf(leg), kind, fundingKey, useKey, expiration: expirationOf(context, leg), covers };
    },
    toSend: async (_context, _leg, whole) => whole,

    /** What of the withheld gas did not stay in the depository went to the lane, which paid the fee. */
    lines: ({ chainId, signer, currency, moved, covers, withheld: kept = '0' }) => [
      [
        [account.owed(chainId, currency), BigInt(covers)],
        [account.depository(chainId, currency), -BigInt(moved) - BigInt(kept)],
        [account.inventory(chainId, signer, currency), BigInt(kept)],
        [account.earned(chainId, currency), BigInt(moved) - BigInt(covers)],
      ],
    ],

    judge: judgePayback,
    done: DONE,
    isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
    isTriedAgain: false,
    onRefused: (context, unit, leg, check) => {
      if (check.reason === 'ORDER_ALREADY_FILLED' && leg.requestId !== null)
        unit.update('requests', leg.requestId, { failReason: check.reason });
      const tooLow = check.reason === 'AMOUNT_TOO_LOW_TO_REFUND';
      const why = isUnproven(check) ? wantingProof(leg, 'unproven') : undefined;
      holdLeg(context, unit, leg, tooLow ? check.reason : 'MANUAL_REFUND_REQUIRED', why);
    },

    onIncluded: (_context, unit, leg, spent) => noteOnChain(unit, leg, spent),
    onUndone: () => {},
    onUnread: (context, unit, leg) => holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', UNREAD),
    onClosed: (context, unit, _open, leg, reverted) => retryLeg(context, unit, leg, reverted),

    since: sinceOfPayback,
    /** Believed for its use key, which only our allocator signs. */
    isOurs: () => true,
    /** What it left to the lane for its gas is a surplus of that lane. */
    countedApart: (context, leg, paid) => -withheld(context, leg, paid.moved),
  };
}
