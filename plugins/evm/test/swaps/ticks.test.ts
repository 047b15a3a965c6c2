import type { Hex } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { numberToHex, pad, toEventSelector } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../src/devnet/index.js';
import { poolAbi } from '../../src/swaps/abi.js';
import type { Pool } from '../../src/swaps/pool.js';
import type { PoolFeed } from '../../src/swaps/pool-feed.js';
import { ConcentratedPool } from '../../src/swaps/v3/concentrated-pool.js';
import { TickBudget } from '../../src/swaps/v3/tick-budget.js';
import { follow, type PoolWorld, poolWorld } from '../support/pools.js';
import { addPosition } from '../support/uniswap.js';

const MINT = toEventSelector(poolAbi[5]);
const SPACING = 10;

let anvil: Anvil;
let proxy: JsonRpcFaultProxy;
let world: PoolWorld;
let busy: Pool;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31337 });
  proxy = await jsonRpcFaultProxy(anvil.rpcUrl);
  world = await poolWorld(anvil, proxy.url);
  busy = concentrated(world.feed).find(({ fee }) => fee === 500) ?? expect.fail('no pool');
}, 60_000);

afterEach(() => {
  proxy.plan = () => 'pass';
});

afterAll(async () => {
  await world?.feed.stop();
  await proxy?.close();
  await anvil?.stop();
});

function concentrated(feed: PoolFeed): readonly Pool[] {
  return [...(feed.known('pool')?.pools.values() ?? [])].filter((pool) => pool instanceof ConcentratedPool);
}

async function mint(...ranges: readonly (readonly [number, number])[]): Promise<void> {
  const { token0, token1, fee } = busy as Pool & Record<'token0' | 'token1', Hex>;
  for (const [lower, upper] of ranges) {
    const range = { tickLower: lower * SPACING, tickUpper: upper * SPACING, amount0: 10n ** 18n, amount1: 10n ** 18n };
    await addPosition(world.dealer, { token0, token1, fee, sqrtPrice: 2n ** 96n, ...range });
  }
}

async function asked(task: () => Promise<void>): Promise<number> {
  const before = proxy.count('eth_call');
  await task();
  return proxy.count('eth_call') - before;
}

function answers(feed: PoolFeed) {
  const amounts = [10n ** 15n, 10n ** 18n, 10n ** 20n, 3n * 10n ** 20n, 6n * 10n ** 20n];
  const of = (pool: Pool, token: string) =>
    amounts.map((amount) => [pool.exactInput(token, amount), pool.exactOutput(token, amount)]);
  const all = concentrated(feed).map((pool) => [pool.address, of(pool, pool.token0), of(pool, pool.token1)] as const);
  return Object.fromEntries(all.map(([address, ...rest]) => [address, rest]));
}

describe('ticks that third parties change', () => {
  it('are read as events name them, in one call, and are then what a whole reading finds', async () => {
    const before = answers(world.feed);
    await mint([-31, 29], [17, 23], [-5, 64]);
    // The pool's price, and its ticks.
    expect(await asked(() => world.look())).toBe(2);
    const whole = await follow(anvil.rpcUrl, anvil.chainId, world.config);
    await whole.feed.stop();
    expect(answers(world.feed)).toEqual(answers(whole.feed));
    expect(answers(world.feed)).not.toEqual(before);
  });

  it('are read one by one where a node creates no contracts in a call', async () => {
    proxy.plan = only(({ method, params }) => method === 'eth_call' && !('to' in (params[0] as object)), {
      error: { code: -32000, message: 'contract creation is not allowed' },
    });
    const whole = await follow(proxy.url, anvil.chainId, world.config);
    await whole.feed.stop();
    expect(answers(whole.feed)).toEqual(answers(world.feed));
  });

  it('cost a pool its place where there are too many, and no more calls; an operator hears which pool it is', async () => {
    const others = concentrated(world.feed).filter((pool) => pool !== busy).length - 1;
    const topic = (index: number) => pad(numberToHex(BigInt.asUintN(256, BigInt(index))));
    const ticks = Array.from({ length: 3_300 }, (_, n) => (n - 1_650) * SPACING);
    const log = (n: number) => ({
      ...{ address: busy.address, data: `0x${'1'.repeat(256)}` },
      topics: [MINT, topic(1), topic(ticks[n] ?? 0), topic(ticks[n + 1] ?? 0)],
    });
    const logs = Array.from({ length: 3_299 }, (_, n) => log(n));
    let calls = 0;
    for (let block = 0; block < 4; block += 1) {
      await anvil.mine();
      proxy.plan = only('eth_getLogs', { result: logs });
      calls += await asked(() => world.look());
    }
    // 3,300 ticks in calls of 200, within the pool's budget.
    expect(calls).toBeLessThan(3 * 20);
    const names = concentrated(world.feed).map(({ address }) => address);
    expect(names).not.toContain(busy.address);
    expect(names.length).toBeGreaterThanOrEqual(others);
    expect(world.alerts.list().map(({ id }) => id)).toContain(`pool-${anvil.chainId}-${busy.address}`);
  });
});

describe('what may be read of pools', () => {
  it('is bounded for each and for all of them, and grows again', () => {
    let now = 0;
    const budget = new TickBudget(1_000, { monotonic: () => now });
    expect([budget.take('a', 1_900), budget.take('a', 100), budget.take('a', 1)]).toEqual(['now', 'now', 'hold']);
    expect([budget.isHeld('a'), budget.isHeld('b')]).toEqual([true, false]);
    expect([budget.take('b', 2_000), budget.take('c', 1_000), budget.take('d', 1)]).toEqual(['now', 'now', 'later']);
    expect(budget.isHeld('d')).toBe(false);
    now = 1_000;
    expect([budget.take('d', 900), budget.take('e', 200)]).toEqual(['now', 'later']);
    now = 600_000;
    expect(budget.isHeld('a')).toBe(false);
    expect(budget.take('a', 2_000)).toBe('now');
  });
});
