import { first, type JsonRpcFault, type JsonRpcReply, only } from '@causeway/core/testing';
import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProxiedWorld } from '../support/proxied.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';
import { staleAt } from './support/stale.js';

let proxied: ProxiedWorld;
let world: World;

beforeAll(async () => {
  proxied = await ProxiedWorld.start({ chain: { rpcTimeoutMs: 1_000 }, collectMinUsd: '1000000000' });
  ({ world } = proxied);
});

/** A provider that lost data is out of use until it answers a probe. */
afterEach(async () => {
  await world?.b.automatic();
  await proxied?.healed();
});

afterAll(async () => {
  await proxied?.close();
});

const AMOUNT = parseEther('0.5');

async function filledOnce(order: Order): Promise<void> {
  await world.becomes(order, 'success', { ms: 30_000 });
  await world.finalise();
  await sleep(200);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
}

async function refundedOnce(order: Order, deposited: bigint): Promise<void> {
  await world.becomes(order, 'refund', { mining: true, ms: 30_000 });
  const back = await world.a.balance(order.refundTo, 'ETH');
  expect(back).toBeGreaterThan((deposited * 9n) / 10n);
  expect(back).toBeLessThan(deposited);
}

async function underpaid(): Promise<{ order: Order; deposited: bigint }> {
  const order = await world.order({ amount: AMOUNT });
  const deposited = AMOUNT / 2n;
  await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: deposited, id: order.orderId });
  return { order, deposited };
}

async function met(times: number, before: number): Promise<void> {
  await until('the fault is met', () => proxied.faulted() - before >= times);
}

const STAGES = [
  ['observing', 'eth_getLogs'],
  ['following the head', 'eth_getBlockByNumber'],
  ['checking', 'eth_estimateGas'],
  ['sending', 'eth_sendRawTransaction'],
  ['looking', 'eth_getTransactionReceipt'],
] as const;

const KINDS: readonly (readonly [string, JsonRpcFault, number])[] = [
  ['lost on the way there', 'dropBefore', 2],
  ['lost on the way back', 'dropAfter', 2],
  ['answered 503', { status: 503 }, 1],
  ['throttled', { status: 429, retryAfterSeconds: 1 }, 1],
  ['slow', { delayMs: 600 }, 1],
  ['hanging', 'hang', 1],
];

describe.each(KINDS)('calls that are %s', (_kind, fault, times) => {
  it.each(STAGES)('while %s: the order is filled exactly once', async (_stage, method) => {
    const order = await world.order({ amount: AMOUNT });
    const before = proxied.faulted();
    proxied.everywhere(only(method, first(times, fault)));
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
    expect(proxied.faulted()).toBeGreaterThan(before);
  });
});

const REFUSALS = [
  [-32000, 'already known'],
  [-32603, 'nonce too low: next nonce 9, tx nonce 3'],
  [-32010, 'Nonce too high'],
  [-32003, 'replacement transaction underpriced'],
  [-32000, 'insufficient funds for gas * price + value'],
  [-32603, 'internal error'],
  [3, 'intrinsic gas too low'],
] as const;

/** False either way: the refused call was never made, or the transaction was accepted. */
describe.each(REFUSALS)('a node that says (%i) "%s"', (code, message) => {
  const error = { code, message };

  it('of a fill that it never passed on: it is filled exactly once', async () => {
    const order = await world.order({ amount: AMOUNT });
    const before = proxied.faulted();
    proxied.everywhere(only('eth_sendRawTransaction', first(1, { error })));
    await pay(order.from, order.user, order.quote);
    await met(1, before);
    await filledOnce(order);
  });

  it('of a fill that it took: it is filled exactly once', async () => {
    const order = await world.order({ amount: AMOUNT });
    const before = proxied.faulted();
    proxied.everywhere(only('eth_sendRawTransaction', first(2, { rewrite: () => ({ error }) })));
    await pay(order.from, order.user, order.quote);
    await met(1, before);
    await filledOnce(order);
  });
});

describe('a refund', () => {
  it.each([
    ['whose answer is lost', 'dropAfter'],
    ['that a node calls known and never passes on', { error: { code: -32000, message: 'already known' } }],
    ['that a node takes and calls too low', { rewrite: () => ({ error: { code: -32603, message: 'nonce too low' } }) }],
  ] as const)('%s is paid exactly once', async (_what, fault) => {
    const before = proxied.faulted();
    proxied.everywhere(only('eth_sendRawTransaction', first(2, fault)));
    const { order, deposited } = await underpaid();
    await refundedOnce(order, deposited);
    await met(1, before);
  });

  it('whose receipt is missing past finality is not paid again, and is recognised when it shows', async () => {
    const { order, deposited } = await underpaid();
    proxied.everywhere(only('eth_getTransactionReceipt', { result: null }));
    await until('the refund lands', async () => {
      await world.a.mine();
      return (await world.a.balance(order.refundTo, 'ETH')) > 0n;
    });
    for (let block = 0; block < 8; block += 1) {
      await world.finalise();
      await sleep(250);
    }
    expect((await world.rest.status(order.requestId)).status).not.toBe('refund');
    await proxied.healed();
    await refundedOnce(order, deposited);
  });
});

