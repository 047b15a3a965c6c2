import type { ChainFacts } from '../contract/chain-facts.js';
import type { Hex, OrderId } from '../contract/ids.js';

/** Fewest and most bytes of an order id that a chain may say its deposits carry, where they do not carry all 32. */
export const SHORT_ORDER_BYTES = { least: 16, most: 31 } as const;

type Facts = Pick<ChainFacts, 'orderIdBytes'>;

/** The first bytes of an order id. */
export function shortForm(orderId: OrderId, bytes: number): Hex {
  return orderId.slice(0, 2 + 2 * bytes) as Hex;
}

/** What is left of an order id, or of any short form of it, at the least that a chain may say. */
export function leastForm(orderId: OrderId): Hex {
  return shortForm(orderId, SHORT_ORDER_BYTES.least);
}

export function isWholeId(orderId: OrderId): boolean {
  return orderId.length === 2 + 2 * (SHORT_ORDER_BYTES.most + 1);
}

/** An order id as deposits of a chain carry it: whole, or its short form. */
export function carriedForm({ orderIdBytes }: Facts, orderId: OrderId): Hex {
  return orderIdBytes === undefined ? orderId : shortForm(orderId, orderIdBytes);
}

/** Whether this is a short form as deposits of a chain carry it, and no whole id. */
export function isShortForm({ orderIdBytes }: Facts, text: string): boolean {
  return orderIdBytes !== undefined && text.length === 2 + 2 * orderIdBytes && /^0x[0-9a-f]*$/.test(text);
}

/** Orders by their short form. */
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
