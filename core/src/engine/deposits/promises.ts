import { balancesPaid } from '../../capabilities/sponsorship/deposits.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId, UnixMs } from '../../contract/ids.js';
import type { QuoteRow, RequestRow, TombstoneRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';
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

/** @throws on infrastructure failure. */
export async function loadPromises(
  context: EngineContext,
  transfers: readonly DepositObservation[],
): Promise<Promises> {
  const orders = await matchOrders(context, transfers);
  const orderIds = [...new Set(orders.values())];
  if (orderIds.length === 0)
    return { ...NO_PROMISES, balances: await balancesPaid(context, transfers, () => 'nothing') };
  const { store } = context;
  const [quotes, parents] = await Promise.all([store.quotesByOrder(orderIds), store.requestsByOrder(orderIds)]);
  const named = new Set([...quotes, ...parents].map((row) => row.orderId));
  const nameless = orderIds.filter((id) => !named.has(id));
  const tombstones = nameless.length > 0 ? await store.tombstonesByOrder(nameless) : [];
  const known = new Set([...named, ...tombstones.map((row) => row.orderId)]);
  const balances = await balancesPaid(context, transfers, ({ fundingKey }) => {
    const orderId = orders.get(fundingKey);
    if (orderId === undefined) return 'nothing';
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