describe('a node behind its own head', () => {
  it('while the deposit comes: it is seen later, and filled exactly once', async () => {
    const order = await world.order({ amount: AMOUNT });
    const height = await world.a.client.getBlockNumber({ cacheTime: 0 });
    proxied.proxy(world.a).plan = staleAt(height);
    await pay(order.from, order.user, order.quote);
    await world.a.mine(2);
    await sleep(700);
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
    proxied.proxy(world.a).heal();
    await filledOnce(order);
  });

  it('while the fill lands: it is neither sent under another key nor refunded, and is recognised later', async () => {
    await world.b.manual();
    const order = await world.order({ amount: AMOUNT });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'submitted');
    proxied.proxy(world.b).plan = staleAt(await world.b.client.getBlockNumber({ cacheTime: 0 }));
    await world.b.automatic();
    await until('the fill lands', async () => (await world.b.balance(order.recipient, 'ETH')) > 0n);
    for (let block = 0; block < 5; block += 1) {
      await world.finalise();
      await sleep(250);
    }
    expect((await world.rest.status(order.requestId)).status).toBe('submitted');
    proxied.proxy(world.b).heal();
    await filledOnce(order);
  });
});

describe('evidence that comes late', () => {
  it('a receipt that shows only after finality: nothing is paid twice, the order ends well', async () => {
    const order = await world.order({ amount: AMOUNT });
    proxied.everywhere(only('eth_getTransactionReceipt', { result: null }));
    await pay(order.from, order.user, order.quote);
    await until('the fill lands', async () => (await world.b.balance(order.recipient, 'ETH')) > 0n);
    for (let block = 0; block < 8; block += 1) {
      await world.finalise();
      await sleep(250);
    }
    expect(['pending', 'submitted']).toContain((await world.rest.status(order.requestId)).status);
    await proxied.healed();
    await filledOnce(order);
    expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
  });

  it('a deposit log that a node misses at first is found without a restart', async () => {
    const order = await world.order({ amount: AMOUNT });
    const before = proxied.faulted();
    proxied.everywhere(only('eth_getLogs', first(3, { rewrite: () => ({ result: [] }) })));
    await pay(order.from, order.user, order.quote);
    await met(1, before);
    await filledOnce(order);
  });

  it('a deposit log that a node misses until the deposit is final is found at last', async () => {
    const order = await world.order({ amount: AMOUNT });
    const before = proxied.faulted();
    proxied.everywhere(only('eth_getLogs', { rewrite: () => ({ result: [] }) }));
    await pay(order.from, order.user, order.quote);
    await met(1, before);
    await sleep(1_500);
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
    // Before finality (two blocks here): final blocks are read once more, and only once.
    proxied.proxy(world.a).heal();
    await world.finalise();
    await world.a.mine(12);
    await filledOnce(order);
  });

  it('a receipt that is wrong about success for some time moves nothing', async () => {
    await world.b.manual();
    const order = await world.order({ amount: AMOUNT });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'submitted');
    const reverted = (reply: JsonRpcReply): JsonRpcReply =>
      'result' in reply && reply.result !== null
        ? { result: { ...(reply.result as object), status: '0x0', logs: [] } }
        : reply;
    const before = proxied.faulted();
    proxied.proxy(world.b).plan = only('eth_getTransactionReceipt', first(6, { rewrite: reverted }));
    await world.b.automatic();
    await met(3, before);
    proxied.proxy(world.b).heal();
    await filledOnce(order);
    expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
  });
});

describe('a node that answers for another chain', () => {
  it('when it comes back is asked for nothing else, and is used again once it is itself', async () => {
    const order = await world.order({ amount: AMOUNT });
    const proxy = proxied.proxy(world.b);
    const before = proxy.faulted().length;
    proxy.plan = (call) => (call.method === 'eth_chainId' ? { result: '0x1' } : 'dropBefore');
    await pay(order.from, order.user, order.quote);
    await until('the node was asked who it is', () =>
      proxy
        .faulted()
        .slice(before)
        .some(({ method }) => method === 'eth_chainId'),
    );
    proxy.plan = only('eth_chainId', { result: '0x1' });
    // Calls in flight when the node turned out to be another chain still return.
    await until('it is asked for nothing else', async () => {
      const from = proxy.count();
      await sleep(1_000);
      const asked = new Set(proxy.calls.slice(from).map(({ method }) => method));
      return asked.size === 1 && asked.has('eth_chainId');
    });
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    await proxied.healed();
    await filledOnce(order);
  });
});

describe('no answers at all', () => {
  it('for some time, sockets included: work resumes by itself', async () => {
    const order = await world.order({ amount: AMOUNT });
    for (const proxy of proxied.proxies) {
      proxy.plan = () => 'dropBefore';
      proxy.sockets = false;
      proxy.cutSockets();
    }
    await pay(order.from, order.user, order.quote);
    await sleep(2_000);
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
    await proxied.healed();
    await filledOnce(order);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
