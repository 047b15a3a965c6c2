import { createPublicClient, type Hex, webSocket } from 'viem';
import { ordersIn, payer, type SignedDeposit, signDeposits } from './crowd.js';
import { proxiedWorld } from './proxied-world.js';
import { type Bench, ms, percentile } from './report.js';

const PER_SECOND = 10;
const SECONDS = 30;

/** From the head with the deposit, as a subscriber sees it, to the fill's bytes reaching the destination's RPC. */
export const latencyBench: Bench = {
  name: 'latency',
  about: `deposit included -> fill broadcast, ${PER_SECOND} deposits a second, 1 s blocks`,
  async run() {
    const { world, proxies, close } = await proxiedWorld({ quoteValidityMs: 600_000, orderTtl: '600s' });
    try {
      const user = await payer(world.a);
      const deposits = await signDeposits(world, world.a, world.b, user, PER_SECOND * SECONDS, 10n ** 15n);
      for (const chain of world.chains) await chain.client.setIntervalMining({ interval: 1 });
      const included = new Map<string, number>();
      const byHash = new Map(deposits.map((deposit) => [deposit.hash as string, deposit]));
      const socket = createPublicClient({
        transport: webSocket(world.a.url.replace('http', 'ws'), { reconnect: false }),
      });
      const stop = socket.watchBlocks({
        onBlock: (block) => {
          const at = performance.now();
          void world.a.client.getBlock({ blockHash: block.hash as Hex }).then(({ transactions }) => {
            for (const hash of transactions) {
              const deposit = byHash.get(hash);
              if (deposit) included.set(deposit.orderId, at);
            }
          });
        },
      });
      const baseline = await roundTrips(world.b.client.request as never);
      await sendOnSchedule(deposits, (raw) => world.a.client.sendRawTransaction({ serializedTransaction: raw }));
      await settled(() => world.rest.status(deposits.at(-1)?.requestId ?? ''));
      stop();
      (await socket.transport.getRpcClient()).close();
      const orders = new Set<string>(deposits.map((deposit) => deposit.orderId));
      const latencies: number[] = [];
      const seen = new Set<string>();
      for (const call of proxies.get(world.b.id)?.calls ?? []) {
        if (call.method !== 'eth_sendRawTransaction') continue;
        for (const order of ordersIn(String(call.params[0]), orders)) {
          const from = included.get(order);
          if (from === undefined || seen.has(order)) continue;
          seen.add(order);
          latencies.push(call.at - from);
        }
      }
      const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
      return [
        {
          name: 'deposits filled',
          value: `${latencies.length} of ${deposits.length}`,
          ok: latencies.length === deposits.length,
        },
        { name: 'one RPC round trip (baseline)', value: ms(baseline) },
        {
          name: 'p50',
          value: `${ms(p50)}, ${(p50 / baseline).toFixed(0)} round trips`,
          goal: '<= 50 ms',
          ok: p50 <= Math.max(50, 100 * baseline),
        },
        {
          name: 'p99',
          value: `${ms(p99)}, ${(p99 / baseline).toFixed(0)} round trips`,
          goal: '<= 250 ms',
          ok: p99 <= Math.max(250, 500 * baseline),
        },
      ];
    } finally {
      await close();
    }
  },
};

async function sendOnSchedule(deposits: readonly SignedDeposit[], send: (raw: Hex) => Promise<unknown>): Promise<void> {
  const start = performance.now();
  for (const [index, deposit] of deposits.entries()) {
    const due = start + (index * 1000) / PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    await send(deposit.raw);
  }
}

async function settled(read: () => Promise<{ status: string }>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await read()).status === 'success') return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function roundTrips(request: (call: { method: string }) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 50; index += 1) {
    const start = performance.now();
    await request({ method: 'eth_blockNumber' });
    times.push(performance.now() - start);
  }
  return percentile(times, 0.5);
}
