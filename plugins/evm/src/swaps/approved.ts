import type { DestinationCall, SwapParties, SwapWish } from '@causeway/core';
import { encodeFunctionData } from 'viem/utils';
import { asHex } from '../addresses.js';
import { tokenAbi } from './abi.js';

/** Orders have deadlines of their own, which our router holds. */
export const NO_DEADLINE = 2n ** 256n - 1n;

/** A call of a router, with an approval of the input that it takes, which is gone afterwards. Native coin is sent along. */
export function approved(
  { kind, amount, input }: SwapWish,
  { limit }: SwapParties,
  nativeIn: boolean,
  { to, data }: Pick<DestinationCall, 'to' | 'data'>,
): readonly DestinationCall[] {
  const most = kind === 'exactInput' ? amount : limit;
  if (nativeIn) return [{ to, data, value: most }];
  const approve = (units: bigint): DestinationCall => ({
    to: input,
    value: 0n,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [asHex(to), units] }),
  });
  const swap = { to, data, value: 0n };
  // An exact input is taken whole; of an exact output some may be left.
  return kind === 'exactInput' ? [approve(most), swap] : [approve(most), swap, approve(0n)];
}
