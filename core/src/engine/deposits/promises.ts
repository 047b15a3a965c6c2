import { balancesPaid } from '../../capabilities/sponsorship/deposits.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId, UnixMs } from '../../contract/ids.js';
import type { QuoteRow, RequestRow, TombstoneRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';
import { orderOf } from '../books/reported-deposits.js';
import { doubtedUntil } from '../recovery/index.js';
import { matchOrders } from './match-orders.js';

export interface Promises {
  readonly orders: ReadonlyMap<FundingKey, OrderId>;
  readonly bodies: ReadonlyMap<string, QuoteBody>;
  readonly rows: ReadonlyMap<string, QuoteRow>;
  /** For orders whose quote was deleted. */
  readonly tombstones: ReadonlyMap<string, TombstoneRow>;
  readonly parents: readonly RequestRow[];
  /** Integrators whose app balances transfers top up. */
  readonly balances: ReadonlyMap<FundingKey, string>;
  /** Transfers until then may have been refunded by lost sends. */
  readonly doubtedUntil: UnixMs;
}

const NO_PROMISES: Promises = {
  ...{ orders: new Map(), bodies: new Map(), rows: new Map(), tombstones: new Map() },
  ...{ parents: [], balances: new Map(), doubtedUntil: Number.NEGATIVE_INFINITY },
};

/** Not what anyone may pay under any id. */
function isOrder(row: RequestRow): boolean {
  // guard: strangers-make-no-order
  return orderOf(row) !== undefined;
}

/** First bytes of an id that no order of this service has, or nothing. */
function carried({ orderId }: Pick<DepositObservation, 'orderId'>): OrderId | 'nothing' {
  return orderId ?? 'nothing';
}

/** @throws on infrastructure failure. */
export async function loadPromises(
  context: EngineContext,
  transfers: readonly DepositObservation[],
): Promise<Promises> {
  const orders = await matchOrders(context, transfers);
  const orderIds = [...new Set(orders.values())];
  if (orderIds.length === 0) return { ...NO_PROMISES, balances: await balancesPaid(context, transfers, carried) };
  const { store } = context;
  const [quotes, parents] = await Promise.all([store.quotesByOrder(orderIds), store.requestsByOrder(orderIds)]);
  const quoted = new Set(quotes.map((row) => row.orderId));
  const promised = parents.filter((row) => !quoted.has(row.orderId) && isOrder(row));
  const named = new Set([...quoted, ...promised.map((row) => row.orderId)]);
  const nameless = orderIds.filter((id) => !named.has(id));
  const tombstones = nameless.length > 0 ? await store.tombstonesByOrder(nameless) : [];
  const known = new Set([...named, ...tombstones.map((row) => row.orderId)]);
  const balances = await balancesPaid(context, transfers, (transfer) => {
    const orderId = orders.get(transfer.fundingKey);
    if (orderId === undefined) return carried(transfer);
    return known.has(orderId) ? 'an order' : orderId;
  });
  return {
    orders: new Map([...orders].filter(([fundingKey]) => !balances.has(fundingKey))),
    balances,
    bodies: new Map(quotes.map((quote) => [quote.orderId, JSON.parse(quote.body) as QuoteBody])),
    rows: new Map(quotes.map((quote) => [quote.orderId, quote])),
    tombstones: new Map(tombstones.map((tombstone) => [tombstone.orderId, tombstone])),
    parents,
    doubtedUntil: parents.length > 0 ? await doubtedUntil(context) : NO_PROMISES.doubtedUntil,
  };
}
