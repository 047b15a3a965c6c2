import type { DestinationCall, FillTopUp, Hex, SwapOutput } from '@causeway/core';
import { decodeAbiParameters, encodeAbiParameters, encodeFunctionData } from 'viem/utils';
import { routerAbi } from './abi.js';
import { asHex } from './addresses.js';

/** A call as public clients hash it: three tuples of one field each. */
const ENCODED = [
  { type: 'tuple', components: [{ name: 'to', type: 'address' }] },
  { type: 'tuple', components: [{ name: 'data', type: 'bytes' }] },
  { type: 'tuple', components: [{ name: 'value', type: 'uint256' }] },
] as const;

export function encodeCall({ to, data, value }: DestinationCall): Hex {
  return encodeAbiParameters(ENCODED, [{ to: asHex(to) }, { data }, { value }]);
}

export function decodeCall(encoded: Hex): DestinationCall {
  const [{ to }, { data }, { value }] = decodeAbiParameters(ENCODED, encoded);
  return { to: to.toLowerCase(), data, value };
}

/** The order id follows the calldata, where indexers of the protocol look for it. */
export function callsData(fill: CallsFill, calls: readonly Hex[]): Hex {
  const { currency, recipient, amount, deadline, orderId } = fill;
  const made = calls.map(decodeCall).map(({ to, value, data }) => ({ to: asHex(to), value, data }));
  const args = [asHex(currency), asHex(recipient), amount, BigInt(deadline), orderId, made] as const;
  return `${encoded(fill, args)}${orderId.slice(2)}`;
}

/** @throws for a swap with additional native coin, which no router function supports. */
function encoded({ wanted, topUp }: CallsFill, args: CallsArgs): Hex {
  if (wanted === undefined && topUp === undefined)
    return encodeFunctionData({ abi: routerAbi, functionName: 'fillWithCalls', args });
  if (wanted === undefined && topUp !== undefined)
    return encodeFunctionData({
      abi: routerAbi,
      functionName: 'fillCallsWithCoin',
      args: [...args, { amount: topUp.amount, id: topUp.orderId }],
    });
  if (wanted === undefined || topUp !== undefined) throw new Error('a fill that exchanges carries no coin');
  return encodeFunctionData({
    abi: routerAbi,
    functionName: 'fillWithSwap',
    args: [...args, { token: asHex(wanted.currency), least: wanted.least }],
  });
}

type CallsArgs = readonly [
  token: Hex,
  to: Hex,
  amount: bigint,
  deadline: bigint,
  orderId: Hex,
  calls: readonly { readonly to: Hex; readonly value: bigint; readonly data: Hex }[],
];

interface CallsFill {
  readonly currency: string;
  readonly recipient: string;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly deadline: number;
  readonly orderId: Hex;
  readonly wanted?: SwapOutput;
  readonly topUp?: FillTopUp;
}
