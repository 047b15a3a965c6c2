import type { DepositBatch, DepositObservation, Hex } from '@causeway/core';
import {
  eitherOf,
  first,
  type JsonRpcFaultProxy,
  type JsonRpcPlan,
  type JsonRpcReply,
  jsonRpcFaultProxy,
  only,
} from '@causeway/core/testing';
import { encodeFunctionData, maxUint256 } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { depositoryAbi, erc20Abi } from '../src/abi.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { depositBundle } from './conformance/deposit-bundle.js';
import { attempt, fillLeg } from './support/legs.js';
import { testClient, wallet } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  Follower,
  fillSigner,
  makeAdapter,
  orderId,
  type Rig,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

const MAX_RESULTS = 10;
const CAP = { code: -32602, message: `query exceeds max results ${MAX_RESULTS}, retry with a smaller range` };

let world: World;
let proxy: JsonRpcFaultProxy;
let adapter: EvmAdapter;
let orders = 0;

beforeAll(async () => {
  // No final blocks: these are read again, which would distort the counts.
  world = await startWorld(2_000);
  await world.anvil.setAutomine(false);
});
beforeEach(async () => {
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }], rpcMaxInFlight: 64 })));
});
afterEach(async () => {
  await adapter.stop();
  await proxy.close();
});
afterAll(() => world.anvil.stop());

const user = () => world.deployed.users[0] ?? expect.fail('no user');

const capped = (most: number, error = CAP): JsonRpcPlan =>
  only('eth_getLogs', {
    rewrite: (reply: JsonRpcReply) =>
      'result' in reply && (reply.result as readonly unknown[]).length > most ? { error } : reply,
  });

const narrow = (most: number): JsonRpcPlan =>
  only(({ method, params }) => method === 'eth_getLogs' && spanOf(params) > most, {
    error: { code: -32600, message: `block range is too wide: at most ${most} blocks` },
  });

function spanOf(params: readonly unknown[]): number {
  const { fromBlock, toBlock } = params[0] as { fromBlock?: Hex; toBlock?: Hex };
  return fromBlock === undefined ? 1 : Number(toBlock) - Number(fromBlock) + 1;
}

async function deposit(bundles: readonly number[]): Promise<void> {
  const client = wallet(world.anvil, user());
  for (const size of bundles) {
    const wishes = Array.from({ length: size }, (_, n) => ({
      amount: BigInt(orders + n + 1),
      orderId: orderId(orders + n + 1),
    }));
    orders += size;
    const data = depositBundle(world.deployed.depository, user().address, wishes);
    const value = wishes.reduce((sum, { amount }) => sum + amount, 0n);
    const nonce = await testClient(world.anvil).getTransactionCount({ address: user().address, blockTag: 'pending' });
    await client.sendTransaction({ data, value, gas: 3_000_000n, nonce });
  }
}

const reported = (batches: readonly DepositBatch[]): readonly DepositObservation[] =>
  batches.flatMap(({ deposits }) => deposits);
const keys = (deposits: readonly DepositObservation[]) =>
  deposits.map(({ fundingKey, amount }) => [fundingKey, amount]);

async function truth(cursor: string | undefined): Promise<readonly DepositObservation[]> {
  const free = await startAdapter(chainOptions(world));
  const follower = new Follower(free.adapter, cursor);
  const height = await world.anvil.height();
  const batches = await follower.until((batch) => tipOf(batch) === height);
  await follower.stop();
  await free.adapter.stop();
  return reported(batches);
}

const tipOf = ({ cursor }: DepositBatch): number => JSON.parse(cursor).marks.at(-1)[0];

