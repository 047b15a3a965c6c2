import type { ChainFacts } from '../contract/chain-facts.js';
import type { Hex, OrderId } from '../contract/ids.js';

/** Bounds of `ChainFacts.orderIdBytes`. */
export const SHORT_ORDER_BYTES = { least: 16, most: 31 } as const;

type Facts = Pick<ChainFacts, 'orderIdBytes'>;

export function shortForm(orderId: OrderId, bytes: number): Hex {
  return orderId.slice(0, 2 + 2 * bytes) as Hex;
}

/** First bytes of an order id or of any short form, at the minimum length. */
export function leastForm(orderId: OrderId): Hex {
  return shortForm(orderId, SHORT_ORDER_BYTES.least);
}

export function isWholeId(orderId: OrderId): boolean {
  return orderId.length === 2 + 2 * (SHORT_ORDER_BYTES.most + 1);
}

export function carriedForm({ orderIdBytes }: Facts, orderId: OrderId): Hex {
  return orderIdBytes === undefined ? orderId : shortForm(orderId, orderIdBytes);
}

export function isShortForm({ orderIdBytes }: Facts, text: string): boolean {
  return orderIdBytes !== undefined && text.length === 2 + 2 * orderIdBytes && /^0x[0-9a-f]*$/.test(text);
}

export function byShortForm(orders: readonly OrderId[], bytes: number): ReadonlyMap<string, readonly OrderId[]> {
  const found = new Map<string, OrderId[]>();
  for (const order of new Set(orders)) {
    const form = shortForm(order, bytes);
    const same = found.get(form);
    if (same) same.push(order);
    else found.set(form, [order]);
  }
  return found;
}
