import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { counter, legId } from '../../domain/accounts.js';
import type { FastFillPromise, QuoteBody } from '../../domain/quote.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { releaseChanges, reserveChanges, type Sponsored, settleChanges } from '../sponsorship/app-balance.js';
import { changeBalance } from '../sponsorship/credit.js';
import { mayStillSpend } from '../sponsorship/policy.js';
import type { SponsorCounters } from '../sponsorship/sponsor-fill.js';

/**
 * Fills of deposits that are not deep yet, at the risk of an integrator.
 *
 * Invariants (G10): such a fill is decided only with the whole value at risk reserved, in the same change set: the
 * greater of what was deposited and what is paid out. A deposit that leaves the chain after its fill was signed takes
 * that; one that is final, or whose fill did not happen, gives it back, also after it was taken. Each once. It is for one
 * deposit with its value at the time: before the signature of the fill, another deposit or value ends the reservation.
 */

/** Undefined where no fast fill was asked for. */
export function fastFillBody(request: Pick<RequestRow, 'id' | 'body'> | undefined): QuoteBody | undefined {
  if (request?.body.includes('"fastFill"') !== true) return undefined;
  const body = JSON.parse(request.body) as QuoteBody;
  // A child's body repeats its parent's.
  return body.fastFill === undefined || body.requestId !== request.id ? undefined : body;
}

/** Whether a deposit that is not deep may be decided, and what would be at risk; micro-USD. */
export function riskOf(
  unit: UnitOfWork,
  counters: SponsorCounters,
  request: RequestRow,
  { valueUsd, fundingKey, amount }: DepositRow,
  now: UnixMs,
): bigint | undefined {
  const body = fastFillBody(request);
  const { fastFill, sponsor } = body ?? {};
  if (fastFill === undefined || fastFill.state !== 'asked' || request.fundingKey !== fundingKey) return undefined;
  if (fastFill.least !== undefined && amount < BigInt(fastFill.least)) return undefined;
  const risk = BigInt(valueUsd);
  // What has no price cannot be reserved.
  if (risk === 0n || (fastFill.most !== undefined && risk > BigInt(fastFill.most))) return undefined;
  const { keyId, integratorId } = fastFill;
  const spends = { integratorId, amount: risk, calls: [] };
  // guard: fast-fills-need-their-key
  if (keyId !== undefined && !mayStillSpend(counters.sponsorKey(keyId), spends, now)) return undefined;
  const sponsored = BigInt(sponsor?.quoted.microUsd ?? '0');
  // guard: fast-fills-are-covered
  if (counters.total(unit, counter.available(fastFill.integratorId)) < risk + sponsored) return undefined;
  return risk;
}

/** After the decision: nothing is reserved where it is no fill. */
export function reserveFastFill(unit: UnitOfWork, request: RequestRow, risk: bigint, now: UnixMs): void {
  const current = unit.get('requests', request.id) ?? request;
  const body = fastFillBody(current);
  const fill = unit.get('legs', legId.fill(request.orderId));
  if (body?.fastFill === undefined || fill === undefined || fill.fundingKey !== request.fundingKey) return;
  const { fundingKey } = fill;
  const reserved = { risk: risk.toString(), ...(fundingKey === null ? {} : { fundingKey }) };
  const fastFill: FastFillPromise = { ...body.fastFill, ...reserved, state: 'open' };
  unit.add(reserveChanges(reservationOf(request, fastFill), now));
  set(unit, body, fastFill);
}

/** Ends reservations by what this unit of work says of deposit and fill. Called once, before it is written. */
export function followFastFills(unit: UnitOfWork, now: UnixMs): void {
  for (const request of unit.all('requests')) {
    const body = fastFillBody(request);
    const { fastFill } = body ?? {};
    const deposit = request.fundingKey === null ? undefined : unit.get('deposits', request.fundingKey);
    const fill = unit.get('legs', legId.fill(request.orderId));
    if (body === undefined || fastFill === undefined || !deposit || !fill) continue;
    const reserved = reservationOf(request, fastFill);
    const isSafe = deposit.state === 'final' || fill.state === 'void' || fill.state === 'closed';
    // Until it is decided again, the fill waits for finality: see `isUncovered`.
    const isUnpaid = deposit.state === 'vanished' && !isOut(fill);
    const isOfAnother = !isOut(fill) && !isFor(fastFill, deposit);
    if (fastFill.state === 'open' && (isSafe || isUnpaid || /* guard: fast-fills-of-one-deposit */ isOfAnother)) {
      unit.add(releaseChanges(reserved, now));
      set(unit, body, { ...fastFill, state: 'released' });
    } else if (fastFill.state === 'open' && deposit.state === 'vanished') {
      // guard: reorged-fast-fills-are-paid
      unit.add(settleChanges(reserved, reserved.amount, now));
      unit.count({ account: counter.fastFills(fastFill.integratorId), by: -reserved.amount });
      set(unit, body, { ...fastFill, state: 'taken' });
    } else if (fastFill.state === 'taken' && (isSafe || /* guard: unsigned-again-gives-back */ isUnpaid)) {
      const { integratorId } = fastFill;
      changeBalance(unit, {
        ...{ id: `${reserved.requestId}:back`, integratorId, kind: 'credit', amount: reserved.amount },
        ...{ requestId: request.id, chainId: null, currency: null, transactionHash: null },
        ...{ reason: 'the deposit of a fast fill came back, or was not filled', createdAt: now },
      });
      set(unit, body, { ...fastFill, state: 'released' });
    }
  }
}

/**
 * Whether a fill was decided early and nothing is reserved for it any more: its deposit left the chain before it was
 * signed. When that returns it may do so again, so the fill waits for its finality.
 */
export function isUncovered(request: RequestRow, { state }: Pick<DepositRow, 'state'>): boolean {
  return state !== 'final' && fastFillBody(request)?.fastFill?.state === 'released';
}

/** Rows of older versions do not say which deposit. */
function isFor({ fundingKey, risk = '0' }: FastFillPromise, deposit: DepositRow): boolean {
  return (fundingKey ?? deposit.fundingKey) === deposit.fundingKey && BigInt(risk) === BigInt(deposit.valueUsd);
}

/** Bytes that pay it exist, or others paid it. */
function isOut({ state }: LegRow): boolean {
  return state === 'bound' || state === 'done' || state === 'held';
}

function reservationOf(
  { id }: Pick<RequestRow, 'id'>,
  { integratorId, reservation, risk = '0' }: FastFillPromise,
): Sponsored {
  const caps = [{ account: counter.fastFills(integratorId) }];
  return { integratorId, requestId: reservation, shownAs: id, amount: BigInt(risk), caps };
}

function set(unit: UnitOfWork, body: QuoteBody, fastFill: FastFillPromise): void {
  unit.update('requests', body.requestId, { body: JSON.stringify({ ...body, fastFill }) });
}
