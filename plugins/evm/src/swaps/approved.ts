import type { DestinationCall, SwapParties, SwapWish } from '@causeway/core';
import { encodeFunctionData } from 'viem/utils';
import { asHex } from '../addresses.js';
import { tokenAbi } from './abi.js';

/** The service's router enforces the order's deadline. */
export const NO_DEADLINE = 2n ** 256n - 1n;

/** A router call with an approval that does not outlast it. Native coin is sent as value. */
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
  // An exact input is used up; an exact output may leave some.
  return kind === 'exactInput' ? [approve(most), swap] : [approve(most), swap, approve(0n)];
}
