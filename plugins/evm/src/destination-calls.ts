import type { CoinBeside, DestinationCall, Hex, SwapOutput } from '@causeway/core';
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

/** @throws for what `encodeCall` did not make. */
export function decodeCall(encoded: Hex): DestinationCall {
  const [{ to }, { data }, { value }] = decodeAbiParameters(ENCODED, encoded);
  return { to: to.toLowerCase(), data, value };
}

/** What the router is told for a fill with calls; after it the order id once more, where indexers of the protocol look for it. */
export function callsData(fill: CallsFill, calls: readonly Hex[]): Hex {
  const { currency, recipient, amount, deadline, orderId } = fill;
  const made = calls.map(decodeCall).map(({ to, value, data }) => ({ to: asHex(to), value, data }));
  const args = [asHex(currency), asHex(recipient), amount, BigInt(deadline), orderId, made] as const;
  return `${encoded(fill, args)}${orderId.slice(2)}`;
}

/** @throws for what no function does: an exchange whose calls have coin to spend beside it. */
function encoded({ wanted, coin }: CallsFill, args: CallsArgs): Hex {
  if (wanted === undefined && coin === undefined)
    return encodeFunctionData({ abi: routerAbi, functionName: 'fillWithCalls', args });
  if (wanted === undefined && coin !== undefined)
    return encodeFunctionData({
      abi: routerAbi,
      functionName: 'fillCallsWithCoin',
      args: [...args, { amount: coin.amount, id: coin.orderId }],
    });
  if (wanted === undefined || coin !== undefined) throw new Error('a fill that exchanges carries no coin');
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
  /** What the calls must bring, where they exchange what is delivered. */
  readonly wanted?: SwapOutput;
  /** What they may spend beside a token. */
  readonly coin?: CoinBeside;
}
