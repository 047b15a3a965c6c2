import { type Hash, type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestChain } from '../support/chain.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ collectMinUsd: '1000000000' });
});

afterAll(async () => {
  await world?.close();
});

/** The bytes that the network would relay again. */
async function rawTransaction(chain: TestChain, hash: Hash): Promise<Hex> {
  return chain.client.request<{ Method: 'eth_getRawTransactionByHash'; Parameters: [Hash]; ReturnType: Hex }>({
    method: 'eth_getRawTransactionByHash',
    params: [hash],
  });
}

/** Large deposits wait for depth, so that a reorg can precede any decision. */
const LARGE = parseEther('60');
const SMALL = parseEther('1');

async function fundedOrder(amount: bigint): Promise<Order> {
  return world.order({ amount, user: await world.user({ ETH: amount * 3n }) });
}

async function reorged(order: Order, hash: Hash): Promise<void> {
  const status = await world.becomes(order, 'failure');
  expect(status.failReason).toBe('DEPOSIT_REORGED');
  const record = await world.rest.request(order.requestId);
  expect(record.data.inTxs.find((entry) => entry.txHash === hash)?.status).toBe('failure');
}

async function fillsOf(order: Order): Promise<number> {
  const got = await world.b.balance(order.recipient, 'ETH');
  expect(got % order.amountOut).toBe(0n);
  return Number(got / order.amountOut);
}

describe('a deposit that a reorganisation takes away before anything was done', () => {
  it('fails with DEPOSIT_REORGED and is not filled', async () => {
    const order = await fundedOrder(LARGE);
    const hash = await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'pending');
    await world.a.reorgOut(hash);
    await world.a.mine();
    await reorged(order, hash);
    await world.finalise();
    await sleep(500);
    expect(await fillsOf(order)).toBe(0);
  });

  it('is filled once when it comes back behind another log', async () => {
    const order = await fundedOrder(LARGE);
    const other = await fundedOrder(LARGE);
    const hash = await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'pending');
    const raw = await rawTransaction(world.a, hash);
    await world.a.reorgOut(hash);
    await world.a.mine();
    await reorged(order, hash);

    // One block, another deposit first, so that the log's index and block change.
    await world.a.manual();
    const first = await depositDirectly(world.a, other.user, {
      symbol: 'ETH',
      amount: other.amountIn,
      id: other.orderId,
    });
    await world.a.client.sendRawTransaction({ serializedTransaction: raw });
    await world.a.mine();
    const [one, two] = [await world.a.receipt(first), await world.a.receipt(hash)];
    expect(two.blockNumber).toBe(one.blockNumber);
    await world.a.automatic();

    await world.becomes(order, 'success', { mining: true });
    await world.becomes(other, 'success', { mining: true });
    expect(await fillsOf(order)).toBe(1);
    expect(await fillsOf(other)).toBe(1);
  });

  it('is filled once when the reorganisation itself includes it again', async () => {
    const order = await fundedOrder(LARGE);
    const hash = await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'pending');
    const raw = await rawTransaction(world.a, hash);
    await world.a.mine();
    await world.a.reorgOut(hash, [[raw, 1]]);
    await world.becomes(order, 'success', { mining: true });
    expect(await fillsOf(order)).toBe(1);
  });
});

describe('a deposit that a reorganisation takes away after the fill', () => {
  it('fails with DEPOSIT_REORGED, and the fill is not repeated when it comes back', async () => {
    const order = await fundedOrder(SMALL);
    const hash = await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const raw = await rawTransaction(world.a, hash);
    await world.a.reorgOut(hash);
    await world.a.mine();
    await reorged(order, hash);
    expect(await fillsOf(order)).toBe(1);

    await world.a.client.sendRawTransaction({ serializedTransaction: raw });
    await world.becomes(order, 'success');
    await world.finalise();
    await sleep(500);
    expect(await fillsOf(order)).toBe(1);
    const record = await world.rest.request(order.requestId);
    expect(record.data.inTxs.map((entry) => [entry.txHash, entry.status])).toEqual([[hash, 'success']]);
  });

  it('costs the value at risk and no more when it never comes back', async () => {
    const order = await fundedOrder(SMALL);
    world.excuse(order, { depositTakenAway: true });
    const hash = await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    await world.a.reorgOut(hash);
    await world.a.mine();
    await reorged(order, hash);
    await world.finalise();
    await sleep(500);
    expect(await fillsOf(order)).toBe(1);
  });
});

describe('a fill that a reorganisation takes away', () => {
  it('is sent again with the same bytes, and the request stays a success', async () => {
    const order = await fundedOrder(SMALL);
    await pay(order.from, order.user, order.quote);
    const { txHashes } = await world.becomes(order, 'success');
    await world.b.reorgOut(txHashes[0] as Hash);
    await world.b.mine();
    expect(await fillsOf(order)).toBe(0);
    // No blocks meanwhile: some without inclusion cause a fee bump.
    await until('the fill lands again', async () => {
      expect((await world.rest.status(order.requestId)).status).toBe('success');
      return (await fillsOf(order)) === 1;
    });
    const status = await world.rest.status(order.requestId);
    expect(status.txHashes).toEqual(txHashes);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
