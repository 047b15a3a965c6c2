import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Hash, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

const PRELOAD = fileURLToPath(new URL('./support/skewed-clock.mjs', import.meta.url));

let world: World;
let control: string;

beforeAll(async () => {
  world = await World.prepare({ collectMinUsd: '1000000000' });
  control = join(world.home.dir, 'clock');
  writeFileSync(control, '0');
  await world.boot({ NODE_OPTIONS: `--import ${PRELOAD}`, CAUSEWAY_TEST_CLOCK: control });
});

afterEach(async () => {
  await jump(0);
  await world?.b.automatic();
  await world?.finalise();
});

afterAll(async () => {
  await world?.close();
});

const AMOUNT = parseEther('0.5');
const HOUR = 3_600_000;

let shown = 0;

async function jump(offsetMs: number): Promise<void> {
  if (offsetMs === shown) return;
  writeFileSync(control, String(offsetMs));
  shown = offsetMs;
  await until('the clock has jumped', () => readFileSync(`${control}.shown`, 'utf8') === String(offsetMs), {
    every: 5,
  });
}

async function endedOnce(order: Order): Promise<'success' | 'refund'> {
  const { status } = await until(
    'the order ends',
    async () => {
      await world.finalise();
      const now = await world.rest.status(order.requestId);
      return now.status === 'success' || now.status === 'refund' ? now : undefined;
    },
    { ms: 40_000, every: 150 },
  );
  await sleep(300);
  const got = await world.b.balance(order.recipient, 'ETH');
  const back = await world.a.balance(order.refundTo, 'ETH');
  if (status === 'success') {
    expect([got, back]).toEqual([order.amountOut, 0n]);
    return 'success';
  }
  expect(got).toBe(0n);
  expect(back).toBeGreaterThan((order.amountIn * 9n) / 10n);
  expect(back).toBeLessThanOrEqual(order.amountIn);
  return 'refund';
}

async function waitingInPool(): Promise<{ order: Order; hash: Hash }> {
  await world.b.manual();
  const order = await world.order({ amount: AMOUNT });
  await pay(order.from, order.user, order.quote);
  const { txHashes } = await world.becomes(order, 'submitted');
  return { order, hash: txHashes[0] as Hash };
}

const JUMPS = [
  ['forward by an hour', HOUR],
  ['back by an hour', -HOUR],
  ['forward by a week', 168 * HOUR],
] as const;

describe.each(JUMPS)('a wall clock that jumps %s', (_how, offset) => {
  it('after the quote: the deposit is filled or refunded, once', async () => {
    const order = await world.order({ amount: AMOUNT });
    await jump(offset);
    await sleep(100);
    await pay(order.from, order.user, order.quote);
    await endedOnce(order);
    const { updatedAt } = await world.rest.status(order.requestId);
    expect(Math.abs(updatedAt - Date.now() - offset)).toBeLessThan(60_000);
  });

  it('while the fill waits in the pool: it ends once', async () => {
    const { order } = await waitingInPool();
    await jump(offset);
    await sleep(1_500);
    await world.b.automatic();
    await endedOnce(order);
  });

  it('while the fill waits and the pool forgets it: it is sent again, and ends once', async () => {
    const { order, hash } = await waitingInPool();
    await jump(offset);
    await sleep(100);
    await world.b.client.dropTransaction({ hash });
    await world.b.automatic();
    await endedOnce(order);
  });

  it('before a refund goes out: it goes out once', async () => {
    const order = await world.order({ amount: AMOUNT });
    await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: order.orderId });
    await world.becomes(order, 'pending');
    await jump(offset);
    await world.becomes(order, 'refund', { mining: true, ms: 30_000 });
    const back = await world.a.balance(order.refundTo, 'ETH');
    expect(back).toBeGreaterThan(AMOUNT / 3n);
    expect(back).toBeLessThan(AMOUNT / 2n);
  });

  it('and back again: new orders are filled as ever', async () => {
    await jump(offset);
    await sleep(1_000);
    await jump(0);
    // Samples from the other time are stale or in the future; new blocks bring new ones.
    const order = await until('a quote is given', async () => {
      await world.finalise();
      return world.order({ amount: AMOUNT });
    });
    await pay(order.from, order.user, order.quote);
    expect(await endedOnce(order)).toBe('success');
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
