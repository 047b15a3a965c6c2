import { type JsonRpcReply, only } from '@causeway/core/testing';
import { encodeAbiParameters, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProxiedWorld } from '../support/proxied.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';
import { staleAt } from './support/stale.js';

let proxied: ProxiedWorld;
let world: World;

/** Two providers per chain, which must agree from a thousand dollars on. */
beforeAll(async () => {
  const quorum = { aboveUsd: 1_000, providers: 2 };
  proxied = await ProxiedWorld.start({ collectMinUsd: '1000000000', chain: { rpcTimeoutMs: 1_200, quorum } }, 2);
  ({ world } = proxied);
});

afterEach(async () => {
  await world?.b.automatic();
  await proxied?.healed();
});

afterAll(async () => {
  await proxied?.close();
});

const AMOUNT = parseEther('0.4');
const LARGE = parseEther('2');

async function filledOnce(order: Order): Promise<void> {
  await world.becomes(order, 'success', { ms: 30_000, mining: true });
  await world.finalise();
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
}

describe('the preferred provider', () => {
  it('lacks receipts that the other one has: the order ends well', async () => {
    const order = await world.order({ amount: AMOUNT });
    proxied.proxy(world.b).plan = only('eth_getTransactionReceipt', { result: null });
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('loses every answer to a send, and the other one knows the transaction: it is sent once', async () => {
    const order = await world.order({ amount: AMOUNT });
    proxied.proxy(world.b).plan = only('eth_sendRawTransaction', 'dropAfter');
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('refuses what the other one takes: it is sent once', async () => {
    const order = await world.order({ amount: AMOUNT });
    const error = { code: -32603, message: 'nonce too low' };
    proxied.proxy(world.b).plan = only('eth_sendRawTransaction', { error });
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('takes what the other one refuses: it is sent once', async () => {
    const order = await world.order({ amount: AMOUNT });
    const error = { code: -32000, message: 'replacement transaction underpriced' };
    proxied.proxy(world.b, 1).plan = only('eth_sendRawTransaction', { error });
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('is gone: the other one serves alone', async () => {
    for (const chain of world.chains) {
      const proxy = proxied.proxy(chain);
      proxy.plan = () => 'dropBefore';
      proxy.sockets = false;
      proxy.cutSockets();
    }
    const order = await until('a quote is given', () => world.order({ amount: AMOUNT }));
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('is stuck behind the other one while a fill lands: nothing is repeated, and it ends well', async () => {
    await world.b.manual();
    const order = await world.order({ amount: AMOUNT });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'submitted');
    const proxy = proxied.proxy(world.b);
    proxy.plan = staleAt(await world.b.client.getBlockNumber({ cacheTime: 0 }));
    await world.b.automatic();
    for (let block = 0; block < 5; block += 1) {
      await world.finalise();
      await sleep(200);
    }
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    proxy.heal();
    await filledOnce(order);
  });
});

function saying(amount: bigint) {
  return (reply: JsonRpcReply): JsonRpcReply => {
    if (!('result' in reply)) return reply;
    const word = encodeAbiParameters([{ type: 'uint256' }], [amount]).slice(2);
    const reported = (reply.result as { data: string }[]).map((log) => ({
      ...log,
      data: `${log.data.slice(0, 66)}${word}${log.data.slice(130)}`,
    }));
    return { result: reported };
  };
}

describe('a deposit that needs a quorum', () => {
  it('is filled when both providers report it alike', async () => {
    const order = await world.order({ amount: LARGE });
    await pay(order.from, order.user, order.quote);
    await filledOnce(order);
  });

  it('waits for the second provider', async () => {
    const other = proxied.proxy(world.a, 1);
    other.plan = () => 'dropBefore';
    const order = await until('a quote is given', () => world.order({ amount: LARGE }));
    await pay(order.from, order.user, order.quote);
    await sleep(1_500);
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    other.heal();
    await filledOnce(order);
  });

  it('is not acted upon while only the preferred provider reports it so', async () => {
    const order = await world.order({ amount: LARGE });
    world.excuse(order, { held: true });
    proxied.proxy(world.a).plan = only('eth_getLogs', { rewrite: saying(LARGE) });
    await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: LARGE / 100n, id: order.orderId });
    for (let block = 0; block < 6; block += 1) {
      await world.finalise();
      await sleep(300);
    }
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
    proxied.proxy(world.a).heal();
    for (let block = 0; block < 8; block += 1) {
      await world.finalise();
      await sleep(300);
    }
    // Never more than was paid, whichever way it ends.
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeLessThan(LARGE / 100n);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
