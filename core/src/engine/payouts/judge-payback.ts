import { hastenSweep } from '../../capabilities/deposit-addresses/owe-sweep.js';
import { payRecovery, paysRecovery } from '../../capabilities/deposit-addresses/recovery.js';
import { awaitsSweep } from '../../capabilities/deposit-addresses/swept.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { refuseCustodian } from '../../domain/custodians.js';
import type { EngineContext, WorkContext } from '../base/context.js';
import { BLOCKED, isReleased, NO_REFUND_ADDRESS } from '../base/leg-marks.js';
import type { Due, Turn } from '../base/leg-rules.js';
import { isPaused } from '../base/pauses.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { refundAmount } from '../books/refund-amount.js';
import { payAsDeposited, swapBack } from '../books/swap-back.js';
import { holdLeg } from './give-up.js';
import { payerOf, wantingProof } from './proof-of-payer.js';
import { later, POLL_MS, SLOW_POLL_MS, waitOf } from './turn.js';

/** Whether payments from the depository are stopped. */
export function isShut(context: Pick<EngineContext, 'pauses'>, { chainId }: Pick<LegRow, 'chainId'>): boolean {
  return isPaused(context, chainId, chainId) === 'all' || context.pauses.has(`chain:${chainId}`);
}

/** Ready, or held where gas takes all or no one may get it. */
export function judgePayback(
  context: WorkContext,
  unit: UnitOfWork,
  { chain, leg, request, deposit, doubt, join }: Turn,
): Due | null {
  if (isShut(context, leg)) return later(context, unit, leg, POLL_MS);
  const waiting = waitOf(doubt);
  if (waiting !== null) return later(context, unit, leg, waiting);
  // The chain is asked first: a lost send may have refunded it.
  if (doubt === 'hold') return { amount: leg.covers, work: null };
  const isOwedByOperator = isReleased(leg);
  // guard: blocked-depositor-is-held
  if (deposit?.decision === 'hold' && !isOwedByOperator) {
    holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', BLOCKED);
    return null;
  }
  if (payerOf(context, chain, leg, request, deposit) === 'custodian') {
    holdLeg(context, unit, leg, 'REFUND_RECIPIENT_IS_VASP', wantingProof(leg, 'custodian'));
    return null;
  }
  if (!isOwedByOperator && goesToCustodian(context, leg, deposit)) {
    holdLeg(context, unit, leg, 'REFUND_RECIPIENT_IS_VASP');
    return null;
  }
  if (!isOwedByOperator && lacksRefundAddress(leg, request, deposit)) {
    if (isBlockedLater(request) && payRecovery(unit, leg, request)) return null;
    holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED', NO_REFUND_ADDRESS);
    return null;
  }
  if (join()) return null;
  const back = swapBack(leg, request, deposit);
  const extra = chain.capabilities.payerSwaps?.deposits?.refundWork ?? 0n;
  const net = refundAmount(context, unit, leg, back === undefined ? 0n : back.work + extra);
  if (back !== undefined) {
    const expensive = net.ok ? tooExpensive(context, unit, leg, net.amount) : net.why === 'nothingLeft';
    if (expensive) {
      payAsDeposited(context, unit, leg, back, 'the gas would take too much of it');
      return null;
    }
  }
  // guard: payback-after-sweep
  if (deposit !== undefined && net.ok && awaitsSweep(context, deposit)) {
    if (isOwedByOperator) hastenSweep(context, unit, deposit);
    return later(context, unit, leg, SLOW_POLL_MS);
  }
  if (net.ok) return net;
  if (net.why === 'notYet') return later(context, unit, leg, SLOW_POLL_MS);
  holdLeg(context, unit, leg, net.why === 'nothingLeft' ? 'AMOUNT_TOO_LOW_TO_REFUND' : 'MANUAL_REFUND_REQUIRED');
  return null;
}

function lacksRefundAddress(leg: LegRow, request: RequestRow | undefined, deposit: DepositRow | undefined): boolean {
  return deposit?.depositAddress != null && request?.refundTo === null && !paysRecovery(leg, request);
}

/** A custodian that was listed after the quote: it attributes incoming funds by a memo, which the payment lacks. */
function goesToCustodian(
  { policy }: Pick<WorkContext, 'policy'>,
  { chainId, recipient }: LegRow,
  deposit: DepositRow | undefined,
): boolean {
  if (deposit?.depositAddress == null) return false;
  // guard: no-refund-to-custodian
  return refuseCustodian(policy.custodians, chainId, recipient) !== undefined;
}

/** A screener blocks the recipient or the user, and not the depositor. */
function isBlockedLater(request: RequestRow | undefined): boolean {
  return request?.failReason === 'BLOCKED_WALLET';
}

/** Divisor: an exchange may cost at most a tenth of a plain refund. */
const EXCHANGE_COST_DIVISOR = 10n;

/** Whether the exchange costs too much gas compared with a plain refund. */
function tooExpensive(context: WorkContext, unit: UnitOfWork, leg: LegRow, amount: bigint): boolean {
  const plain = refundAmount(context, unit, leg);
  return plain.ok && (plain.amount - amount) * EXCHANGE_COST_DIVISOR > plain.amount;
}
