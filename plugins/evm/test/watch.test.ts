import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { depositNative, depositToken, signedDeposit, testClient } from './support/wallet.js';
import { chainOptions, Follower, orderId, startAdapter, startWorld, type World } from './support/world.js';

describe('watching deposits', () => {
  let world: World;
  let adapter: EvmAdapter;
  const followers: Follower[] = [];
  const follow = (cursor?: string, on = adapter): Follower => {
    const follower = new Follower(on, cursor);
    followers.push(follower);
    return follower;
  };

  beforeAll(async () => {
    world = await startWorld(32);
  });
  beforeEach(async () => {
    ({ adapter } = await startAdapter(chainOptions(world)));
  });
  afterEach(async () => {
    for (const follower of followers.splice(0)) await follower.stop();
    await adapter.stop();
  });
  afterAll(() => world.anvil.stop());

  const user = () => world.deployed.users[0] ?? expect.fail('no user');
  const other = () => world.deployed.users[1] ?? expect.fail('no user');

  it('yields the head at once and a deposit with its block soon after', async () => {
    const { anvil, deployed } = world;
    const follower = follow();
    const first = await follower.next();
    expect(first.deposits).toEqual([]);
    expect(first.head.height).toBe(await anvil.height());
    const hash = await depositNative(anvil, deployed, user(), 123n, orderId(1));
    const batch = (await follower.until(({ deposits }) => deposits.length > 0)).at(-1);
    const block = await testClient(anvil).getBlock();
    expect(batch?.deposits).toEqual([
      {
        fundingKey: `31337:${hash}:0`,
        chainId: 31337,
        transactionHash: hash,
        currency: '0x0000000000000000000000000000000000000000',
        amount: 123n,
        depositor: user().address.toLowerCase(),
        orderId: orderId(1),
        depositAddress: null,
        state: 'included',
        block: { height: Number(block.number), id: block.hash, timestamp: Number(block.timestamp) * 1000 },
      },
    ]);
    expect(batch?.head.id).toBe(block.hash);
  });

  it('counts a fee-on-transfer token by what arrived, and a zero id as none', async () => {
    const { anvil, deployed } = world;
    const follower = follow();
    await follower.next();
    await depositToken(anvil, deployed, user(), deployed.tokens.FEE, 1000n, `0x${'00'.repeat(32)}`);
    const batch = (await follower.until(({ deposits }) => deposits.length > 0)).at(-1);
    expect(batch?.deposits[0]).toMatchObject({
      amount: 990n,
      orderId: null,
      currency: deployed.tokens.FEE.toLowerCase(),
    });
  });

  it('yields a batch for every new head, deposits or not', async () => {
    const follower = follow();
    const { head } = await follower.next();
    await world.anvil.mine();
    expect((await follower.next()).head.height).toBe(head.height + 1);
    await world.anvil.mine();
    expect((await follower.next()).head.height).toBe(head.height + 2);
  });

  it('finds what happened while no one watched, in ranges, and the same again from the same cursor', async () => {
    const { anvil, deployed } = world;
    const before = follow();
    await before.next();
    const { cursor } = before;
    const hashes = [];
    for (let n = 0; n < 3; n += 1) {
      hashes.push(await depositNative(anvil, deployed, user(), BigInt(n + 1), orderId(10 + n)));
      await anvil.mine(40);
    }
    const { adapter: narrow } = await startAdapter(chainOptions(world, { watch: { pollMs: 100, maxRange: 25 } }));
    const height = await anvil.height();
    const replay = async (): Promise<unknown[]> => {
      const follower = follow(cursor, narrow);
      const batches = await follower.until((batch) => JSON.parse(batch.cursor).marks.at(-1)[0] === height);
      expect(batches.length).toBeGreaterThan(3);
      return batches.flatMap(({ deposits }) => deposits.map(({ fundingKey, amount }) => [fundingKey, amount]));
    };
    const expected = hashes.map((hash, n) => [`31337:${hash}:0`, BigInt(n + 1)]);
    expect(await replay()).toEqual(expected);
    expect(await replay()).toEqual(expected);
    await narrow.stop();
  });

  it('reports final deposits as final', async () => {
    const { anvil, deployed } = world;
    const before = follow();
    await before.next();
    const { cursor } = before;
    await depositNative(anvil, deployed, user(), 5n, orderId(20));
    await anvil.mine(80);
    const batches = await follow(cursor).until(({ deposits }) => deposits.length > 0);
    expect(batches.at(-1)?.deposits[0]?.state).toBe('final');
  });

  it('rewinds to the common ancestor when a reorg drops a deposit', async () => {
    const { anvil, deployed } = world;
    const base = await anvil.height();
    const follower = follow();
    await follower.next();
    await depositNative(anvil, deployed, user(), 7n, orderId(30));
    await follower.until(({ deposits }) => deposits.length > 0);
    await anvil.mine(2);
    await follower.until((batch) => batch.head.height === base + 3);
    await anvil.reorg(3);
    const batch = (await follower.until(({ rewoundTo }) => rewoundTo !== undefined)).at(-1);
    expect(batch?.rewoundTo).toBe(base);
    expect(batch?.deposits).toEqual([]);
    await anvil.mine();
    expect((await follower.next()).rewoundTo).toBeUndefined();
  });

  it('keeps the funding key of a deposit that is included again behind another log', async () => {
    const { anvil, deployed } = world;
    const follower = follow();
    const { head } = await follower.next();
    const hash = await depositNative(anvil, deployed, user(), 9n, orderId(40));
    await follower.until(({ deposits }) => deposits.length > 0);
    const raw = await anvil.rpc<`0x${string}`>('eth_getRawTransactionByHash', [hash]);
    // Another deposit comes first in the block, so that the log index changes.
    const rival = await signedDeposit(anvil, deployed, other(), 4n, orderId(41));
    await anvil.reorg(1, [
      { transaction: rival, block: 0 },
      { transaction: raw, block: 0 },
    ]);
    const batch = (await follower.until(({ rewoundTo }) => rewoundTo !== undefined)).at(-1);
    expect(batch?.rewoundTo).toBe(head.height);
    expect(batch?.deposits.map(({ depositor, amount }) => [depositor, amount])).toEqual([
      [other().address.toLowerCase(), 4n],
      [user().address.toLowerCase(), 9n],
    ]);
    expect(batch?.deposits[1]?.fundingKey).toBe(`31337:${hash}:0`);
  });

  it('notices after a restart that its cursor was on a fork', async () => {
    const { anvil, deployed } = world;
    const first = follow();
    const { head } = await first.next();
    await depositNative(anvil, deployed, user(), 11n, orderId(50));
    await first.until(({ deposits }) => deposits.length > 0);
    const { cursor } = first;
    await first.stop();
    await anvil.reorg(1);
    await depositNative(anvil, deployed, other(), 12n, orderId(51));
    const batches = await follow(cursor).until(({ deposits }) => deposits.length > 0);
    expect(batches.find(({ rewoundTo }) => rewoundTo !== undefined)?.rewoundTo).toBe(head.height);
    expect(batches.at(-1)?.deposits.map(({ amount }) => amount)).toEqual([12n]);
  });

  it('works by polling alone', async () => {
    const { anvil, deployed } = world;
    const { adapter: polling } = await startAdapter(
      chainOptions(world, { rpc: [{ http: anvil.rpcUrl }], watch: { pollMs: 50 } }),
    );
    const follower = follow(undefined, polling);
    await follower.next();
    await depositNative(anvil, deployed, user(), 13n, orderId(60));
    const batches = await follower.until(({ deposits }) => deposits.length > 0);
    expect(batches.at(-1)?.deposits[0]?.amount).toBe(13n);
    await follower.stop();
    await polling.stop();
  });

  it('asks for one head early in a poll interval, however many hints come', async () => {
    const proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
    const slow = chainOptions(world, { rpc: [{ http: proxy.url }], watch: { pollMs: 60_000 } });
    const { adapter: hinted } = await startAdapter(slow);
    const before = proxy.count('eth_getBlockByNumber');
    for (let n = 0; n < 400; n += 1) {
      hinted.hint(orderId(n));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => proxy.count('eth_getBlockByNumber') - before).toBeGreaterThan(0);
    expect(proxy.count('eth_getBlockByNumber') - before).toBeLessThan(3);
    await hinted.stop();
    await proxy.close();
  });

  it('refuses a cursor that is not its own', async () => {
    await expect(follow('{"v":2}').next()).rejects.toThrow('cursor');
  });

  it('shows a deposit within milliseconds of its block', async () => {
    const { anvil, deployed } = world;
    await anvil.setAutomine(false);
    const follower = follow();
    await follower.next();
    const times: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      await depositNative(anvil, deployed, user(), 1n, orderId(100 + n));
      const waiting = follower.until(({ deposits }) => deposits.length > 0);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const mined = performance.now();
      await anvil.mine();
      await waiting;
      times.push(performance.now() - mined);
    }
    await anvil.setAutomine(true);
    times.sort((a, b) => a - b);
    console.info('mine call to batch, ms', times.map((t) => t.toFixed(1)).join(' '));
    expect(times[5]).toBeLessThan(100);
  });
});
