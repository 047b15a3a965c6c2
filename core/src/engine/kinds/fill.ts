import type { FillLeg } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import type { Line } from '../../domain/postings.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { SwapOut } from '../../domain/swap-out.js';
import { chainOf, type EngineContext, type LegRules } from '../base/context.js';
import { fillInstruction } from '../base/instruction.js';
import { FALLBACK, UNREAD } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { deliver, undeliver } from '../books/inclusion.js';
import { closeFill, holdFilled } from '../keys/close-fill.js';
import { holdLeg, voidFill } from '../payouts/give-up.js';
import { judgeFill } from '../payouts/judge-fill.js';
import { swapsIn, withSwap } from '../payouts/swap-in-fill.js';
import { topUpFor } from '../payouts/top-up-for.js';
import {
  DOUBTFUL,
  deliverElsewhere,
  doubtOfFill,
  isRefundedElsewhere,
  REFUNDED,
  sinceOfFill,
} from '../recovery/index.js';

/** One per order for ever: what cannot be filled is refunded. */
export const FILL: LegRules = {
  instruction: (_context, _chain, leg) => fillInstruction(leg),

  /**
   * Adds the exchange, calls and authorizations. Account opening costs at most what the quote charged: the account may
   * have been closed since.
   */
  toSend: async (context, leg, whole, known) => {
    const { store } = context;
    const request = known ?? (leg.requestId === null ? undefined : await store.request(leg.requestId));
    if (request === undefined) throw new Error(`fill ${leg.id} has no request to say what else it does`);
    const body = JSON.parse(request.body) as QuoteBody;
    const { authorizations, fillRent, order } = body;
    const swap = swapsIn(body, leg);
    const topUp = body.topUp?.inFill ? await topUpFor(context, leg) : undefined;
    if (topUp !== undefined && 'ok' in topUp) return topUp;
    const fill = {
      ...(whole as FillLeg),
      .../* guard: rent-bound */ (fillRent === undefined ? {} : { mostRent: BigInt(fillRent) }),
      ...(order.output.calls.length === 0 ? {} : { calls: order.output.calls }),
      ...(topUp === undefined ? {} : { topUp }),
      ...(authorizations === undefined ? {} : { authorizations }),
    };
    if (swap === undefined) return fill;
    const late = swap.lateLeast !== undefined && (await isLate(context, leg, body));
    return withSwap(context, chainOf(context, leg.chainId), leg, fill, body, swap, late);
  },

  lines: ({ chainId, signer, currency, originChainId, originCurrency, moved, covers, appFees = [] }) => {
    const fees = appFees.map(({ recipient, amount }) => ({ recipient, amount: BigInt(amount) }));
    const app = fees.reduce((sum, { amount }) => sum + amount, 0n);
    return [
      [
        [account.inventory(chainId, signer, currency), -BigInt(moved)],
        [account.paid(chainId, currency), BigInt(moved)],
      ],
      [
        [account.owed(originChainId, originCurrency), BigInt(covers)],
        ...fees.map(
          ({ recipient, amount }): Line => [account.appFees(originChainId, recipient, originCurrency), -amount],
        ),
        [account.earned(originChainId, originCurrency), app - BigInt(covers)],
      ],
    ];
  },

  judge: judgeFill,
  doubt: doubtOfFill,
  rivals: () => [],
  done: DOUBTFUL,
  askOther: async (context, leg) => ((await isRefundedElsewhere(context, leg)) ? REFUNDED : undefined),
  isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED',
  isTriedAgain: false,
  onRefused: (context, unit, leg, { reason, failedCallData }) => {
    const swap = swapOf(unit, leg);
    if (reason === 'ORDER_ALREADY_FILLED') holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED');
    else if (swap?.fallback) unit.update('legs', leg.id, { reason: FALLBACK, dueAt: context.clock.now() });
    else if (swap && reason === 'QUOTED_GAS_LIMIT_EXCEEDED')
      voidFill(context, unit, leg, 'SWAP_USES_TOO_MUCH_GAS', failedCallData);
    else voidFill(context, unit, leg, reason, failedCallData);
  },

  /** The refund leg is screened too, and held while the block lasts. */
  onBlocked: (context, unit, leg) => voidFill(context, unit, leg, 'BLOCKED_WALLET'),

  onIncluded: deliver,
  onUndone: undeliver,
  onUnread: (context, unit, leg) => holdFilled(context, unit, leg, UNREAD),
  onClosed: closeFill,

  since: sinceOfFill,
  /** A third party's transaction may have paid the recipient for other reasons. */
  isOurs: ({ lanes }, leg, paid) =>
    lanes.some(({ signer }) => signer === paid.sender) && paid.recipient === leg.recipient && paid.moved >= leg.amount,
  /** What the payment took is a shortfall of its lane. */
  countedApart: (_context, _leg, paid, resumed) => (resumed ? paid.moved : 0n),
  onPaidElsewhere: deliverElsewhere,
};

function swapOf(unit: UnitOfWork, leg: LegRow): SwapOut | undefined {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  return request && swapsIn(JSON.parse(request.body) as QuoteBody, leg);
}

async function isLate({ store }: EngineContext, leg: LegRow, { expiresAt }: QuoteBody): Promise<boolean> {
  const [deposit] = leg.fundingKey === null ? [] : await store.deposits([leg.fundingKey]);
  return deposit !== undefined && deposit.blockTime !== null && deposit.blockTime > expiresAt;
}
