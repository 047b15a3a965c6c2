import { first, only } from '@causeway/core/testing';
import { type Hash, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProxiedWorld } from '../support/proxied.js';
import type { RequestRecord } from '../support/rest.js';
import { until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';

let proxied: ProxiedWorld;
let world: World;

beforeAll(async () => {
  proxied = await ProxiedWorld.start({ collectMinUsd: '1000000000', chain: { watch: { pollMs: 2_000 } } });
  ({ world } = proxied);
});

afterEach(async () => {
  await proxied?.healed();
});

afterAll(async () => {
  await proxied?.close();
});

const AMOUNT = parseEther('0.5');

async function refunded(): Promise<Order> {
  const order = await world.order({ amount: AMOUNT });
  await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: order.orderId });
  await world.becomes(order, 'refund', { mining: true });
  return order;
}

/** It cannot fund the order, so it has its own record. */
async function refundRecord(order: Order): Promise<RequestRecord> {
  const [child] = await world.rest.children(order.requestId);
  if (child === undefined) throw new Error('nothing arrived under the order');
  return child;
}

describe('nonce wedges', () => {
  it('openzeppelin-relayer-681: a refusal under a generic code is an answer: the provider stays in use, and work goes on', async () => {
    const { output } = world.service;
    const order = await world.order({ amount: AMOUNT });
    const refusal = { error: { code: -32603, message: 'nonce too low: next nonce 7, tx nonce 3' } };
    proxied.everywhere(only('eth_sendRawTransaction', first(3, refusal)));
    await pay(order.from, order.user, order.quote);
    const other = await world.order({ amount: AMOUNT });
    await pay(other.from, other.user, other.quote);
    await world.becomes(order, 'success');
    await world.becomes(other, 'success');
    expect(proxied.faulted()).toBeGreaterThan(1);
    expect(world.service.output.slice(output.length)).not.toContain('RPC provider is down');
  });
});

describe('refund states', () => {
  it('kyberswap-2780+wormhole-connect-2989+wormhole-sdk-ts-663: a refund is its own state with its own transaction', async () => {
    const order = await refunded();
    const status = await world.rest.status(order.requestId);
    expect(status.status).toBe('refund');
    const record = await refundRecord(order);
    expect(record.status).toBe('refund');
    const { outTxs } = record.data;
    expect(outTxs).toMatchObject([{ chainId: world.a.id, status: 'success' }]);
    expect(status.txHashes).toEqual(outTxs.map(({ txHash }) => txHash));
    const receipt = await world.a.receipt(outTxs[0]?.txHash as Hash);
    expect([receipt.status, receipt.to]).toEqual(['success', world.a.depository.toLowerCase()]);
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(0n);
  });

  it('layerswap-1017+layerswap-1436: a refund says how much, in which currency, to whom and why', async () => {
    const order = await refunded();
    const record = await refundRecord(order);
    expect(record.data.failReason).toBe('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
    expect(record.refundTo?.toLowerCase()).toBe(order.refundTo.toLowerCase());
    const back = await world.a.balance(order.refundTo, 'ETH');
    expect(record.data['refundCurrencyData']).toMatchObject({
      currency: { chainId: world.a.id, address: world.a.currency('ETH') },
      amount: back.toString(),
    });
  });
});

describe('push, not poll', () => {
  it('across-3663: a deposit is acted on when its block is announced, long before the next poll', async () => {
    const order = await world.order({ amount: AMOUNT });
    const started = performance.now();
    await pay(order.from, order.user, order.quote);
    await until('the fill lands', async () => (await world.b.balance(order.recipient, 'ETH')) > 0n, { every: 10 });
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('across-3663: without announcements polling finds it all the same', async () => {
    for (const proxy of proxied.proxies) {
      proxy.sockets = false;
      proxy.cutSockets();
    }
    const order = await world.order({ amount: AMOUNT });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
  });
});

describe('ids', () => {
  it('oif-solver-321: an id in any spelling is the same thing, across a restart too', async () => {
    const order = await world.order({ amount: AMOUNT });
    const hash = await pay(order.from, order.user, order.quote);
    const shouted = `0x${hash.slice(2).toUpperCase()}`;
    for (const spelling of [hash, shouted])
      await world.rest.call('POST', '/transactions/index', { body: { chainId: String(world.a.id), txHash: spelling } });
    await world.becomes(order, 'success');
    const upper = { requestId: `0x${order.requestId.slice(2).toUpperCase()}` };
    expect((await world.rest.status(upper.requestId)).status).toBe('success');
    await world.service.stop();
    await world.boot();
    await world.rest.call('POST', '/transactions/index', { body: { chainId: world.a.id, txHash: shouted } });
    await world.finalise();
    await until('it was looked at again', async () => (await world.rest.status(order.requestId)).status === 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    expect(await world.rest.children(order.requestId)).toEqual([]);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
