import type { DepositObservation, Sighting } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { depositNative } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  Follower,
  makeAdapter,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

const QUORUM = { aboveUsd: 1_000, providers: 2 };

let world: World;
let proxies: JsonRpcFaultProxy[];
let adapter: EvmAdapter;
let count = 0;

beforeAll(async () => {
  world = await startWorld(32);
});
beforeEach(async () => {
  proxies = [await jsonRpcFaultProxy(world.anvil.rpcUrl), await jsonRpcFaultProxy(world.anvil.rpcUrl)];
  const rpc = proxies.map(({ url }) => ({ http: url }));
  ({ adapter } = await startAdapter(chainOptions(world, { rpc, quorum: QUORUM, rpcTimeoutMs: 1_000 })));
});
afterEach(async () => {
  await adapter.stop();
  for (const proxy of proxies) await proxy.close();
});
afterAll(() => world.anvil.stop());

const liar = () => proxies[1] ?? expect.fail('no second provider');

async function seen(): Promise<DepositObservation> {
  const follower = new Follower(adapter);
  await follower.next();
  const [user] = world.deployed.users;
  count += 1;
  await depositNative(world.anvil, world.deployed, user ?? expect.fail('no user'), 777n, orderId(count));
  const batches = await follower.until(({ deposits }) => deposits.length > 0);
  await follower.stop();
  return batches.at(-1)?.deposits[0] ?? expect.fail('no deposit');
}

function sighting(deposit: DepositObservation, change: Partial<Sighting> = {}): Sighting {
  const { fundingKey, transactionHash, currency, amount, depositor, orderId: id, block } = deposit;
  const { height, id: blockId } = block ?? expect.fail('not in a block');
  return {
    fundingKey,
    transactionHash,
    currency,
    amount,
    depositor,
    orderId: id,
    block: { height, id: blockId },
    providers: 2,
    ...change,
  };
}

const reported = async (one: Sighting) => (await adapter.witness([one]))[0];

describe('a deposit that must be reported by two providers', () => {
  it('is one from the configured value on', () => {
    expect(adapter.quorum(999_999_999n)).toBe(1);
    expect(adapter.quorum(1_000_000_000n)).toBe(2);
  });

  it('is witnessed when both have the same event in the same block', async () => {
    expect(await reported(sighting(await seen()))).toBe(true);
  });

  it('is not when one has another block at that height', async () => {
    const deposit = await seen();
    liar().plan = only('eth_getBlockByNumber', {
      rewrite: (reply) =>
        'result' in reply && reply.result !== null
          ? { result: { ...(reply.result as object), hash: `0x${'66'.repeat(32)}` } }
          : reply,
    });
    expect(await reported(sighting(deposit))).toBe(false);
  });

  it('is not when one knows no such transaction, and is once it does', async () => {
    const deposit = await seen();
    liar().plan = only('eth_getTransactionReceipt', { result: null });
    expect(await reported(sighting(deposit))).toBe(false);
    liar().plan = () => 'pass';
    expect(await reported(sighting(deposit))).toBe(true);
  });

  it('is not while one does not answer, and comes through when it is back', async () => {
    const deposit = await seen();
    liar().plan = () => 'dropBefore';
    expect(await reported(sighting(deposit))).toBe(false);
    liar().plan = () => 'pass';
    expect(await eventually(() => reported(sighting(deposit)), Boolean)).toBe(true);
  });

  it.each<[string, Partial<Sighting>]>([
    ['amount', { amount: 778n }],
    ['depositor', { depositor: `0x${'11'.repeat(20)}` }],
    ['order', { orderId: orderId(999_999) }],
    ['currency', { currency: `0x${'22'.repeat(20)}` }],
  ])('is not when the first one made up its %s', async (_, lie) => {
    expect(await reported(sighting(await seen(), lie))).toBe(false);
  });

  it('is not when the first one made up the event as a whole', async () => {
    const deposit = await seen();
    const second = deposit.fundingKey.replace(/:0$/, ':1');
    expect(await reported(sighting(deposit, { fundingKey: second }))).toBe(false);
  });
});

describe('a quorum of more providers than there are', () => {
  it('is a config error: no deposit could ever pass', () => {
    const rpc = [{ http: world.anvil.rpcUrl }];
    expect(() => makeAdapter(chainOptions(world, { rpc, quorum: QUORUM }))).toThrow(/2 providers.*1 are configured/);
  });
});
