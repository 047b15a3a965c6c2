import { awaitsSweep, hastenSweep } from '../../capabilities/deposit-addresses/swept.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import { isReleased } from '../base/leg-marks.js';
import type { Due, Turn } from '../base/leg-rules.js';
import { isPaused } from '../base/pauses.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { refundAmount } from '../books/refund-amount.js';
import { payAsDeposited, swapBack } from '../books/swap-back.js';
import { holdLeg } from './give-up.js';
import { payerOf, wantingProof } from './proof-of-payer.js';
import { later, POLL_MS, SLOW_POLL_MS, waitOf } from './turn.js';

/** Whether payments from the depository are stopped. */
export function isShut(context: WorkContext, { chainId }: LegRow): boolean {
  return isPaused(context, chainId, chainId) === 'all' || context.pauses.has(`chain:${chainId}`);
}

/** Ready, or held where gas takes all or no one may get it. */
export function judgePayback(
  context: WorkContext,
  unit: UnitOfWork,
  { chain, leg, request, deposit, doubt }: Turn,
): Due | null {
  if (isShut(context, leg)) return later(context, unit, leg, POLL_MS);
  const waiting = waitOf(doubt);
  if (waiting !== null) return later(context, unit, leg, waiting);
  // The chain is asked first: a lost send may have refunded it.
  if (doubt === 'hold') return { amount: leg.covers, work: null };
  if (payerOf(context, chain, leg, request, deposit) === 'custodian') {
    holdLeg(context, unit, leg, 'REFUND_RECIPIENT_IS_VASP', wantingProof(leg, 'custodian'));
    return null;
  }
  if (lacksRefundAddress(request, deposit)) {
    holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', NO_REFUND_ADDRESS);
    return null;
  }
  const back = swapBack(leg, request, deposit);
  const extra = chain.capabilities.payerSwaps?.deposits?.refundWork ?? 0n;
  const net = refundAmount(context, unit, leg, back === undefined ? 0n : back.work + extra);
  if (back !== undefined) {
    const dear = net.ok ? tooDear(context, unit, leg, net.amount) : net.why === 'nothingLeft';
    if (dear) {
      payAsDeposited(context, unit, leg, back, 'the gas would take too much of it');
      return null;
    }
  }
  // guard: payback-after-sweep
  if (deposit !== undefined && net.ok && awaitsSweep(context, deposit)) {
    if (isReleased(leg)) hastenSweep(context, unit, deposit);
    return later(context, unit, leg, SLOW_POLL_MS);
  }
  if (net.ok) return net;
  if (net.why === 'notYet') return later(context, unit, leg, SLOW_POLL_MS);
  holdLeg(context, unit, leg, net.why === 'nothingLeft' ? 'AMOUNT_TOO_LOW_TO_REFUND' : 'MANUAL_REFUND_REQUIRED');
  return null;
}

/** Held: the client of an open deposit address named no refund address, and a sender is often a custodian. */
const NO_REFUND_ADDRESS = 'noRefundAddress';

function lacksRefundAddress(request: RequestRow | undefined, deposit: DepositRow | undefined): boolean {
  return deposit?.depositAddress != null && request?.refundTo === null;
}

/** Divisor: an exchange may cost at most a tenth of a plain refund. */
const EXCHANGE_COST_DIVISOR = 10n;

/** Whether the exchange costs too much gas compared with a plain refund. */
function tooDear(context: WorkContext, unit: UnitOfWork, leg: LegRow, amount: bigint): boolean {
  const plain = refundAmount(context, unit, leg);
  return plain.ok && (plain.amount - amount) * EXCHANGE_COST_DIVISOR > plain.amount;
}
