import type { JsonRpcFaultProxy } from '@causeway/core/testing';
import { type Address, type Hash, parseAbiItem } from 'viem';
import { fillsPerOrder } from '../burst.js';
import { ordersIn, statuses } from '../crowd.js';
import { type ProxiedWorld, proxiedWorld } from '../proxied-world.js';
import { type Bench, type Figure, ms, percentile } from '../report.js';
import { type AddressOrder, addressOrder, type Kind, Payers } from './payments.js';
import { sendAll } from './signed.js';

const ADDRESSES = 200;
const LONGEST_MS = 60_000;
/** Gas of a sweep in a batch to that of one alone, in the same currency. */
const GOAL = 0.85;

const SWEPT = parseAbiItem(
  'event Swept(address indexed forwarder, address indexed depository, address token, uint256 amount, uint256 received, uint256 total)',
);

type World = ProxiedWorld['world'];

/** Half of them in native coin, half in a token. The baseline is one payment of each that is swept alone. */
export const addressBurstBench: Bench = {
  name: 'address-burst',
  about: `${ADDRESSES} deposit addresses paid in one block: fills, sweeps, gas`,
  async run() {
    const { world, proxies, close } = await proxiedWorld({
      ...{ addresses: true, quoteValidityMs: 600_000, orderTtl: '600s' },
    });
    try {
      const { a, b } = world;
      const payers = await Payers.ready(a);
      await b.client.setIntervalMining({ interval: 1 });
      const lone = { plain: await sweptAlone(world, payers, 'plain'), token: await sweptAlone(world, payers, 'token') };
      const orders: AddressOrder[] = [];
      for (let n = 0; n < ADDRESSES; n += 1) orders.push(await addressOrder(world, n % 2 === 0 ? 'plain' : 'token'));
      await a.manual();
      await a.mine(2);
      const payments = await payers.sign(orders);
      await sendAll(a, payments);
      await a.mine();
      const paidAt = performance.now();
      const receipts = await Promise.all(payments.map(({ hash }) => a.client.getTransactionReceipt({ hash })));
      const [paidIn, ...more] = new Set(receipts.map(({ blockNumber }) => blockNumber));
      if (paidIn === undefined || more.length > 0) throw new Error('the payments are not in one block');
      await a.client.setIntervalMining({ interval: 1 });
      const calls = proxies.get(b.id);
      const sent = calls === undefined ? [] : await fillsSent(calls, orders);
      const swept = await until(async () => {
        const logs = await sweptSince(world, paidIn);
        return logs.length >= ADDRESSES ? logs : undefined;
      });
      const sweptMs = performance.now() - paidAt;
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return await figures(world, { orders, sent, paidAt, paidIn, lone, sweptMs, swept });
    } finally {
      await close();
    }
  },
};

/** Gas of the transaction. */
async function sweptAlone(world: World, payers: Payers, kind: Kind): Promise<bigint> {
  const { a } = world;
  const from = await a.client.getBlockNumber({ cacheTime: 0 });
  await sendAll(a, await payers.sign([await addressOrder(world, kind)]));
  const [log] = await until(async () => {
    await a.mine();
    const logs = await sweptSince(world, from);
    return logs.length > 0 ? logs : undefined;
  });
  return log === undefined ? 0n : (await a.receipt(log.hash)).gasUsed;
}

interface SweptLog {
  readonly hash: Hash;
  readonly forwarder: Address;
  readonly blockNumber: bigint;
}

async function sweptSince({ a }: World, block: bigint): Promise<readonly SweptLog[]> {
  if (a.depositAddresses === undefined) throw new Error('no factory');
  const logs = await a.client.getLogs({ address: a.depositAddresses, event: SWEPT, fromBlock: block });
  return logs.flatMap(({ transactionHash: hash, blockNumber, args: { forwarder } }) =>
    forwarder === undefined || blockNumber <= block ? [] : [{ hash, forwarder, blockNumber }],
  );
}

interface SentFill {
  readonly orderId: string;
  readonly at: number;
  readonly raw: string;
}

