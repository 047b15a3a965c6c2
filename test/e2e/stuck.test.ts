import { type Hash, parseEther, parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sleep, until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start({
    quoteValidityMs: 2_000,
    orderTtl: '9s',
    inclusionWindow: '3s',
    collectMinUsd: '1000000000',
  });
});

afterEach(async () => {
  await world.b.automatic();
});

afterAll(async () => {
  await world?.close();
});

async function waiting(): Promise<{ order: Order; hash: Hash }> {
  await world.b.manual();
  const order = await world.order({ amount: parseEther('1') });
  await pay(order.from, order.user, order.quote);
  const { txHashes } = await world.becomes(order, 'submitted');
  const [hash] = txHashes;
  if (hash === undefined) throw new Error('submitted without a hash');
  return { order, hash: hash as Hash };
}

describe('a fill that waits in the pool', () => {
  it('is sent again with the same bytes when the pool forgets it', async () => {
    const { order, hash } = await waiting();
    await world.b.client.dropTransaction({ hash });
    await until('the pool has it again', async () => {
      const transaction = await world.b.client.getTransaction({ hash }).catch(() => undefined);
      return transaction !== undefined;
    });
    await world.b.automatic();
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('is replaced under the same nonce with a higher fee when blocks pass it by', async () => {
    const { order, hash } = await waiting();
    const before = await world.b.client.getTransaction({ hash });
    await world.b.client.dropTransaction({ hash });
    for (let block = 0; block < 4; block += 1) {
      // Each block is made with an emptied mempool.
      for (const pooled of await pool()) await world.b.client.dropTransaction({ hash: pooled });
      await world.b.mine();
      await sleep(300);
    }
    const after = await until('a replacement is in the pool', async () => {
      for (const pooled of await pool()) if (pooled !== hash) return world.b.client.getTransaction({ hash: pooled });
      return undefined;
    });
    expect(after.nonce).toBe(before.nonce);
    expect(after.maxFeePerGas ?? 0n).toBeGreaterThan(before.maxFeePerGas ?? 0n);
    await world.b.automatic();
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('is abandoned when nothing includes it: its nonce is closed by a no-op, then the deposit goes back', async () => {
    const { order, hash } = await waiting();
    const { nonce } = await world.b.client.getTransaction({ hash });
    const noop = await until('a transaction that moves nothing takes its place', async () => {
      for (const pooled of await pool()) {
        const transaction = await world.b.client.getTransaction({ hash: pooled });
        if (transaction.to?.toLowerCase() !== world.b.router.toLowerCase()) return transaction;
      }
      return undefined;
    });
    expect(noop).toMatchObject({ nonce, value: 0n, input: '0x' });
    await world.b.automatic();
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('TRANSACTION_NOT_INCLUDED');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.9'));
  });
});

describe('more orders than inventory', () => {
  it('fills what it can and refunds the rest at the deadline, under a name', async () => {
    const inventory = await world.b.balance(world.keys.fill.address, 'DAI');
    const amount = (inventory * 7n) / 10n;
    const ask = { output: 'DAI', amount, tradeType: 'EXACT_OUTPUT', body: {} } as const;
    const orders = [];
    for (let i = 0; i < 2; i += 1) {
      const user = await world.user({ ETH: parseUnits('1', 24) });
      orders.push(await world.order({ ...ask, user }));
    }
    for (const order of orders) await pay(order.from, order.user, order.quote);
    const ended = await Promise.all(
      orders.map((order) =>
        until(
          'the order ends',
          async () => {
            await world.finalise();
            const status = await world.rest.status(order.requestId);
            return status.status === 'success' || status.status === 'refund' ? status : undefined;
          },
          { ms: 40_000, every: 200 },
        ),
      ),
    );
    expect(ended.map(({ status }) => status).sort()).toEqual(['refund', 'success']);
    const refused = ended.find(({ status }) => status === 'refund');
    expect(['SOLVER_CAPACITY_EXCEEDED', 'SOLVER_BALANCE_TOO_LOW']).toContain(refused?.failReason);
    expect(await world.b.balance(world.keys.fill.address, 'DAI')).toBe(inventory - amount);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});

async function pool(): Promise<Hash[]> {
  const { pending, queued } = await world.b.client.getTxpoolContent();
  const mine = Object.entries({ ...pending, ...queued }).filter(
    ([sender]) => sender.toLowerCase() === world.keys.fill.address.toLowerCase(),
  );
  return mine.flatMap(([, byNonce]) => Object.values(byNonce).map((transaction) => transaction.hash));
}
