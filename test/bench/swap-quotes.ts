import { newUser } from '../support/wallet.js';
import { World } from '../support/world.js';
import type { LoadPlan } from './http-load.js';
import { loadFrom } from './pinned.js';
import { type Bench, ms } from './report.js';

const PER_SECOND = 200;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const CONNECTIONS = 32;
const MAX_P99_MS = 30;

/**
 * Quotes through the running service of transfers whose fill swaps: priced in every inventory currency, exchanged at
 * every source, the best one simulated on the chain. Plain transfers run at the same rate for comparison.
 */
export const swapQuotesBench: Bench = {
  name: 'swap-quotes',
  about: `${PER_SECOND} quotes a second for ${SECONDS} s of transfers into a currency that is in pools alone`,
  async run() {
    const world = await World.start({ venues: true });
    try {
      for (const chain of world.chains) await chain.client.setIntervalMining({ interval: 1 });
      const at = (output: string): LoadPlan => ({
        host: '127.0.0.1',
        port: world.port,
        path: '/quote/v2',
        bodies: bodies(world, output).map((body) => JSON.stringify(body)),
        connections: CONNECTIONS,
        rate: PER_SECOND,
        warmupSeconds: 3,
        seconds: SECONDS,
      });
      const plain = await loadFrom(at('USDC'));
      const swaps = await loadFrom(at('GOV'));
      const refusal = swaps.refusal ?? plain.refusal;
      const notOk = swaps.notOk + plain.notOk;
      return [
        { name: 'plain transfers (baseline)', value: `p50 ${ms(plain.p50)}, p99 ${ms(plain.p99)}` },
        { name: 'swaps, p50', value: ms(swaps.p50) },
        { name: 'swaps, p99', value: ms(swaps.p99), goal: `<= ${MAX_P99_MS} ms` },
        { name: 'p50 of a swap to that of a plain transfer', value: (swaps.p50 / plain.p50).toFixed(1) },
        {
          name: 'answers that were not 200',
          value: refusal === undefined ? '0' : `${notOk}, the first: ${refusal}`,
          goal: '0',
          ok: notOk === 0,
        },
      ];
    } finally {
      await world.close();
    }
  },
};

function bodies({ a, b }: World, output: string): object[] {
  return Array.from({ length: 256 }, (_, index) => ({
    user: newUser().address,
    recipient: newUser().address,
    originChainId: a.id,
    destinationChainId: b.id,
    originCurrency: a.currency('USDC'),
    destinationCurrency: b.currency(output),
    amount: String(50_000_000n + BigInt(index) * 1_000n),
    tradeType: index % 4 === 0 && output === 'GOV' ? 'EXACT_OUTPUT' : 'EXACT_INPUT',
    ...(index % 4 === 0 && output === 'GOV' ? { amount: String(10n ** 19n + BigInt(index)) } : {}),
  }));
}
