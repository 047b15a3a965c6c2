import type { Hex } from '@causeway/core';
import { concatHex, encodeFunctionData, numberToHex } from 'viem/utils';
import { asHex, NATIVE } from '../../addresses.js';
import { swapRouterAbi as abi } from '../abi.js';
import { approved, NO_DEADLINE } from '../approved.js';
import type { RouterCalls } from '../router-venue.js';
import type { Passage } from '../through.js';

const WORK = { swap: 80_000n, hop: 75_000n, tick: 25_000n } as const;

export function poolRouter(router: string): RouterCalls {
  return {
    work: ({ pools, ticks }) => WORK.swap + WORK.hop * BigInt(pools.length) + WORK.tick * BigInt(ticks),
    calls: (wish, passage, parties, { nativeIn, nativeOut }) => {
      const { kind, amount } = wish;
      const { limit } = parties;
      // The zero address denotes the router itself, which unwraps the output.
      const common = { recipient: asHex(nativeOut ? NATIVE : parties.recipient), deadline: NO_DEADLINE };
      const exact = kind === 'exactInput';
      const swap = exact
        ? encodeFunctionData({
            abi,
            functionName: 'exactInput',
            args: [{ ...common, path: pathOf(passage, false), amountIn: amount, amountOutMinimum: limit }],
          })
        : encodeFunctionData({
            abi,
            functionName: 'exactOutput',
            args: [{ ...common, path: pathOf(passage, true), amountOut: amount, amountInMaximum: limit }],
          });
      const least = exact ? limit : amount;
      const after: readonly Hex[] = [
        ...(nativeOut
          ? [encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [least, asHex(parties.recipient)] })]
          : []),
        ...(nativeIn && !exact ? [encodeFunctionData({ abi, functionName: 'refundETH' })] : []),
      ];
      const data =
        after.length === 0 ? swap : encodeFunctionData({ abi, functionName: 'multicall', args: [[swap, ...after]] });
      return approved(wish, parties, nativeIn, { to: router, data });
    },
  };
}

function pathOf({ pools, tokens }: Passage, backwards: boolean): Hex {
  const [way, fees] = [[...tokens], pools.map(({ fee }) => numberToHex(fee, { size: 3 }))];
  if (backwards) {
    way.reverse();
    fees.reverse();
  }
  return concatHex(way.flatMap((token, index) => [asHex(token), ...(fees[index] === undefined ? [] : [fees[index]])]));
}
