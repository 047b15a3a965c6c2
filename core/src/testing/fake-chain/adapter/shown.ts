import type { OrderId } from '../../../contract/ids.js';
import { carriedForm } from '../../../domain/short-order.js';
import type { FakeConfig } from './setup.js';

/** The order id as deposits show it: whole or its first bytes. */
export function shownOf({ facts }: FakeConfig, orderId: OrderId | null): OrderId | null {
  return orderId === null ? null : carriedForm(facts, orderId);
}
