import { parseEther } from 'viem';
import { describe, expect, it } from 'vitest';
import { deployRejecter } from '../support/contracts.js';
import { sharedWorld } from '../support/shared-world.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';

/** Deposits counted in one block: their fills share transactions, and each has its own outcome. */
let world: World;

sharedWorld((shared) => {
  world = shared;
});

async function paidTogether(count: number): Promise<readonly Order[]> {
  const orders = await Promise.all(Array.from({ length: count }, () => world.order({ amount: parseEther('0.5') })));
  await world.a.manual();
  const paid = orders.map((order) => pay(order.from, order.user, order.quote));
  // By payer: other sends of the solver wait in the same mempool.
  await until('all payments to wait', async () => {
    const { pending } = await world.a.client.getTxpoolContent();
    const payers = new Set(Object.keys(pending).map((payer) => payer.toLowerCase()));
    return orders.every(({ user }) => payers.has(user.address.toLowerCase()));
  });
  await world.a.mine();
  await Promise.all(paid);
  await world.a.automatic();
  return orders;
}

const hashOf = async ({ requestId }: Order): Promise<string | undefined> => {
  const { txHashes } = await world.rest.status(requestId);
  return txHashes?.at(-1);
};

describe('fills that are due together', () => {
  it('share transactions, each of them reported separately', async () => {
    const orders = await paidTogether(24);
    for (const order of orders) await world.becomes(order, 'success');
    const hashes = new Set(await Promise.all(orders.map(hashOf)));
    expect(hashes.size).toBeLessThanOrEqual(6);
    for (const { recipient, amountOut } of orders) expect(await world.b.balance(recipient, 'ETH')).toBe(amountOut);
    const record = await world.rest.request(orders[0]?.requestId ?? '');
    expect(record.data.outTxs).toHaveLength(1);
    expect(record.data.outTxs[0]).toMatchObject({ status: 'success', chainId: world.b.id });
    expect(await world.verdict()).toEqual([]);
  }, 120_000);

  it('leave out anyone who refuses, who is refunded with the reason, while the others are filled', async () => {
    // They accept the simulation and refuse in the block.
    const code = await world.b.client.getCode({ address: await deployRejecter(world.b) });
    await world.b.manual();
    const orders = await paidTogether(10);
    const bad = orders.slice(3, 5);
    await until('fills to wait', async () => Number((await world.b.client.getTxpoolStatus()).pending) > 0);
    await until('all to be out', async () => {
      const reported = await Promise.all(orders.map(({ requestId }) => world.rest.status(requestId)));
      return reported.every(({ status }) => status === 'submitted');
    });
    for (const { recipient } of bad) await world.b.client.setCode({ address: recipient, bytecode: code ?? '0x' });
    await world.b.mine();
    await world.b.automatic();
    for (const order of orders) if (!bad.includes(order)) await world.becomes(order, 'success');
    const landed = new Set(await Promise.all(orders.filter((order) => !bad.includes(order)).map(hashOf)));
    for (const order of bad) {
      const status = await world.becomes(order, 'refund', { mining: true });
      expect(status.failReason).toBe('EXECUTION_REVERTED');
      expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
      const back = await world.a.balance(order.refundTo, 'ETH');
      expect(back).toBeLessThan(order.amountIn);
      expect(back).toBeGreaterThan((order.amountIn * 9n) / 10n);
      const { data } = await world.rest.request(order.requestId);
      expect(data.failReason).toBe('EXECUTION_REVERTED');
      // The shared transaction that left this fill out.
      expect(landed).toContain(data.failedTxHash);
      expect(data.failedCallData).toMatchObject({ to: world.b.router.toLowerCase() });
      expect(JSON.stringify(data.failedCallData)).toContain(order.orderId.slice(2));
    }
    expect(await world.verdict()).toEqual([]);
  }, 120_000);
});
