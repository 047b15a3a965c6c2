import { newUser } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import { beginProfile } from '../deployed.js';
import type { LoadPlan, LoadResult } from '../http-load.js';
import { cpuMs, loadFrom, pinServer } from '../pinned.js';
import { proxiedWorld } from '../proxied-world.js';
import { type Bench, ms, percentile } from '../report.js';

const PASSES = 4;
const SECONDS = 4;
const CONNECTIONS = 32;
const GOAL = 0.8;

/** Alternates with the same quotes without a deposit address, on the same core. */
export const addressQuotesBench: Bench = {
  name: 'address-quotes',
  about: `POST /quote/v2 with a deposit address against the same without, ${PASSES} passes each in turn`,
  async run() {
    const { world, proxies, close } = await proxiedWorld({ addresses: true });
    try {
      for (const chain of world.chains) await chain.client.setIntervalMining({ interval: 1 });
      const pinned = pinServer(world.service.pid);
      beginProfile(world.service.pid);
      const [plain, addressed]: [Pass[], Pass[]] = [[], []];
      const calls = () => [...proxies.values()].reduce((sum, proxy) => sum + proxy.count(), 0);
      for (let n = 0; n < PASSES; n += 1) {
        plain.push(await pass(world, calls, false));
        addressed.push(await pass(world, calls, true));
      }
      const of = (passes: readonly Pass[], read: (one: Pass) => number) => percentile(passes.map(read), 0.5);
      const rate = (passes: readonly Pass[]) => of(passes, ({ perSecond }) => perSecond);
      const text = (passes: readonly Pass[]) =>
        `${rate(passes).toFixed(0)}/s, p50 ${ms(of(passes, ({ p50 }) => p50))}, p99 ${ms(of(passes, ({ p99 }) => p99))}`;
      const ratio = percentile(
        addressed.map(({ perSecond }, n) => perSecond / (plain[n]?.perSecond ?? Number.NaN)),
        0.5,
      );
      const refused = [...plain, ...addressed].find(({ notOk }) => notOk > 0);
      const [own, other] = [addressed, plain].map((passes) => of(passes, ({ cpuUs }) => cpuUs));
      const [perQuote, atPlain] = [addressed, plain].map((passes) => of(passes, ({ rpc }) => rpc));
      return [
        { name: 'one core each', value: pinned ? 'yes' : 'no (taskset is missing): the ratio is only indicative' },
        { name: 'without (baseline)', value: text(plain) },
        { name: 'with a deposit address', value: text(addressed) },
        {
          name: 'with / without',
          value: ratio.toFixed(3),
          ratio,
          goal: `>= ${GOAL}`,
          ok: ratio >= GOAL,
        },
        {
          name: 'processor time per request',
          value: `${own?.toFixed(0)} us, without ${other?.toFixed(0)} us`,
        },
        {
          name: 'RPC calls in a pass',
          value: `${perQuote?.toFixed(0)}, without ${atPlain?.toFixed(0)}`,
        },
        {
          name: 'answers that were not 200',
          value: refused?.refusal ?? '0',
          goal: '0',
          ok: refused === undefined,
        },
      ];
    } finally {
      await close();
    }
  },
};

type Pass = LoadResult & { readonly cpuUs: number; readonly rpc: number };

async function pass(world: World, calls: () => number, withAddress: boolean): Promise<Pass> {
  const { pid } = world.service;
  const [cpu, rpc] = [cpuMs(pid), calls()];
  const result = await loadFrom(planOf(world, withAddress));
  return { ...result, cpuUs: ((cpuMs(pid) - cpu) * 1_000) / result.served, rpc: calls() - rpc };
}

function planOf({ port, a, b }: World, withAddress: boolean): LoadPlan {
  const bodies = Array.from({ length: 64 }, (_, n) => {
    const symbol = n % 3 === 0 ? 'ETH' : 'USDC';
    return JSON.stringify({
      ...{ user: newUser().address, recipient: newUser().address, refundTo: newUser().address },
      ...{ originChainId: n % 2 === 0 ? a.id : b.id, destinationChainId: n % 2 === 0 ? b.id : a.id },
      ...{ originCurrency: a.currency(symbol), destinationCurrency: a.currency(n % 3 === 1 ? 'ETH' : 'USDC') },
      amount: String(symbol === 'ETH' ? 10n ** 16n + BigInt(n) : 50_000_000n + BigInt(n)),
      tradeType: 'EXACT_INPUT',
      ...(withAddress ? { useDepositAddress: true, strict: n % 4 < 2 } : {}),
    });
  });
  return {
    ...{ host: '127.0.0.1', port, path: '/quote/v2', bodies },
    ...{ connections: CONNECTIONS, warmupSeconds: 2, seconds: SECONDS },
  };
}
