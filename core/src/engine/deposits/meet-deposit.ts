import { isOpen, supersede, unquotedBody } from '../../capabilities/deposit-addresses/transfer.js';
import { unwrittenRequest } from '../../capabilities/deposit-addresses/unwritten.js';
import { noteUnmapped } from '../../capabilities/nonce-mappings/recorded.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { OrderId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { canFund } from '../../domain/can-fund.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { WorkContext } from '../base/context.js';
import { isIdle } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { impliedStatus, isOut, takeBack } from '../books/deposit-life.js';
import { paidInAt } from '../books/paid-in.js';
import {
  actualIn,
  bookCost,
  bookDeposit,
  newDeposit,
  noteDeposit,
  orderOf,
  orphanBody,
  requestOfQuote,
  tombstoneBody,
} from '../books/reported-deposits.js';
import { moveRequest } from '../books/requests.js';
import { topUpOf } from '../books/top-up-leg.js';
import { isOutspent, lostItsDeposit } from '../books/unconfirmed.js';
import { microUsdOf } from '../books/value.js';
import { assertRecordable } from './poison-deposits.js';
import type { Promises } from './promises.js';
import { paysFor } from './settle-deposit.js';
import type { WatchSession } from './watch-session.js';

export function meetDeposit(
  context: WorkContext,
  unit: UnitOfWork,
  seen: DepositObservation,
  promises: Promises,
  session: WatchSession,
): void {
  assertRecordable(seen);
  const orderId = promises.orders.get(seen.fundingKey);
  const { quoteRow, tombstone, promised } = promiseOf(promises, orderId);
  const written =
    orderId && unit.all('requests').find((row) => row.orderId === orderId && row.parentRequestId === null);
  const unwritten =
    !written && seen.depositAddress !== null && quoteRow && promised ? unwrittenRequest(quoteRow, promised) : undefined;
  const parent = written || unwritten;
  const quote = promised ?? (parent && orderOf(parent));
  const appBalance = promises.balances.get(seen.fundingKey);
  const orphan = (): QuoteBody => ({
    ...orphanBody(context, seen, orderId),
    ...(appBalance === undefined ? {} : { appBalance }),
  });
  // Only a transfer to the address itself is quoted; a deposit into the depository that names its request is refunded.
  const open = isOpen(quote) && seen.depositAddress !== null;
  // Another transfer of the batch may already own the request.
  const body =
    open && quote !== undefined
      ? unquotedBody(context, quote, seen)
      : (quote ?? (tombstone && !parent ? tombstoneBody(orphan(), tombstone) : orphan()));
  const origin = (open && parent ? { ...parent, amountUsd: null } : quoteRow) ?? {
    keyId: tombstone?.keyId ?? null,
    amountUsd: null,
    createdAt: context.clock.now(),
    network: context.policy.network,
  };
  const funds = quote === undefined || open || (!isOpen(quote) && mayOwn(context, seen, quote));
  const adopts =
    parent !== undefined &&
    quote !== undefined &&
    funds &&
    !open &&
    (isUnpaid(parent) || mayAdopt(context, unit, parent, seen, quote, promises));
  const owns = adopts || (quote !== undefined && funds && parent === undefined);
  // guard: dust-without-rows
  if (!owns && isIgnored(context, seen, quote, session)) return;
  if (unwritten) unit.insert('requests', unwritten);
  // A transfer that does not own its order is a child request from the start.
  const parentId = parent?.id ?? (funds ? null : body.requestId);
  const request = adopts
    ? parent
    : unit.insert('requests', requestOfQuote(context, body, origin, parentId, seen.depositor));
  const deposit = unit.insert(
    'deposits',
    newDeposit(context, seen, { requestId: request.id, orderId: open ? body.orderId : orderId, quote }),
  );
  if (orderId === undefined) noteUnmapped(unit, seen);
  unit.update('requests', request.id, {
    fundingKey: deposit.fundingKey,
    sender: seen.depositor === '' ? null : seen.depositor,
    ...(seen.depositAddress === null ? {} : { depositor: seen.depositor === '' ? null : seen.depositor }),
    actual: actualIn(request, deposit),
  });
  if (deposit.state !== 'mempool') bookDeposit(context, unit, deposit, 1n);
  if (deposit.state === 'final') {
    context.latelyFinal.note(deposit);
    bookCost(context, unit, deposit, seen);
  }
  noteDeposit(context, unit, deposit, 'success');
  if (open && parent !== undefined) supersede(context, unit, parent, request);
  if (adopts && !isUnpaid(parent)) {
    if (parent.fundingKey !== null) takeBack(context, unit, parent.fundingKey);
    const fill = unit.get('legs', legId.fill(request.orderId));
    const extra = topUpOf(unit, request);
    // A replacement of an unconfirmed deposit continues the request.
    if (request.status !== 'failure') return;
    moveRequest(
      context,
      unit,
      request.id,
      'depositReturned',
      { failReason: null },
      { guard: impliedStatus([fill, extra].flatMap((leg) => leg ?? [])) },
    );
  } else {
    moveRequest(context, unit, request.id, 'depositSeen');
  }
}