async function fillsSent({ calls }: JsonRpcFaultProxy, orders: readonly AddressOrder[]): Promise<readonly SentFill[]> {
  const ids = new Set<string>(orders.map(({ orderId }) => orderId));
  const read = () =>
    calls.flatMap(({ method, params, at }) =>
      method === 'eth_sendRawTransaction'
        ? ordersIn(String(params[0]), ids).map((orderId) => ({ orderId, at, raw: String(params[0]) }))
        : [],
    );
  return until(async () => {
    const sent = read();
    return new Set(sent.map(({ orderId }) => orderId)).size === ids.size ? sent : undefined;
  }).catch(read);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + LONGEST_MS; performance.now() < end; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('it did not happen in time');
}

interface Seen {
  readonly orders: readonly AddressOrder[];
  readonly sent: readonly SentFill[];
  readonly paidAt: number;
  readonly paidIn: bigint;
  readonly lone: Readonly<Record<'plain' | 'token', bigint>>;
  readonly sweptMs: number;
  readonly swept: readonly SweptLog[];
}

async function figures(world: World, seen: Seen): Promise<readonly Figure[]> {
  const { orders, sent, paidAt, lone, swept, sweptMs, paidIn } = seen;
  const fills = await fillsPerOrder(world, new Set<string>(orders.map(({ orderId }) => orderId)));
  const once = [...fills.values()].filter((count) => count === 1).length;
  const exact = await exactlyPaid(world, orders);
  const firsts = new Map<string, number>();
  for (const { orderId, at } of sent) firsts.set(orderId, Math.min(at, firsts.get(orderId) ?? at));
  const times = [...firsts.values()].map((at) => at - paidAt);
  const receipts = await Promise.all([...new Set(swept.map(({ hash }) => hash))].map((hash) => world.a.receipt(hash)));
  const gas = receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  const each = Number(gas) / swept.length;
  const alone = Number(lone.plain + lone.token) / 2;
  const senders = new Set(receipts.map(({ from }) => from.toLowerCase()));
  const left = await addressesLeft(world, orders);
  const lastBlock = swept.reduce((last, { blockNumber }) => (blockNumber > last ? blockNumber : last), 0n);
  const seenStatuses = await statuses(
    world,
    orders.map(({ requestId }) => requestId),
  );
  return [
    {
      name: 'orders filled exactly once',
      value: `${once} of ${orders.length}, in ${new Set(sent.map(({ raw }) => raw)).size} transactions`,
      ok: once === orders.length && fills.size === orders.length,
    },
    { name: 'recipients paid to the unit', value: `${exact} of ${orders.length}`, ok: exact === orders.length },
    {
      name: 'block -> fill sent',
      value: `p50 ${ms(percentile(times, 0.5))}, the last ${ms(Math.max(...times))}`,
    },
    {
      name: 'addresses swept',
      value: `${swept.length} sweeps, ${left} addresses not empty`,
      goal: `${orders.length}, 0`,
      ok: swept.length === orders.length && left === 0,
    },
    {
      name: 'transactions of sweeps',
      value: `${receipts.length} of ${senders.size} signer, the last ${lastBlock - paidIn} blocks and ${(sweptMs / 1_000).toFixed(1)} s after the payments`,
      ok: senders.size === 1,
    },
    { name: 'gas of a sweep alone (baseline)', value: `${lone.plain} in coin, ${lone.token} in a token` },
    {
      name: 'gas of a sweep',
      value: `${each.toFixed(0)}, ${(each / alone).toFixed(2)} of one alone; the most expensive transaction ${Math.max(...receipts.map(({ gasUsed }) => Number(gasUsed)))}`,
      goal: `<= ${GOAL}`,
      ok: each / alone <= GOAL,
    },
    { name: 'statuses', value: JSON.stringify(seenStatuses), ok: seenStatuses['success'] === orders.length },
  ];
}

/** Of recipients who have what was quoted, to the unit. */
async function exactlyPaid({ b }: World, orders: readonly AddressOrder[]): Promise<number> {
  const amounts = await Promise.all(
    orders.map(({ recipient, kind }) => b.balance(recipient, kind === 'token' ? 'USDC' : 'ETH')),
  );
  return orders.filter(({ amountOut }, n) => amounts[n] === amountOut).length;
}

async function addressesLeft({ a }: World, orders: readonly AddressOrder[]): Promise<number> {
  const amounts = await Promise.all(
    orders.map(({ address, kind }) => a.balance(address, kind === 'token' ? 'USDC' : 'ETH')),
  );
  return amounts.filter((amount) => amount > 0n).length;
}