describe('a block with more deposits than a provider reports at once', () => {
  /** The newest block has 30 deposits of three transactions and a single one, seen as head or later. */
  async function crowded(plan: JsonRpcPlan, late = false) {
    const follower = new Follower(adapter);
    const { cursor } = await follower.next();
    if (late) await follower.stop();
    await deposit([12, 1, 17]);
    proxy.plan = plan;
    await world.anvil.mine();
    if (late) await world.anvil.mine(3);
    const height = await world.anvil.height();
    const again = late ? new Follower(adapter, cursor) : follower;
    const batches = await again.until((batch) => tipOf(batch) === height);
    await again.stop();
    return { reported: reported(batches), expected: await truth(cursor) };
  }

  it.each([
    ['as the head', false],
    ['in a range', true],
  ])('is read from its receipts, under the same funding keys (%s)', async (_, late) => {
    const { reported: seen, expected } = await crowded(capped(MAX_RESULTS), late);
    expect(expected).toHaveLength(30);
    expect(seen).toEqual(expected);
    expect(new Set(seen.map(({ fundingKey }) => fundingKey)).size).toBe(30);
    expect(proxy.count('eth_getBlockReceipts')).toBe(1);
    expect(proxy.count('eth_getTransactionReceipt')).toBe(0);
  });

  it('is read transaction by transaction, some at a time, where there are no receipts of whole blocks', async () => {
    const extra = wallet(world.anvil, world.deployed.users[1] ?? expect.fail('no user'));
    const nonce = await testClient(world.anvil).getTransactionCount({ address: extra.account.address });
    for (let n = 0; n < 40; n += 1) {
      await extra.sendTransaction({ to: user().address, value: 1n, gas: 21_000n, nonce: nonce + n });
    }
    const unknown = {
      error: { code: -32601, message: 'the method eth_getBlockReceipts does not exist/is not available' },
    };
    const { reported: seen, expected } = await crowded(
      eitherOf(capped(MAX_RESULTS), only('eth_getBlockReceipts', unknown)),
    );
    expect(seen).toEqual(expected);
    const asked = proxy.calls.filter(({ method }) => method === 'eth_getTransactionReceipt');
    expect(asked).toHaveLength(43);
    const together = new Map<number, number>();
    for (const { at } of asked) together.set(at, (together.get(at) ?? 0) + 1);
    expect(Math.max(...together.values())).toBeLessThanOrEqual(16);
  });

  it('is not read from receipts of another block, nor from some of its own', async () => {
    const lies = first(2, {
      rewrite: (reply: JsonRpcReply) =>
        'result' in reply ? { result: (reply.result as unknown[]).slice(0, 1) } : reply,
    });
    const { reported: seen, expected } = await crowded(
      eitherOf(capped(MAX_RESULTS), only('eth_getBlockReceipts', lies)),
    );
    expect(seen).toEqual(expected);
    expect(proxy.count('eth_getTransactionReceipt')).toBe(3);
  });

  it.each<[string, JsonRpcPlan]>([
    [
      'under the code of throttling',
      capped(MAX_RESULTS, { code: -32005, message: 'query returned more than 10 results' }),
    ],
    ['for the size of its answer', only('eth_getLogs', { status: 413, body: 'too large' })],
  ])('is read where the provider refuses it %s', async (_, plan) => {
    const { reported: seen, expected } = await crowded(plan);
    expect(expected).toHaveLength(30);
    expect(seen).toEqual(expected);
  });

  it('is asked for event by event before its receipts are', async () => {
    const { anvil, deployed } = world;
    const client = wallet(anvil, user());
    const token = deployed.tokens.USDC;
    let nonce = await testClient(anvil).getTransactionCount({ address: user().address });
    const send = (to: Hex, data: Hex) => client.sendTransaction({ to, data, gas: 300_000n, nonce: nonce++ });
    const args = [deployed.depository, maxUint256] as const;
    await send(token, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }));
    await anvil.mine();
    const follower = new Follower(adapter);
    const { cursor } = await follower.next();
    for (let n = 0; n < 6; n += 1) {
      orders += 1;
      const wish = [user().address, token, BigInt(orders), orderId(orders)] as const;
      await send(
        deployed.depository,
        encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args: wish }),
      );
      if (n === 2) {
        await deposit([8]);
        nonce += 1;
      }
    }
    proxy.plan = capped(MAX_RESULTS);
    await anvil.mine();
    const batches = await follower.until(({ deposits }) => deposits.length > 0);
    await follower.stop();
    expect(reported(batches)).toHaveLength(14);
    expect(reported(batches)).toEqual(await truth(cursor));
    expect(proxy.count('eth_getBlockReceipts')).toBe(0);
  });
});

