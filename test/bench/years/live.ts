import { ADMIN_KEY } from '../../support/config.js';
import { newUser, type User } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import { rssOf } from '../burst.js';
import { ordersIn, signDeposits } from '../crowd.js';
import { loadFrom } from '../pinned.js';
import type { ProxiedWorld } from '../proxied-world.js';
import { percentile } from '../report.js';

const QUOTES_PER_SECOND = 20;
const DEPOSITS_PER_SECOND = 2;

/** What clients and the operator see of a running service; milliseconds. */
export interface Seen {
  readonly quote: { readonly p50: number; readonly p99: number; readonly max: number; readonly refused: number };
  readonly fill: { readonly p50: number; readonly p99: number; readonly missing: number };
  readonly rounds: ReadonlyMap<string, number>;
  readonly rssMb: number;
}

export async function liveTraffic({ world, proxies }: ProxiedWorld, user: User, seconds: number): Promise<Seen> {
  const deposits = await signDeposits(world, world.a, world.b, user, seconds * DEPOSITS_PER_SECOND, 10n ** 17n);
  const before = await roundsOf(world);
  const calls = proxies.get(world.b.id)?.calls ?? [];
  const from = calls.length;
  const sent = new Map<string, number>();
  const send = async () => {
    const start = performance.now();
    for (const [at, deposit] of deposits.entries()) {
      await pause(start + (at * 1_000) / DEPOSITS_PER_SECOND - performance.now());
      sent.set(deposit.orderId, performance.now());
      await world.a.client.sendRawTransaction({ serializedTransaction: deposit.raw });
    }
  };
  const [quote] = await Promise.all([
    loadFrom({
      host: '127.0.0.1',
      port: world.port,
      path: '/quote/v2',
      bodies: [JSON.stringify(quoteBody(world))],
      connections: 8,
      rate: QUOTES_PER_SECOND,
      warmupSeconds: 2,
      seconds,
    }),
    send(),
  ]);
  const orders = new Set(sent.keys());
  const took = new Map<string, number>();
  for (const deadline = performance.now() + 30_000; took.size < sent.size && performance.now() < deadline; ) {
    for (const call of calls.slice(from)) {
      if (call.method !== 'eth_sendRawTransaction') continue;
      for (const order of ordersIn(String(call.params[0]), orders))
        if (!took.has(order)) took.set(order, call.at - (sent.get(order) ?? 0));
    }
    await pause(100);
  }
  const after = await roundsOf(world);
  const fills = [...took.values()];
  return {
    quote: { p50: quote.p50, p99: quote.p99, max: quote.max, refused: quote.notOk },
    fill: { p50: percentile(fills, 0.5), p99: percentile(fills, 0.99), missing: sent.size - took.size },
    rounds: meansBetween(before, after),
    rssMb: rssOf(world.service.pid),
  };
}

export async function settle(world: World, seconds: number): Promise<void> {
  for (let n = 0; n < seconds * 4; n += 1) {
    await world.finalise();
    await pause(250);
  }
}

interface Rounds {
  readonly sum: number;
  readonly count: number;
}

async function roundsOf(world: World): Promise<ReadonlyMap<string, Rounds>> {
  const text = await (await fetch(`${world.rest.baseUrl}/metrics`, { headers: { 'x-admin-key': ADMIN_KEY } })).text();
  const found = new Map<string, { sum: number; count: number }>();
  for (const [, kind, worker = '', value] of text.matchAll(
    /worker_round_seconds_(sum|count)\{[^}]*worker="([^":]+)[^}]*\} (\S+)/g,
  )) {
    const one = found.get(worker) ?? { sum: 0, count: 0 };
    one[kind as 'sum' | 'count'] += kind === 'sum' ? Number(value) * 1_000 : Number(value);
    found.set(worker, one);
  }
  if (found.size === 0) throw new Error('the service tells no rounds');
  return found;
}

function meansBetween(before: ReadonlyMap<string, Rounds>, after: ReadonlyMap<string, Rounds>): Map<string, number> {
  const means = new Map<string, number>();
  for (const [worker, { sum, count }] of after) {
    const rounds = count - (before.get(worker)?.count ?? 0);
    if (rounds > 0 && worker !== 'watch') means.set(worker, (sum - (before.get(worker)?.sum ?? 0)) / rounds);
  }
  return means;
}

function quoteBody({ a, b }: World): object {
  return {
    user: newUser().address,
    originChainId: a.id,
    destinationChainId: b.id,
    originCurrency: a.currency('USDC'),
    destinationCurrency: b.currency('USDC'),
    amount: '50000000',
    tradeType: 'EXACT_INPUT',
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
