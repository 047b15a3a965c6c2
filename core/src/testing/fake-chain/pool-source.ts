import type { LiquiditySource, SwapAnswer, SwapWish } from '../../contract/liquidity.js';
import { encodeSwap } from './adapter/calls.js';
import type { FakeChain } from './fake-chain-types.js';
import { inputFor, outputFor, poolAddress } from './pools.js';

/**
 * Pools of call-making fake chains, quoted at the newest block.
 * @param measured as a source that builds calls on request without a limit of its own.
 */
export function poolSource(chains: readonly FakeChain[], measured = false): LiquiditySource {
  const known = new Map(chains.filter(({ profile }) => profile === 'nonce').map((chain) => [chain.id, chain]));
  return {
    id: measured ? MEASURED : POOLS,
    supports: (chainId) => known.has(chainId),
    quote: (wish) => {
      const chain = known.get(wish.chainId);
      return chain === undefined ? NO_ROUTE : quoteIn(chain, wish);
    },
    calls: ({ chainId, input, output, kind }, { amountIn, amountOut }, { limit }) => [
      {
        to: poolAddress(chainId, input, output),
        value: 0n,
        data: encodeSwap({
          input,
          output,
          amount: amountIn,
          least: measured ? 0n : kind === 'exactInput' ? limit : amountOut,
        }),
      },
    ],
    ...(measured ? { isMeasured: true, build: async (_, quote) => ({ ok: true, quote }) } : {}),
  };
}

export const POOLS = 'fake-pools';
export const MEASURED = 'fake-measured';

const NO_ROUTE: SwapAnswer = { ok: false, why: 'noRoute', message: 'there is no such pool' };

function quoteIn(chain: FakeChain, { input, output, kind, amount }: SwapWish): SwapAnswer {
  const reserves = chain.reserves(input, output);
  if (reserves.input === 0n || reserves.output === 0n) return NO_ROUTE;
  const isInput = kind === 'exactInput';
  const amountIn = isInput ? amount : inputFor(reserves, amount);
  if (amountIn === undefined) return { ok: false, why: 'tooMuch', message: 'the pool holds too little' };
  const amountOut = isInput ? outputFor(reserves, amount) : amount;
  if (amountOut === 0n)
    return { ok: false, why: 'tooMuch', message: 'the amount is worth less than the smallest unit' };
  const { height } = chain.history().head;
  return { ok: true, quotes: [{ amountIn, amountOut, route: [input, output], work: 0n, height, plan: null }] };
}
