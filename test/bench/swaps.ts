import type { SwapWish } from '@causeway/core';
import { SeededRandom } from '@causeway/core/testing';
import { startAnvil } from '@causeway/plugin-evm/devnet';
import { type PoolWorld, poolWorld } from '../../plugins/evm/test/support/pools.js';
import { uniswapArtifacts } from '../../plugins/evm/test/support/uniswap.js';
import { type Bench, ms, percentile } from './report.js';

const PER_SECOND = 200;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const MAX_P99_MS = 30;
/** A quote from memory must cost less than this share of a query to the chain on the same machine. */
const MAX_OF_ASKING = 0.5;

/**
 * Swap quotes from pools in memory at a steady rate: all paths of up to three pools between any two of four tokens,
 * both kinds of pools, either side fixed. Compared with querying the chain for one path.
 */
export const swapsBench: Bench = {
  name: 'swaps',
  about: `${PER_SECOND} swap quotes a second for ${SECONDS} s from cached pools, with a block a second`,
  async run() {
    const anvil = await startAnvil({ chainId: 31_337 });
    const world = await poolWorld(anvil);
    try {
      const random = new SeededRandom('swaps');
      const wish = (): SwapWish => {
        const [input = '', output = ''] = random.shuffled(world.tokens);
        const kind = random.pick(['exactInput', 'exactOutput'] as const);
        return { chainId: 31_337, input, output, kind, amount: BigInt(random.between(1, 1_000)) * 10n ** 15n };
      };
      for (let n = 0; n < 500; n += 1) quote(world, wish());
      const took: number[] = [];
      let answered = 0;
      let block = performance.now();
      const began = performance.now();
      for (let n = 0; n < PER_SECOND * SECONDS; n += 1) {
        const due = began + (n * 1_000) / PER_SECOND;
        while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
        if (performance.now() - block > 1_000) {
          block = performance.now();
          await world.dealer.client.request({ method: 'evm_mine' as never });
          void world.look();
        }
        const from = performance.now();
        if (quote(world, wish())) answered += 1;
        took.push(performance.now() - from);
      }
      const asked: number[] = [];
      for (let n = 0; n < 200; n += 1) asked.push(await ask(world));
      const [p50, p99, chain] = [percentile(took, 0.5), percentile(took, 0.99), percentile(asked, 0.5)];
      return [
        { name: 'answered', value: `${answered} of ${took.length}`, ok: answered > took.length * 0.9 },
        { name: 'quote, both kinds of pools, p50', value: `${p50.toFixed(2)} ms` },
        { name: 'quote, p99', value: `${p99.toFixed(2)} ms`, goal: `<= ${MAX_P99_MS} ms` },
        { name: 'the chain asked about one way (baseline), p50', value: ms(chain) },
        {
          name: 'p50 of a quote to that of asking',
          value: (p50 / chain).toFixed(2),
          goal: `<= ${MAX_OF_ASKING}`,
          ok: p50 / chain <= MAX_OF_ASKING,
        },
      ];
    } finally {
      await world.feed.stop();
      await anvil.stop();
    }
  },
};

function quote({ venues }: PoolWorld, wish: SwapWish): boolean {
  const answers = [venues.pairs.quote(wish), venues.pools.quote(wish)];
  return answers.some(({ ok }) => ok);
}

async function ask({ dealer, tokens }: PoolWorld): Promise<number> {
  const { abi } = uniswapArtifacts.pairRouter;
  const from = performance.now();
  await dealer.client
    .readContract({
      ...{ address: dealer.uniswap.pairRouter, abi, functionName: 'getAmountsOut' },
      args: [10n ** 18n, [tokens[0], tokens[1]]],
    })
    .catch(() => undefined);
  return performance.now() - from;
}
