import type { Hex } from '@causeway/core';
import { encodeFunctionData } from 'viem/utils';
import { asHex } from '../addresses.js';
import { pairRouterAbi as abi } from './abi.js';
import { approved, NO_DEADLINE } from './approved.js';
import type { RouterCalls } from './router-venue.js';

const WORK = { swap: 70_000n, hop: 65_000n } as const;

/** The router of Uniswap V2 and of its forks. */
export function pairRouter(router: string): RouterCalls {
  return {
    work: ({ pools }) => WORK.swap + WORK.hop * BigInt(pools.length),
    calls: (wish, { tokens }, parties, { nativeIn, nativeOut }) => {
      const [path, to] = [tokens.map(asHex), asHex(parties.recipient)];
      const { amount } = wish;
      const { limit } = parties;
      const data = ((): Hex => {
        if (wish.kind === 'exactInput') {
          if (nativeIn)
            return encodeFunctionData({
              abi,
              functionName: 'swapExactETHForTokens',
              args: [limit, path, to, NO_DEADLINE],
            });
          const args = [amount, limit, path, to, NO_DEADLINE] as const;
          return encodeFunctionData(
            nativeOut
              ? { abi, functionName: 'swapExactTokensForETH', args }
              : { abi, functionName: 'swapExactTokensForTokens', args },
          );
        }
        if (nativeIn)
          return encodeFunctionData({
            abi,
            functionName: 'swapETHForExactTokens',
            args: [amount, path, to, NO_DEADLINE],
          });
        const args = [amount, limit, path, to, NO_DEADLINE] as const;
        return encodeFunctionData(
          nativeOut
            ? { abi, functionName: 'swapTokensForExactETH', args }
            : { abi, functionName: 'swapTokensForExactTokens', args },
        );
      })();
      return approved(wish, parties, nativeIn, { to: router, data });
    },
  };
}
