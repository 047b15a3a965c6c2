import type { DestinationCall } from '../../../contract/chain-capabilities.js';
import type { Hex, OrderId } from '../../../contract/ids.js';
import type { FakeCall } from '../transaction.js';

/** A call in orders of a fake chain: its text, as bytes. */
export function encodeCall({ to, value, data }: DestinationCall): Hex {
  return `0x${Buffer.from(JSON.stringify([to, value.toString(), data])).toString('hex')}`;
}

/** Whoever makes the calls of an order has no account there: nobody asks who called. */
export function callAccount(orderId: OrderId): string {
  return `calls:${orderId.slice(2, 18)}`;
}

/** What a fake chain does about it: nobody there reads calldata. */
export function decodeCall(encoded: Hex): FakeCall {
  const [to, value] = JSON.parse(Buffer.from(encoded.slice(2), 'hex').toString()) as [string, string];
  return { to, value: BigInt(value) };
}
