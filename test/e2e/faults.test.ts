import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fate, RpcProxy } from '../support/rpc-proxy.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;
let proxies: readonly RpcProxy[];

beforeAll(async () => {
  world = await World.prepare();
  proxies = await Promise.all(world.chains.map((chain) => RpcProxy.start(chain.url)));
  const endpoints = world.chains.map((chain, index) => {
    const url = proxies[index]?.url ?? '';
    return [chain.id, [{ http: url, ws: url.replace('http', 'ws') }]] as const;
  });
  world.configure({ rpc: Object.fromEntries(endpoints) });
  await world.boot();
});

/** A provider that lost something is out of use until it answered a probe; quotes say so meanwhile. */
afterEach(async () => {
  for (const proxy of proxies) proxy.fate = () => 'pass';
  await until('both chains are in use again', async () => {
    await world.finalise();
    const { body } = await world.rest.call<{ report: { chains: { healthy: boolean }[] } }>(
      'GET',
      '/lives?withReport=true',
    );
    return body.report.chains.every((chain) => chain.healthy);
  });
});

afterAll(async () => {
  await world?.close();
  await Promise.all((proxies ?? []).map((proxy) => proxy.stop()));
});

/** Loses the first `times` calls of a method, on every chain. */
function lose(method: string, fate: Fate, times: number): () => number {
  let lost = 0;
  for (const proxy of proxies) {
    proxy.fate = (call) => {
      if (call.method !== method || lost >= times) return 'pass';
      lost += 1;
      return fate;
    };
  }
  return () => lost;
}

async function filledOnce(order: Order): Promise<void> {
  await world.becomes(order, 'success', { ms: 40_000 });
  await world.finalise();
  await sleep(500);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
}

describe('a provider that loses', () => {
  it.each([
    ['the transaction on its way there', 'eth_sendRawTransaction', 'dropBefore', 2],
    ['the answer to a transaction that it took', 'eth_sendRawTransaction', 'dropAfter', 2],
    ['questions for logs', 'eth_getLogs', 'dropBefore', 3],
    ['questions for receipts', 'eth_getTransactionReceipt', 'dropBefore', 3],
    ['questions for the head', 'eth_getBlockByNumber', 'dropBefore', 3],
    ['estimates', 'eth_estimateGas', 'dropBefore', 3],
  ] as const)('%s: the order is filled exactly once', async (_what, method, fate, times) => {
    await world.finalise();
    const order = await world.order({ amount: parseEther('0.5') });
    lose(method, fate, times);
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('the answer to a refund that it took: it is paid once', async () => {
    await world.finalise();
    const order = await world.order({ amount: parseEther('1') });
    const lost = lose('eth_sendRawTransaction', 'dropAfter', 2);
    await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: parseEther('0.4'), id: order.orderId });
    await world.becomes(order, 'refund', { mining: true, ms: 40_000 });
    expect(lost()).toBeGreaterThan(0);
    const back = await world.a.balance(order.refundTo, 'ETH');
    expect(back).toBeGreaterThan(parseEther('0.39'));
    expect(back).toBeLessThan(parseEther('0.4'));
  });

  it('everything for a while: work resumes by itself', async () => {
    await world.finalise();
    const order = await world.order({ amount: parseEther('0.5') });
    for (const proxy of proxies) proxy.fate = () => 'dropBefore';
    await pay(order.from, order.user, order.quote);
    await sleep(2_500);
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
    for (const proxy of proxies) proxy.fate = () => 'pass';
    await filledOnce(order);
  });
});

describe('afterwards', () => {
  it('the chains tell of nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
