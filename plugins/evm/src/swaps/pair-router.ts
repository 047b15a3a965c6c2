import { type EncodeFunctionDataParameters, encodeFunctionData } from 'viem/utils';
import { asHex } from '../addresses.js';
import { pairRouterAbi as abi } from './abi.js';
import { approved, NO_DEADLINE } from './approved.js';
import type { RouterCalls } from './router-venue.js';

const WORK = { swap: 70_000n, hop: 65_000n } as const;

const FUNCTIONS = {
  exactInput: { in: 'swapExactETHForTokens', out: 'swapExactTokensForETH', none: 'swapExactTokensForTokens' },
  exactOutput: { in: 'swapETHForExactTokens', out: 'swapTokensForExactETH', none: 'swapTokensForExactTokens' },
} as const;

/** Uniswap V2 and forks. */
export function pairRouter(router: string): RouterCalls {
  return {
    work: ({ pools }) => WORK.swap + WORK.hop * BigInt(pools.length),
    calls: (wish, { tokens }, parties, { nativeIn, nativeOut }) => {
      const { kind, amount } = wish;
      const { limit } = parties;
      const way = [tokens.map(asHex), asHex(parties.recipient), NO_DEADLINE] as const;
      // Native input is given as the call's value.
      const bound = kind === 'exactInput' ? limit : amount;
      const data = encodeFunctionData({
        abi,
        functionName: FUNCTIONS[kind][nativeIn ? 'in' : nativeOut ? 'out' : 'none'],
        args: nativeIn ? [bound, ...way] : [amount, limit, ...way],
      } as EncodeFunctionDataParameters<typeof abi>);
      return approved(wish, parties, nativeIn, { to: router, data });
    },
  };
}
