import { senderNonceText } from '../../capabilities/nonce-mappings/sent-by.js';
import type { DepositObservation, IsPromised } from '../../contract/deposits.js';
import type { ChainId, OrderId } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { byShortForm, carriedForm, isShortForm } from '../../domain/short-order.js';
import { chainOf, type EngineContext } from '../base/context.js';

type Naming = Pick<DepositObservation, 'chainId' | 'orderId'>;

/** A short form whose order is unknown: it names no order. */
export function isUnresolved(context: EngineContext, { chainId, orderId }: Naming): boolean {
  const facts = context.chains.get(chainId)?.facts;
  return facts !== undefined && orderId !== null && isShortForm(facts, orderId);
}

/**
 * Replaces short forms by whole order ids in one look-up. A form with no order or several stays: nothing is guessed.
 * Searches only quotes and tombstones: anyone can start a request under an id of their choice on chains with whole
 * ids.
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
    // guard: short-id-of-two-orders
    if (others.length === 0) return { ...seen, orderId: only };
    const facts = { chainId, fundingKey: seen.fundingKey, orders: [only, ...others] };
    context.log.warn(facts, 'a transfer names more than one order by its short form: it counts for none of them');
    return seen;
  });
}

/** A recorded transfer keeps its order, even if a later order gets the same form. */
export function asRecorded(
  context: EngineContext,
  transfers: readonly DepositObservation[],
  known: readonly DepositRow[],
): readonly DepositObservation[] {
  const rows = new Map(known.map((row) => [row.fundingKey, row]));
  return transfers.map((seen) => {
    const row = rows.get(seen.fundingKey);
    const before = row?.orderId ?? null;
    // A transfer to a deposit address names no order itself: it keeps its recorded one.
    if (row !== undefined && seen.depositAddress !== null && seen.depositAddress === row.depositAddress)
      return { ...seen, orderId: before };
    // guard: remapped-in-another-block
    if (row !== undefined && row.senderNonce !== null && row.senderNonce === senderNonceText(seen))
      return { ...seen, orderId: before };
    const isSame = before !== null && asCarried(context, seen.chainId, before) === carriedBy(context, seen);
    return isSame ? { ...seen, orderId: before } : seen;
  });
}

function carriedBy(context: EngineContext, { chainId, orderId }: Naming): string | null {
  return orderId === null ? null : asCarried(context, chainId, orderId);
}

/** An order id as deposits of its chain carry it. */
export function asCarried(context: EngineContext, chainId: ChainId, orderId: OrderId): OrderId {
  return carriedForm(chainOf(context, chainId).facts, orderId);
}

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
