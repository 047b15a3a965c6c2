import type { OrderId } from '../../../contract/ids.js';
import { carriedForm } from '../../../domain/short-order.js';
import type { FakeConfig } from './setup.js';

/** What a deposit shows of the order that it is for: its id, or as much of it as the chain has room for. */
export function shownOf({ facts }: FakeConfig, orderId: OrderId | null): OrderId | null {
  return orderId === null ? null : carriedForm(facts, orderId);
}
