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
import { readAccount } from './chain/read.js';
import type { LookDeps } from './lane/look.js';
import { nameOfLeg } from './lane/messages.js';
import type { Role } from './lane/role.js';
import { orders } from './lane/sent-book.js';
import type { Trace } from './lane/trace.js';

/**
 * What paid a leg, whether this ledger knows of it or not. No contract remembers it, so the history of the wallet that pays such legs
 * tells: each transaction in it is named by the one after it, and a provider that forgot a part of it is refused by its own word.
 *
 * @throws NotYetError while a message that may pay it is on its way, or is nowhere, or in a jetton that is not known yet. Forgotten where nobody has the whole history. TransportError
 */
export function paidBy(deps: LookDeps, role: Role, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  const name = nameOfLeg(leg);
  return deps.providers.run(async (provider) => {
    const account = await readAccount(provider, role.signer.raw, deps.feed.floor());
    for await (const { transaction } of orders(provider, role.signer.raw, account.last)) {
      if (transaction.utime * 1_000 < since) return undefined;
      if (!transaction.sent.some((message) => deps.traces.names(message, name))) continue;
      const paid = paymentIn(await deps.traces.of(provider, transaction), name);
      if (paid === 'open') throw new NotYetError('what may pay it is on its way, or is nowhere');
      if (paid === undefined || transaction.externalHash === undefined) continue;
      return {
        ...{ hash: transaction.externalHash, block: await deps.blocks.ofLt(provider, transaction.lt), final: true },
        ...{ sender: role.signer.address, currency: paid.currency, moved: paid.amount },
        recipient: textOf(Address.parse(paid.recipient)),
      };
    }
    return undefined;
  });
}

function paymentIn({ outcomes }: Trace, name: string) {
  const named = outcomes.filter(({ payment }) => payment?.name === name);
  if (named.some(({ end }) => end === 'pending' || end === 'lost')) return 'open';
  return named.find(({ end }) => end === 'arrived')?.payment;
}

/**
 * Proof that an order was not filled and never can be. Three things make it one, and each is needed:
 * - the state of the wallet's shard is past the deadline, by the shard's own time, which never goes back: orders of a wallet run out with
 *   what they fill, so none can be taken any more, whenever a block of the masterchain comes to cover it;
 * - the history of the fill wallet is whole since the order was made;
 * - nothing in it filled the order, or still may.
 */
export function unfilledForGood(
  deps: LookDeps,
  role: Role,
  orderId: OrderId,
  deadline: UnixSeconds,
  since: UnixMs,
): Promise<boolean> {
  return deps.providers.run(async (provider) => {
    const account = await readAccount(provider, role.signer.raw, deps.feed.floor());
    if (account.utime <= deadline) return false;
    for await (const { transaction } of orders(provider, role.signer.raw, account.last)) {
      if (transaction.utime * 1_000 < since) return true;
      if (!transaction.sent.some((message) => deps.traces.names(message, orderId))) continue;
      if (paymentIn(await deps.traces.of(provider, transaction), orderId) !== undefined) return false;
    }
    return true;
  });
}
