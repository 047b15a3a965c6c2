import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import type { Hex } from 'viem';
import { ADMIN_KEY } from '../../support/config.js';
import { World } from '../../support/world.js';
import { ordersIn } from '../crowd.js';
import { withHighLimits } from '../high-limits.js';
import { cpuMs } from '../pinned.js';
import { type Bench, type Figure, ms, percentile } from '../report.js';
import { Blocks } from './blocks.js';
import { type CountedCall, type CountedNode, countedNode } from './counted-node.js';
import { type AddressOrder, addressOrder, type Kind, Payers } from './payments.js';
import { seedAddresses } from './seed.js';
import { sendAll } from './signed.js';
import { Strangers } from './strangers.js';

const ADDRESSES = Number(process.env.BENCH_REQUESTS ?? 50_000);
const BLOCK_SECONDS = 2;
const REST_BLOCKS = 15;
/** Into a block's time: when payments are sent, when others send. */
const PAY_MS = 700;
/** In each of `PAID_BLOCKS` blocks, of each kind. */
const PAID = 2;
const PAID_BLOCKS = 12;
const KINDS: readonly Kind[] = ['depository', 'plain', 'token', 'internal'];
/** Paid by a contract as well; their addresses are the first of all, and the last to be read. */
const OLDEST = 'internal, of the oldest addresses';
const MAX_WAIT = 40;
/** Calldata of a call that reads a whole group of addresses: 64 characters for each of a thousand. */
const GROUP_CALLDATA = 64_000;
const GOALS = { calls: 120, core: 0.1, ms: 150 } as const;

/**
 * What watching many deposit addresses costs, and how soon payments to them are filled. The chain has other traffic, so
 * that no block can be skipped. The same service without any address, earlier in the same run, is the baseline.
 */
export const addressesBench: Bench = {
  name: 'addresses',
  about: `${ADDRESSES} deposit addresses in use on one EVM chain, ${BLOCK_SECONDS} s blocks: calls, processor time, deposit -> fill sent`,
  async run() {
    const { world, node, fills, close } = await prepared();
    try {
      const { a, b } = world;
      const payers = await Payers.ready(a);
      const strangers = await Strangers.ready(a, 2 * REST_BLOCKS + PAID_BLOCKS + 3 * MAX_WAIT);
      const blocks = await Blocks.of(a);
      for (const chain of [a, b]) await chain.client.setIntervalMining({ interval: BLOCK_SECONDS });
      strangers.begin(blocks);
      await world.boot();
      await blocks.next(4);
      const without = await whenIdle(world, blocks, node);
      const oldest = await ordersOf(world, ['internal']);
      await world.service.stop();
      await seedAddresses(world.home.database, a, ADDRESSES);
      await world.boot();
      const from = performance.now();
      const began = await wholePass(blocks, node);
      const loading = { blocks: began, calls: perBlock(blocks, node, from).calls };
      const rest = await whenIdle(world, blocks, node);
      const orders = await ordersOf(world, KINDS);
      await blocks.next(2);
      const [paidFrom, counted] = [performance.now(), await addressCalls(world)];
      const included = await payAll(world, blocks, payers, [orders, oldest]);
      const sent = await fillsSent(fills, [...orders, ...oldest]);
      const busy = perBlock(blocks, node, paidFrom);
      const own = ((await addressCalls(world)) - counted) / busy.calls.length;
      strangers.end();
      await blocks.close();
      return [...watching({ without, rest, busy, own, loading }), ...latencies({ orders, oldest }, included, sent)];
    } finally {
      await close();
    }
  },
};

async function prepared() {
  const world = await World.prepare({ addresses: true });
  const node = await countedNode(world.a.url);
  const fills = await jsonRpcFaultProxy(world.b.url);
  const close = async () => {
    await world.close();
    await Promise.all([node.close(), fills.close()]);
  };
  const socket = (url: string) => url.replace('http', 'ws');
  world.configure({
    ...{ addresses: true, quoteValidityMs: 600_000, orderTtl: '600s', edit: asDeployed },
    rpc: {
      [world.a.id]: [{ http: node.url, ws: socket(world.a.url) }],
      [world.b.id]: [{ http: fills.url, ws: fills.wsUrl }],
    },
    // Polls as deployed.
    chain: { blockTimeMs: BLOCK_SECONDS * 1_000, watch: {} },
  });
  return { world, node, fills, close };
}

