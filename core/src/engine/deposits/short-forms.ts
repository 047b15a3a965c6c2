import type { DepositObservation, IsPromised } from '../../contract/deposits.js';
import type { ChainId, OrderId } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { byShortForm, carriedForm, isShortForm } from '../../domain/short-order.js';
import { chainOf, type EngineContext } from '../base/context.js';

type Naming = Pick<DepositObservation, 'chainId' | 'orderId'>;

/** Whether what a transfer carries is a short form of which it is not known whose it is: it names no order. */
export function isUnresolved(context: EngineContext, { chainId, orderId }: Naming): boolean {
  const facts = context.chains.get(chainId)?.facts;
  return facts !== undefined && orderId !== null && isShortForm(facts, orderId);
}

/**
 * Transfers with whole order ids in the place of short forms, looked up once for all of them. A form that no order has, or more
 * than one, stays as it is: nothing is guessed, neither by amount nor by time. Where deposits carry whole ids nothing is read.
 *
 * Orders are those that this service promised: their quotes, and what is left of those. Requests are not looked at, as whoever pays
 * on a chain with room for whole ids can begin one under an id of his choice.
 *
 * @throws on infrastructure failure.
 */
export async function withWholeIds(
  context: EngineContext,
  chainId: ChainId,
  transfers: readonly DepositObservation[],
): Promise<readonly DepositObservation[]> {
  const { orderIdBytes } = chainOf(context, chainId).facts;
  if (orderIdBytes === undefined) return transfers;
  const forms = new Set(transfers.flatMap((seen) => (isUnresolved(context, seen) ? (seen.orderId ?? []) : [])));
  if (forms.size === 0) return transfers;
  const found = byShortForm(await context.store.ordersByPrefix([...forms]), orderIdBytes);
  return transfers.map((seen) => {
    const [only, ...others] = (seen.orderId === null ? undefined : found.get(seen.orderId)) ?? [];
    if (only === undefined) return seen;
    if (others.length === 0) return { ...seen, orderId: only };
    const facts = { chainId, fundingKey: seen.fundingKey, orders: [only, ...others] };
    context.log.warn(facts, 'a transfer carries a short form that more than one order has: it is of none of them');
    return seen;
  });
}

/**
 * What is recorded of a transfer says which order it names, as long as it carries the same: an order that came to have the same form
 * later changes nothing about it, as when a reorg has it told again.
 */
export function asRecorded(
  context: EngineContext,
  transfers: readonly DepositObservation[],
  known: readonly DepositRow[],
): readonly DepositObservation[] {
  const rows = new Map(known.map((row) => [row.fundingKey, row]));
  return transfers.map((seen) => {
    const before = rows.get(seen.fundingKey)?.orderId ?? null;
    const isSame = before !== null && asCarried(context, seen.chainId, before) === carriedBy(context, seen);
    return isSame ? { ...seen, orderId: before } : seen;
  });
}

function carriedBy(context: EngineContext, { chainId, orderId }: Naming): string | null {
  return orderId === null ? null : asCarried(context, chainId, orderId);
}

/** What an adapter told, or is asked about: an order id as deposits of its chain carry it. */
export function asCarried(context: EngineContext, chainId: ChainId, orderId: OrderId): OrderId {
  return carriedForm(chainOf(context, chainId).facts, orderId);
}

/** `IsPromised` of a chain, whose deposits carry whole ids or short forms. */
export function isPromisedOn({ store, chains }: EngineContext, chainId: ChainId): IsPromised {
  const bytes = chains.get(chainId)?.facts.orderIdBytes;
  return async (named) => {
    try {
      if (bytes !== undefined) {
        const found = byShortForm(await store.ordersByPrefix(named), bytes);
        return new Set(named.filter((form) => found.has(form)));
      }
      return new Set((await store.quotesByOrder(named)).map(({ orderId }) => orderId));
    } catch {
      return new Set();
    }
  };
}
