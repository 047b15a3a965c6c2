import { readFileSync } from 'node:fs';
import { ordersIn, payer, signDeposits, statuses } from './crowd.js';
import { proxiedWorld } from './proxied-world.js';
import { type Bench, percentile } from './report.js';

const DEPOSITS = 500;
const LIMIT_MS = 5_000;
const RSS_MB = 250;

export const burstBench: Bench = {
  name: 'burst',
  about: `${DEPOSITS} deposits at once, one solver signer`,
  async run() {
    const { world, proxies, close } = await proxiedWorld({ quoteValidityMs: 600_000, orderTtl: '600s' });
    try {
      const user = await payer(world.a);
      const deposits = await signDeposits(world, world.a, world.b, user, DEPOSITS, 10n ** 15n);
      await world.a.manual();
      await world.b.client.setIntervalMining({ interval: 1 });
      for (const deposit of deposits) await world.a.client.sendRawTransaction({ serializedTransaction: deposit.raw });
      while ((await world.a.client.getTxpoolStatus()).pending > 0) await world.a.mine();
      const lastBlock = performance.now();
      const baseline = await plainSends(world, user.address);
      const deadline = performance.now() + 60_000;
      const orders = new Set<string>(deposits.map((deposit) => deposit.orderId));
      const broadcast = new Map<string, number>();
      let read = 0;
      const calls = proxies.get(world.b.id)?.calls ?? [];
      while (broadcast.size < DEPOSITS && performance.now() < deadline) {
        for (; read < calls.length; read += 1) {
          const call = calls[read];
          if (call?.method !== 'eth_sendRawTransaction') continue;
          for (const order of ordersIn(String(call.params[0]), orders))
            if (!broadcast.has(order)) broadcast.set(order, call.at);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const carriers = new Set(
        calls.flatMap(({ method, params }) =>
          method === 'eth_sendRawTransaction' && ordersIn(String(params[0]), orders).length > 0 ? [params[0]] : [],
        ),
      );
      const last = Math.max(...broadcast.values()) - lastBlock;
      await world.a.automatic();
      await world.a.client.setIntervalMining({ interval: 1 });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const rss = rssOf(world.service.pid);
      const seen = await statuses(
        world,
        deposits.map((deposit) => deposit.requestId),
      );
      const fills = await fillsPerOrder(world, orders);
      const once = [...fills.values()].filter((count) => count === 1).length;
      const waiting = await world.b.pendingFrom(world.keys.fill.address);
      return [
        { name: 'fills broadcast', value: `${broadcast.size} of ${DEPOSITS}`, ok: broadcast.size === DEPOSITS },
        { name: 'transactions that carried them', value: String(carriers.size) },
        { name: 'last fill after the last block', value: `${last.toFixed(0)} ms`, goal: `<= ${LIMIT_MS} ms` },
        {
          name: 'against as many plain sends',
          value: `${(last / baseline).toFixed(1)} x ${baseline.toFixed(0)} ms`,
          goal: '<= 10 x, or the time above',
          ok: last <= Math.max(LIMIT_MS, 10 * baseline),
        },
        {
          name: 'orders filled exactly once',
          value: `${once} of ${DEPOSITS}`,
          ok: once === DEPOSITS && fills.size === DEPOSITS,
        },
        { name: 'fills stuck behind a nonce gap', value: String(waiting), goal: '0', ok: waiting === 0 },
        { name: 'statuses', value: JSON.stringify(seen) },
        {
          name: 'service RSS after the burst',
          value: `${rss.toFixed(0)} MB`,
          goal: `<= ${RSS_MB} MB`,
          ok: rss <= RSS_MB,
        },
      ];
    } finally {
      await close();
    }
  },
};

type World = Awaited<ReturnType<typeof proxiedWorld>>['world'];

async function plainSends(world: World, address: `0x${string}`): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const start = performance.now();
    for (let from = 0; from < DEPOSITS; from += 16) {
      await Promise.all(Array.from({ length: 16 }, () => world.b.client.getTransactionCount({ address })));
    }
    times.push(performance.now() - start);
  }
  return percentile(times, 0.5);
}

/** By order id; from the events of the router. */
export async function fillsPerOrder(world: World, orders: ReadonlySet<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const logs = await world.b.client.getLogs({ address: world.b.router, fromBlock: 0n });
  for (const log of logs) {
    const order = log.topics.find((topic) => topic !== undefined && orders.has(topic));
    if (order) found.set(order, (found.get(order) ?? 0) + 1);
  }
  return found;
}

export function rssOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