/** Rounds in the background as they are by default. */
function asDeployed(document: Record<string, unknown>): Record<string, unknown> {
  const { service, ...rest } = withHighLimits(document);
  const { reconcileEvery: _, collect: __, ...own } = service as Record<string, unknown>;
  return { ...rest, service: own };
}

interface Rest extends PerBlock {
  /** Of a core. */
  readonly cpu: number;
}

async function whenIdle(world: World, blocks: Blocks, node: CountedNode): Promise<Rest> {
  const { pid } = world.service;
  await blocks.next(1);
  const [from, cpu] = [performance.now(), cpuMs(pid)];
  await blocks.next(REST_BLOCKS);
  return { ...perBlock(blocks, node, from), cpu: (cpuMs(pid) - cpu) / (performance.now() - from) };
}

interface PerBlock {
  readonly calls: readonly number[];
  /** Groups of a thousand addresses that were read. */
  readonly groups: readonly number[];
  readonly methods: string;
}

/** From head to head. */
function perBlock({ heads }: Blocks, { calls }: CountedNode, from: number): PerBlock {
  const times = heads.map(({ at }) => at).filter((at) => at >= from - 5);
  const within = times.slice(1).map((end, n) => calls.filter(({ at }) => at >= (times[n] ?? 0) && at < end));
  const counted = new Map<string, number>();
  for (const { method } of within.flat()) counted.set(method, (counted.get(method) ?? 0) + 1);
  const methods = [...counted].map(([method, count]) => `${(count / within.length).toFixed(1)} ${method}`);
  return {
    calls: within.map(({ length }) => length),
    groups: within.map((some) => some.filter(isGroup).length),
    methods: methods.join(', '),
  };
}

const isGroup = ({ method, calldata }: CountedCall): boolean => method === 'eth_call' && calldata >= GROUP_CALLDATA;

/** So far, as the service counts them. */
async function addressCalls({ rest, a }: World): Promise<number> {
  const text = await (await fetch(`${rest.baseUrl}/metrics`, { headers: { 'x-admin-key': ADMIN_KEY } })).text();
  const [, calls] = new RegExp(`^causeway_evm_address_calls_total\\{chain="${a.id}"\\} (\\d+)`, 'm').exec(text) ?? [];
  if (calls === undefined) throw new Error('the service does not count its calls for addresses');
  return Number(calls);
}

/** Blocks until all addresses were read in one. */
async function wholePass(blocks: Blocks, node: CountedNode): Promise<number> {
  for (let n = 1; n < MAX_WAIT; n += 1) {
    const from = performance.now();
    await blocks.next(1);
    const groups = node.calls.filter((call) => call.at >= from && isGroup(call)).length;
    if (groups >= Math.floor(ADDRESSES / 1_000)) return n;
  }
  throw new Error('the addresses were never read in one block');
}

async function ordersOf(world: World, kinds: readonly Kind[]): Promise<readonly AddressOrder[]> {
  const orders: AddressOrder[] = [];
  for (let n = 0; n < PAID_BLOCKS * PAID; n += 1)
    for (const kind of kinds) orders.push(await addressOrder(world, kind));
  return orders;
}

/** Time at which the block of each order's payment was seen, by order id. */
async function payAll(
  world: World,
  blocks: Blocks,
  payers: Payers,
  groups: readonly (readonly AddressOrder[])[],
): Promise<ReadonlyMap<Hex, number>> {
  const { client } = world.a;
  const hashes = new Map<Hex, Hex>();
  for (let n = 0; n < PAID_BLOCKS; n += 1) {
    const some = groups.flatMap((all) =>
      all.slice((n * all.length) / PAID_BLOCKS, ((n + 1) * all.length) / PAID_BLOCKS),
    );
    const payments = await payers.sign(some);
    await blocks.next(1);
    await new Promise((resolve) => setTimeout(resolve, PAY_MS));
    await sendAll(world.a, payments);
    for (const payment of payments) for (const { orderId } of payment.orders) hashes.set(orderId, payment.hash);
  }
  await blocks.next(2);
  const included = new Map<Hex, number>();
  for (const [orderId, hash] of hashes) {
    const { blockNumber } = await client.getTransactionReceipt({ hash });
    const at = blocks.timeOf(Number(blockNumber));
    if (at !== undefined) included.set(orderId, at);
  }
  return included;
}

