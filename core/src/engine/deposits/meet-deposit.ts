import type { DepositObservation } from '../../contract/deposits.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { canFund } from '../../domain/can-fund.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { WorkContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { impliedStatus, isOut, takeBack } from '../books/deposit-life.js';
import { paidInAt } from '../books/paid-in.js';
import {
  actualIn,
  bookDeposit,
  newDeposit,
  noteDeposit,
  orderOf,
  orphanBody,
  requestOfQuote,
  tombstoneBody,
} from '../books/reported-deposits.js';
import { moveRequest } from '../books/requests.js';
import { isOutspent, lostItsDeposit } from '../books/unconfirmed.js';
import { assertRecordable } from './poison-deposits.js';
import type { Promises } from './promises.js';
import { paysFor } from './settle-deposit.js';
import type { WatchSession } from './watch-session.js';

/** A transfer seen for the first time: it starts a request, or a child of one, unless it is worth less than that. */
export function meetDeposit(
  context: WorkContext,
  unit: UnitOfWork,
  seen: DepositObservation,
  promises: Promises,
  session: WatchSession,
): void {
  assertRecordable(seen);
  const { bodies, rows, tombstones } = promises;
  const quoteRow = seen.orderId === null ? undefined : rows.get(seen.orderId);
  const tombstone = seen.orderId === null ? undefined : tombstones.get(seen.orderId);
  const parent =
    seen.orderId === null
      ? undefined
      : unit.all('requests').find((row) => row.orderId === seen.orderId && row.parentRequestId === null);
  const quote = (seen.orderId === null ? undefined : bodies.get(seen.orderId)) ?? (parent && orderOf(parent));
  // Another transfer of the same batch may have made the request of a tombstone already.
  const body = quote ?? (tombstone && !parent ? tombstoneBody(context, seen, tombstone) : orphanBody(context, seen));
  const origin = quoteRow ?? {
    keyId: tombstone?.keyId ?? null,
    amountUsd: null,
    createdAt: context.clock.now(),
    network: context.policy.network,
  };
  const funds = quote === undefined || canFund(quote, seen);
  const adopts =
    parent !== undefined && quote !== undefined && funds && mayAdopt(context, unit, parent, seen, quote, promises);
  const owns = adopts || (quote !== undefined && funds && parent === undefined);
  if (!owns && isIgnored(context, seen, quote, session)) return;
  // What cannot fund the order is a child of it from the beginning, also where nothing owns the order yet.
  const parentId = parent?.id ?? (funds ? null : body.requestId);
  const request = adopts
    ? parent
    : unit.insert('requests', requestOfQuote(context, body, origin, parentId, seen.depositor));
  const deposit = unit.insert('deposits', newDeposit(context, seen, request.id, quote));
  unit.update('requests', request.id, {
    fundingKey: deposit.fundingKey,
    sender: seen.depositor,
    actual: actualIn(request, deposit),
  });
  if (deposit.state !== 'mempool') bookDeposit(context, unit, deposit, 1n);
  noteDeposit(unit, deposit, 'success');
  if (adopts) {
    if (parent.fundingKey !== null) takeBack(context, unit, parent.fundingKey);
    const fill = unit.get('legs', legId.fill(request.orderId));
    // One that took the place of an unconfirmed one goes on as if nothing had been.
    if (request.status !== 'failure') return;
    moveRequest(
      context,
      unit,
      request.id,
      'depositReturned',
      { failReason: null },
      { guard: impliedStatus(fill ? [fill] : []) },
    );
  } else {
    moveRequest(context, unit, request.id, 'depositSeen');
  }
}

/**
 * Whether nothing is written of a transfer that owns no order: it is of a token that is not served and was never promised
 * anything for, or worth so little that paying it back would cost more. What of it stays in a pot is booked there as unclaimed.
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
 * A request whose transfer vanished, or has a rival in a block, is open to another one that can fund the same order, as after
 * a wallet's replacement: it starts over, or pays for what was already sent. One that would not pay for that is a duplicate.
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
  if (!owner) return false;
  // Nobody is told of a failure where a wallet only raised the fee.
  const isPassedOn = isOutspent(owner) && parent.status === 'pending';
  if (!isPassedOn && !(owner.state === 'vanished' && lostItsDeposit(parent, owner))) return false;
  const fill = unit.get('legs', legId.fill(parent.orderId));
  if (!fill || fill.state === 'suspended') return true;
  const deposit = newDeposit(context, seen, parent.id, quote);
  // It may have been the duplicate once, and paid back as such: as a duplicate that is found out, and not done again.
  if (paidInAt(deposit) <= promises.doubtedUntil) return false;
  return isOut(fill) && paysFor(context, deposit, quote, fill);
}
