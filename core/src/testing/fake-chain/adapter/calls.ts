import type { DestinationCall } from '../../../contract/chain-capabilities.js';
import type { Hex, OrderId } from '../../../contract/ids.js';
import type { FakeSwap } from '../pools.js';
import type { FakeCall } from '../transaction.js';

export function encodeCall({ to, value, data }: DestinationCall): Hex {
  return `0x${Buffer.from(JSON.stringify([to, value.toString(), data])).toString('hex')}`;
}

export function callAccount(orderId: OrderId): string {
  return `calls:${orderId.slice(2, 18)}`;
}

const SWAP = 'swap:';

export function encodeSwap({ input, output, amount, least }: FakeSwap): Hex {
  return `0x${Buffer.from(SWAP + JSON.stringify([input, output, `${amount}`, `${least}`])).toString('hex')}`;
}

export function decodeCall(encoded: Hex): FakeCall {
  const [to, value, data] = JSON.parse(Buffer.from(encoded.slice(2), 'hex').toString()) as [string, string, string];
  const text = Buffer.from(data.slice(2), 'hex').toString();
  const call = { to, value: BigInt(value) };
  if (!text.startsWith(SWAP)) return call;
  const [input, output, amount, least] = JSON.parse(text.slice(SWAP.length)) as [string, string, string, string];
  return { ...call, swap: { input, output, amount: BigInt(amount), least: BigInt(least) } };
}