async function fillsSent(
  fills: JsonRpcFaultProxy,
  orders: readonly AddressOrder[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Set<string>(orders.map(({ orderId }) => orderId));
  const sent = new Map<string, number>();
  const end = performance.now() + 30_000;
  for (let read = 0; sent.size < ids.size && performance.now() < end; ) {
    for (; read < fills.calls.length; read += 1) {
      const call = fills.calls[read];
      if (call?.method !== 'eth_sendRawTransaction') continue;
      for (const id of ordersIn(String(call.params[0]), ids)) if (!sent.has(id)) sent.set(id, call.at);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return sent;
}

interface Watched {
  readonly without: Rest;
  readonly rest: Rest;
  readonly busy: PerBlock;
  /** Calls a block of the watcher of addresses, with payments. */
  readonly own: number;
  readonly loading: { readonly blocks: number; readonly calls: readonly number[] };
}

function watching({ without, rest, busy, own, loading }: Watched): Figure[] {
  const text = ({ calls }: Pick<PerBlock, 'calls'>) => `p50 ${percentile(calls, 0.5)}, at most ${Math.max(...calls)}`;
  const cpu = rest.cpu - without.cpu;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    { name: 'calls a block without addresses (baseline)', value: text(without) },
    {
      name: 'calls a block, when idle',
      value: text(rest),
      goal: `<= ${GOALS.calls}`,
      ok: Math.max(...rest.calls) <= GOALS.calls,
    },
    { name: 'by method', value: rest.methods },
    {
      name: 'groups of a thousand addresses read in a block',
      value: `${Math.min(...rest.groups)} to ${Math.max(...rest.groups)}`,
      ok: percentile(rest.groups, 0.5) >= Math.floor(ADDRESSES / 1_000),
    },
    {
      name: 'calls a block, with payments',
      value: text(busy),
      goal: `<= ${GOALS.calls}`,
      ok: Math.max(...busy.calls) <= GOALS.calls,
    },
    { name: 'by method, with payments', value: busy.methods },
    { name: 'of them by the watcher of addresses', value: `${own.toFixed(1)} a block` },
    {
      name: 'calls a block, after a start',
      value: `${text(loading)}; all addresses read after ${loading.blocks} blocks`,
      goal: `<= ${GOALS.calls}`,
      ok: Math.max(...loading.calls) <= GOALS.calls,
    },
    {
      name: 'processor time for them',
      value: `${percent(cpu)} of a core, ${percent(rest.cpu)} against ${percent(without.cpu)} without`,
      goal: `<= ${percent(GOALS.core)}`,
      ok: cpu <= GOALS.core,
    },
  ];
}

function latencies(
  { orders, oldest }: Readonly<Record<'orders' | 'oldest', readonly AddressOrder[]>>,
  included: ReadonlyMap<Hex, number>,
  sent: ReadonlyMap<string, number>,
): Figure[] {
  const timesOf = (some: readonly AddressOrder[]) =>
    some.flatMap(({ orderId }) => {
      const [from, to] = [included.get(orderId), sent.get(orderId)];
      return from === undefined || to === undefined ? [] : [to - from];
    });
  const all = orders.length + oldest.length;
  const groups = [
    ...KINDS.map((kind) => [kind, orders.filter((one) => one.kind === kind)] as const),
    [OLDEST, oldest] as const,
  ];
  return [
    { name: 'payments filled', value: `${sent.size} of ${all}`, ok: sent.size === all },
    ...groups.map(([kind, some]): Figure => {
      const times = timesOf(some);
      const p50 = percentile(times, 0.5);
      const isBaseline = kind === 'depository';
      return {
        name: `head with the payment -> fill sent, ${kind}${isBaseline ? ' (baseline)' : ''}`,
        value: `p50 ${ms(p50)}, p99 ${ms(percentile(times, 0.99))} of ${times.length}`,
        ...(isBaseline ? {} : { goal: `p50 <= ${GOALS.ms} ms`, ok: p50 <= GOALS.ms }),
      };
    }),
  ];
}
