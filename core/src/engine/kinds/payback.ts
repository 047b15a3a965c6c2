import { paidFrom } from '../../capabilities/deposit-addresses/paid-from.js';
import { payRecovery } from '../../capabilities/deposit-addresses/recovery.js';
import type { LegKind, RefundLeg } from '../../contract/legs.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainOf, type LegRules } from '../base/context.js';
import { baseOf, expirationOf } from '../base/instruction.js';
import { BLOCKED, UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { withheld } from '../books/deposit-life.js';
import { completeJoined, joinedLegs } from '../books/joined-legs.js';
import { noteOnChain } from '../books/settled-leg.js';
import { AS_DEPOSITED, noteSwappedBack, payAsDeposited, swapBack } from '../books/swap-back.js';
import { retryLeg } from '../keys/retry-leg.js';
import { withExchange } from '../payouts/exchange-back.js';
import { holdLeg } from '../payouts/give-up.js';
import { judgePayback } from '../payouts/judge-payback.js';
import { isUnproven, wantingProof } from '../payouts/proof-of-payer.js';
import { DONE, sinceOfPayback } from '../recovery/index.js';

type Payback = Extract<LegKind, RefundLeg['kind']>;

/**
 * Refunds and excesses: a deposit, or part of it, leaves the depository less gas, possibly swapped back. What cannot be
 * refunded is held.
 */
export function payback(kind: Payback): Omit<LegRules, 'doubt' | 'rivals' | 'askOther' | 'onPaidElsewhere'> {
  return {
    instruction: (context, chain, leg) => {
      const { fundingKey, covers } = leg;
      if (fundingKey === null) throw new Error(`${kind} ${leg.id} has no deposit`);
      const useKey = chain.useKey(/* guard: funding-key-of-payback */ fundingKey, kind);
      return { ...baseOf(leg), kind, fundingKey, useKey, expiration: expirationOf(context, leg), covers };
    },
    toSend: async (context, leg, instruction, known) => {
      const { store } = context;
      if (leg.fundingKey === null) return instruction;
      const [deposit] = await store.deposits([leg.fundingKey]);
      const chain = chainOf(context, leg.chainId);
      const from = deposit && paidFrom(chain, deposit);
      const whole = { ...(instruction as RefundLeg), ...(from ? { from } : {}) };
      if (leg.requestId === null || leg.reason === AS_DEPOSITED || deposit?.paidWith == null) return whole;
      const back = swapBack(leg, known ?? (await store.request(leg.requestId)), deposit);
      return back ? withExchange(context, chain, leg, whole, back) : whole;
    },

    /** Gas that did not stay in the depository went to the lane, which paid the fee. */
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
    isSpent: ({ reason }) => SPENT.has(reason),
    isTriedAgain: false,
    onRefused: (context, unit, leg, check) => {
      const back = swapBack(leg, ...belongings(unit, leg));
      if (back && !SPENT.has(check.reason) && !isUnproven(check))
        return payAsDeposited(context, unit, leg, back, check.message);
      if (check.reason === 'ORDER_ALREADY_FILLED' && leg.requestId !== null)
        unit.update('requests', leg.requestId, { failReason: check.reason });
      const tooLow = check.reason === 'AMOUNT_TOO_LOW_TO_REFUND';
      const why = isUnproven(check) ? wantingProof(leg, 'unproven') : undefined;
      holdLeg(context, unit, leg, tooLow ? check.reason : 'MANUAL_REFUND_REQUIRED', why);
    },

    onBlocked: (context, unit, leg) => {
      const [request] = belongings(unit, leg);
      // The recovery address is then screened as well, with the depositor.
      if (!payRecovery(unit, leg, request)) holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', BLOCKED);
    },

    onIncluded: (context, unit, leg, spent) => {
      for (const one of [leg, ...joinedLegs(unit, leg)]) noteOnChain(context, unit, one, spent);
      noteSwappedBack(unit, leg, spent.effects.find(({ legId }) => legId === leg.id)?.brought ?? null);
    },
    onFinal: completeJoined,
    onUndone: (unit, leg) => noteSwappedBack(unit, leg, null),
    onUnread: (context, unit, leg) => holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', UNREAD),
    onClosed: (context, unit, _open, leg, reverted) => retryLeg(context, unit, leg, reverted),

    since: sinceOfPayback,
    /** Proven by its use key, which only the solver's allocator signs. */
    isOurs: () => true,
    /** The gas left to the lane is its surplus. */
    countedApart: (context, leg, paid) => -withheld(context, leg, paid.moved),
  };
}

/** These refusals mean that the once-only use is spent. */
const SPENT: ReadonlySet<FailReason> = new Set(['ORDER_ALREADY_FILLED', 'INVALID_NONCE']);

function belongings(unit: UnitOfWork, leg: LegRow): [RequestRow | undefined, DepositRow | undefined] {
  return [
    leg.requestId === null ? undefined : unit.get('requests', leg.requestId),
    leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey),
  ];
}