describe('ranges that a provider does not report at once', () => {
  async function backlog(blocks: number): Promise<string> {
    const follower = new Follower(adapter);
    const { cursor } = await follower.next();
    await follower.stop();
    for (let n = 0; n < blocks; n += 3) {
      await deposit([4]);
      await world.anvil.mine(3);
    }
    return cursor;
  }

  async function readFrom(cursor: string, on: EvmAdapter = adapter): Promise<readonly DepositBatch[]> {
    const height = await world.anvil.height();
    await eventually(
      async () => on.status().head?.value,
      (head) => head === height,
    );
    const follower = new Follower(on, cursor);
    const batches = await follower.until((batch) => tipOf(batch) === height);
    await follower.stop();
    return batches;
  }

  const queries = () => proxy.calls.filter(({ method }) => method === 'eth_getLogs');

  it('are reported part by part, and the size that works is remembered', async () => {
    const cursor = await backlog(120);
    proxy.plan = narrow(8);
    const batches = await readFrom(cursor);
    expect(keys(reported(batches))).toEqual(keys(await truth(cursor)));
    expect(batches.length).toBeGreaterThanOrEqual(120 / 8);
    const refused = proxy.faulted().length;
    // Eight halvings of the backlog, plus a few trials of larger ranges; of two questions to each range.
    expect(refused).toBeLessThanOrEqual(20);
    expect(queries().length - refused).toBeLessThanOrEqual(80);
    // The next range starts from the last successful size.
    const before = proxy.faulted().length;
    await readFrom(cursor);
    expect(proxy.faulted().length - before).toBeLessThanOrEqual(8);
  });

  it('grow again where the provider reports more', async () => {
    const cursor = await backlog(90);
    proxy.plan = narrow(1);
    await readFrom(cursor);
    proxy.plan = () => 'pass';
    const before = queries().length;
    await readFrom(cursor);
    expect(
      Math.max(
        ...queries()
          .slice(before)
          .map(({ params }) => spanOf(params)),
      ),
    ).toBeGreaterThanOrEqual(4);
  });

  it('are not read again from the start when a provider fails in the middle', async () => {
    const cursor = await backlog(120);
    const expected = await truth(cursor);
    let answered = 0;
    proxy.plan = eitherOf(
      narrow(8),
      only('eth_getLogs', () => {
        answered += 1;
        return answered > 0 && answered % 4 === 0 ? 'dropBefore' : 'pass';
      }),
    );
    const batches = await readFrom(cursor);
    expect(keys(reported(batches))).toEqual(keys(expected));
    const starts = queries()
      .filter(({ fault }) => fault === 'pass' || typeof fault === 'object')
      .map(({ params }) => {
        const { fromBlock } = params[0] as { fromBlock?: Hex };
        return Number(fromBlock);
      });
    const first = Math.min(...starts);
    expect(starts.filter((start) => start === first).length).toBeLessThanOrEqual(18);
    expect(batches.slice(0, 3).every((batch) => tipOf(batch) < (batches.at(-1)?.head.height ?? 0))).toBe(true);
  });

  it('are reported as one where they take the place of others, and gone on with where a provider failed', async () => {
    const { anvil } = world;
    const follower = new Follower(adapter);
    const { cursor: old } = await follower.next();
    await deposit([3]);
    await anvil.mine(14);
    const height = await anvil.height();
    const { cursor } = (await follower.until((batch) => tipOf(batch) === height)).at(-1) ?? { cursor: old };
    await follower.stop();
    await anvil.reorg(14);
    for (let n = 0; n < 6; n += 1) {
      await deposit([3]);
      await anvil.mine(2);
    }
    let calls = 0;
    proxy.plan = eitherOf(
      narrow(2),
      only('eth_getLogs', () => {
        calls += 1;
        return calls === 12 || calls === 16 ? 'dropBefore' : 'pass';
      }),
    );
    const before = queries().length;
    const batches = await readFrom(cursor);
    const rewound = batches.filter(({ rewoundTo }) => rewoundTo !== undefined);
    expect(rewound).toHaveLength(1);
    expect(keys(rewound[0]?.deposits ?? [])).toEqual(keys(await truth(old)));
    expect(rewound[0]?.deposits).toHaveLength(18);
    const read = queries()
      .slice(before)
      .filter(({ fault }) => fault === 'pass');
    const starts = read.map(({ params }) => {
      const { fromBlock, topics } = params[0] as { readonly fromBlock?: Hex; readonly topics: readonly unknown[] };
      return `${fromBlock} ${topics.length}`;
    });
    // Only of the two ranges whose other question failed.
    expect(starts.length - new Set(starts).size).toBeLessThanOrEqual(2);
  });
});

describe('what is searched for in the past', () => {
  it('is found at a provider that reports few blocks at a time', async () => {
    const { anvil } = world;
    const leg = fillLeg(7_001, '0x00000000000000000000000000000000000abc40', 5n);
    const one = await attempt(adapter, leg);
    await adapter.send(one.transaction);
    await anvil.mine(30);
    const head = await anvil.height();
    proxy.plan = eitherOf(narrow(5), (call) =>
      call.method === 'eth_getTransactionCount' && Number(call.params[1]) < head
        ? { error: { code: -32000, message: 'missing trie node' } }
        : 'pass',
    );
    expect(await adapter.paidBy(leg)).toMatchObject({ hash: one.transaction.hash, moved: 5n });
    expect(await adapter.keys.spenderOf(one.prepared.key, fillSigner.address)).toMatchObject({
      hash: one.transaction.hash,
      filled: [leg.orderId],
    });
  });
});

describe('an answer that a provider does not have', () => {
  it('is no reason to ask for less', async () => {
    const rig: Rig = makeAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
    await rig.adapter.start();
    const follower = new Follower(rig.adapter);
    await follower.next();
    proxy.plan = only('eth_getLogs', first(3, { error: { code: -32000, message: 'unknown block' } }));
    await deposit([2]);
    await world.anvil.mine();
    const batches = await follower.until(({ deposits }) => deposits.length > 0);
    expect(reported(batches)).toHaveLength(2);
    expect(proxy.count('eth_getBlockByHash')).toBe(0);
    await follower.stop();
    await rig.adapter.stop();
  });
});
