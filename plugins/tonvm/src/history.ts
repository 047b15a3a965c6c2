import {
  type LegInstruction,
  type LegPaid,
  NotYetError,
  type OrderId,
  type UnixMs,
  type UnixSeconds,
} from '@causeway/core';
import { Address } from '@ton/core';
import { textOf } from './addresses.js';
import { readAccount, type TonProvider } from './chain/read.js';
import { agreed } from './lane/ends.js';
import type { LookDeps } from './lane/look.js';
import { nameOfLeg } from './lane/messages.js';
import { payersOf, type Role } from './lane/role.js';
import { maySend, orders } from './lane/sent-book.js';
import type { Outcome, Trace } from './lane/trace.js';

/**
 * Read from the paying wallet's history, because no contract records payments: each transaction is named by the next
 * one, so that a gap shows.
 *
 * @throws NotYetError while a message that may pay it is in flight, missing, unreadable or in an unknown jetton, and
 * while providers do not agree that it is unpaid. Forgotten where no provider has the whole history. TransportError
 */
export async function paidBy(deps: LookDeps, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  for (const role of payersOf(deps.roles, leg.kind)) {
    const paid = await paidFrom(deps, role, leg, since);
    if (paid !== undefined) return paid;
  }
  return undefined;
}

function paidFrom(deps: LookDeps, role: Role, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  const name = nameOfLeg(leg);
  const ask = async (provider: TonProvider): Promise<LegPaid | undefined> => {
    const account = await readAccount(provider, role.signer.raw, deps.feed.floor());
    let unread: string | undefined;
    for await (const order of orders(provider, role.signer.raw, account.last)) {
      if ('unread' in order) {
        if (maySend(order, (message) => deps.traces.names(message, name))) unread ??= order.unread;
        continue;
      }
      const { transaction } = order;
      if (transaction.utime * 1_000 < since) break;
      if (!transaction.sent.some((message) => deps.traces.names(message, name))) continue;
      const paid = paymentIn(await deps.traces.of(provider, transaction), name);
      if (paid === 'open') throw new NotYetError('a payment of it may be in flight or missing');
      if (paid === undefined || transaction.externalHash === undefined) continue;
      return {
        ...{ hash: transaction.externalHash, block: await deps.blocks.ofLt(provider, transaction.lt), final: true },
        ...{ sender: role.signer.address, currency: paid.currency, moved: paid.amount },
        recipient: textOf(Address.parse(paid.recipient)),
      };
    }
    // guard: ton-unread-payments
    if (unread !== undefined) throw new NotYetError(`it may be paid by ${unread}, which cannot be read`);
    return undefined;
  };
  return agreed(deps, ask, {
    isUnpaid: (answer) => answer === undefined,
    compare: (_, other) => (other === undefined ? 'same' : 'different'),
  });
}

/** Neither shown to have arrived nor to be back. */
const UNPROVEN: ReadonlySet<Outcome['end']> = new Set(['pending', 'lost', 'unread']);

function paymentIn({ outcomes }: Trace, name: string) {
  const named = outcomes.filter(({ payment }) => payment?.name === name);
  // guard: ton-unproven-payments
  if (named.some(({ end }) => UNPROVEN.has(end))) return 'open';
  return named.find(({ end }) => end === 'arrived')?.payment;
}

/**
 * Proof that an order is unfilled and never can be filled. Each part is needed:
 * - the wallet's shard is past the deadline by its own time, which never goes back: wallet messages expire with the
 *   order that they fill;
 * - the history of each fill wallet, former ones too, is complete since the order was made;
 * - nothing in them filled the order, still may, or may have without being readable.
 *
 * @throws NotYetError while providers do not agree on it. TransportError
 */
export async function unfilledForGood(
  deps: LookDeps,
  orderId: OrderId,
  deadline: UnixSeconds,
  since: UnixMs,
): Promise<boolean> {
  for (const role of payersOf(deps.roles, 'fill'))
    if (!(await isUnfilledBy(deps, role, orderId, deadline, since))) return false;
  return true;
}

async function isUnfilledBy(
  deps: LookDeps,
  role: Role,
  orderId: OrderId,
  deadline: UnixSeconds,
  since: UnixMs,
): Promise<boolean> {
  const ask = async (provider: TonProvider): Promise<'filled' | 'unfilled' | 'open'> => {
    const account = await readAccount(provider, role.signer.raw, deps.feed.floor());
    // guard: ton-deadline-passed
    if (account.utime <= deadline) return 'open';
    let mayBePaid = false;
    for await (const order of orders(provider, role.signer.raw, account.last)) {
      if ('unread' in order) {
        mayBePaid ||= maySend(order, (message) => deps.traces.names(message, orderId));
        continue;
      }
      const { transaction } = order;
      if (transaction.utime * 1_000 < since) break;
      if (!transaction.sent.some((message) => deps.traces.names(message, orderId))) continue;
      const payment = paymentIn(await deps.traces.of(provider, transaction), orderId);
      if (payment !== undefined) return payment === 'open' ? 'open' : 'filled';
    }
    return /* guard: ton-unread-fills */ mayBePaid ? 'open' : 'unfilled';
  };
  const fate = await agreed(deps, ask, {
    isUnpaid: (answer) => answer === 'unfilled',
    compare: (answer, other) => (other === answer ? 'same' : other === 'filled' ? 'different' : 'nothing'),
  });
  return fate === 'unfilled';
}