const TENTHS = 10n;

/**
 * A transfer of less than a tenth does not own a strict address: otherwise the real payment would be refunded as a
 * duplicate.
 */
function mayOwn(context: WorkContext, seen: DepositObservation, quote: QuoteBody): boolean {
  if (/* guard: order-needs-enough */ canFund(quote, seen)) return true;
  if (seen.depositAddress === null || quote.tombstone) return seen.depositAddress !== null;
  return /* guard: strict-needs-a-share */ shareOf(context, seen, quote) >= 1n;
}

/** Tenths of the quoted value that arrived, by amount or by present prices. */
function shareOf(context: WorkContext, { chainId, currency, amount }: DepositObservation, quote: QuoteBody): bigint {
  const asked = BigInt(quote.amountIn);
  if (currency === quote.origin.currency) return (amount * TENTHS) / asked;
  const worth = microUsdOf(context, quote.origin.chainId, quote.origin.currency, asked);
  return worth === 0n ? 0n : (microUsdOf(context, chainId, currency, amount) * TENTHS) / worth;
}

/** The request of a deposit address that is not paid yet, or of a call or permit that is to make its deposit. */
function isUnpaid({ fundingKey, depositAddress, status }: RequestRow): boolean {
  return fundingKey === null && (status === 'depositing' || (depositAddress !== null && status === 'waiting'));
}

function isMadeByService(body: QuoteBody | undefined): boolean {
  return body?.call !== undefined || body?.permit !== undefined;
}

function promiseOf({ bodies, rows, tombstones }: Promises, orderId: OrderId | undefined) {
  if (orderId === undefined) return {};
  return { quoteRow: rows.get(orderId), tombstone: tombstones.get(orderId), promised: bodies.get(orderId) };
}

/**
 * A transfer that owns no order is ignored if its token is neither served nor promised, or if it is dust. What stays
 * in a pot is booked as unclaimed.
 */
function isIgnored(
  context: WorkContext,
  seen: DepositObservation,
  quote: QuoteBody | undefined,
  session: WatchSession,
): boolean {
  const { chainId, currency } = seen;
  const served = context.chains.get(chainId)?.currency(currency) !== undefined;
  const promised = quote?.origin.chainId === chainId && quote.origin.currency === currency;
  const why = !served && !promised ? 'notServed' : session.dust.covers(context, seen) ? 'dust' : null;
  if (why === null) return false;
  context.metrics.count('ignored_transfers', 'Transfers that no request is made for', { chain: chainId, why });
  return true;
}

/**
 * Whether a new transfer takes over a request whose deposit vanished or has an included rival, e.g. replaced by a
 * wallet. One that would not pay for a fill already sent is a duplicate.
 */
function mayAdopt(
  context: WorkContext,
  unit: UnitOfWork,
  parent: RequestRow,
  seen: DepositObservation,
  quote: QuoteBody,
  promises: Promises,
): boolean {
  const owner = parent.fundingKey === null ? undefined : unit.get('deposits', parent.fundingKey);
  // The call or permit that was to make its deposit failed, and it was made all the same.
  if (!owner) return parent.fundingKey === null && parent.status === 'failure' && isMadeByService(orderOf(parent));
  // A replacement by the payer's wallet, such as a fee bump, is not reported as a failure.
  const isPassedOn = isOutspent(owner) && parent.status === 'pending';
  if (!isPassedOn && !(owner.state === 'vanished' && lostItsDeposit(parent, owner))) return false;
  const fill = unit.get('legs', legId.fill(parent.orderId));
  if (!fill || isIdle(fill)) return true;
  const deposit = newDeposit(context, seen, { requestId: parent.id, orderId: parent.orderId, quote });
  // A lost send may have paid it back as a duplicate; that payment is then found and not repeated.
  if (paidInAt(deposit) <= promises.doubtedUntil) return false;
  return isOut(fill) && paysFor(context, deposit, quote, fill, topUpOf(unit, parent));
}
