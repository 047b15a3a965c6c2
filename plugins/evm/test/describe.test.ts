import { MAX_DESCRIBED_BYTES, type StateChange, TooMuchToDescribeError } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { walletActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { crowd } from './support/crowd.js';
import { attempt, fillLeg } from './support/legs.js';
import { depositNative, depositToken, testClient } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  fillSigner,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

const RECIPIENT = '0x00000000000000000000000000000000000abc05';
const NATIVE = '0x0000000000000000000000000000000000000000';

describe('describing transactions', () => {
  let world: World;
  let proxy: JsonRpcFaultProxy;
  let adapter: EvmAdapter;

  beforeAll(async () => {
    world = await startWorld();
    proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
    ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] })));
  });
  afterAll(async () => {
    await adapter.stop();
    await proxy.close();
    await world.anvil.stop();
  });

  const described = (hash: string) =>
    eventually(
      () => adapter.describeTransaction(hash),
      (entry) => entry !== undefined,
    );
  const diffOf = (changes: unknown, address: string, token = NATIVE) =>
    (changes as StateChange[]).find(({ address: a, change }) => a === address && change.data.tokenAddress === token)
      ?.change.balanceDiff;

  it("describes a user's deposit with what really moved", async () => {
    const { anvil, deployed } = world;
    const user = deployed.users[0] ?? expect.fail('no user');
    const from = user.address.toLowerCase();
    const hash = await depositNative(anvil, deployed, user, 1234n, orderId(1));
    const entry = await described(hash);
    const receipt = await testClient(anvil).getTransactionReceipt({ hash });
    const block = await testClient(anvil).getBlock({ blockNumber: receipt.blockNumber });
    const fee = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(entry).toMatchObject({
      txHash: hash,
      fee: fee.toString(),
      block: Number(receipt.blockNumber),
      type: 'onchain',
      chainId: 31337,
      timestamp: Number(block.timestamp),
      status: 'success',
      data: { from, to: deployed.depository.toLowerCase(), value: '1234' },
    });
    expect(diffOf(entry?.stateChanges, deployed.depository.toLowerCase())).toBe('1234');
    expect(diffOf(entry?.stateChanges, from)).toBe((-fee - 1234n).toString());
  });

  const refusing = async <T>(methods: RegExp, ask: () => Promise<T>): Promise<T> => {
    proxy.plan = ({ method }) =>
      methods.test(method) ? { error: { code: -32601, message: 'the method does not exist' } } : 'pass';
    // A refusal is remembered: an adapter of its own.
    const own = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
    const shared = adapter;
    adapter = own.adapter;
    try {
      return await ask();
    } finally {
      proxy.plan = () => 'pass';
      adapter = shared;
      await own.adapter.stop();
    }
  };
  const sorted = (changes: unknown) => [...(changes as StateChange[])].map((one) => JSON.stringify(one)).sort();

  it('shows token movements and says the same without traces', async () => {
    const { anvil, deployed } = world;
    const user = deployed.users[1] ?? expect.fail('no user');
    const { FEE } = deployed.tokens;
    const hash = await depositToken(anvil, deployed, user, FEE, 1000n, orderId(2));
    const traced = await described(hash);
    expect(diffOf(traced?.stateChanges, deployed.depository.toLowerCase(), FEE.toLowerCase())).toBe('990');
    const plain = await refusing(/^(debug|trace)_/, () => adapter.describeTransaction(hash));
    expect(sorted(plain?.stateChanges)).toEqual(sorted(traced?.stateChanges));
  });

  it('follows native coin through the router where traces are offered', async () => {
    const fill = await attempt(adapter, fillLeg(3, RECIPIENT, 55n));
    await adapter.send(fill.transaction);
    const entry = await described(fill.transaction.hash);
    expect(diffOf(entry?.stateChanges, RECIPIENT)).toBe('55');
    expect(diffOf(entry?.stateChanges, fillSigner.address)).toBe((-55n - BigInt(entry?.fee ?? 0)).toString());
    const { hash } = fill.transaction;
    const diff = await refusing(/^trace_/, () => adapter.describeTransaction(hash));
    expect(sorted(diff?.stateChanges)).toEqual(sorted(entry?.stateChanges));
    const plain = await refusing(/^(debug|trace)_/, () => adapter.describeTransaction(hash));
    expect(diffOf(plain?.stateChanges, RECIPIENT)).toBeUndefined();
  });

  it('reports of a crowded transaction what moved in configured currencies, and of the rest no more than may be', async () => {
    const { anvil, deployed } = world;
    const user = deployed.users[2] ?? expect.fail('no user');
    const client = testClient(anvil).extend(walletActions);
    const data = crowd({
      depository: deployed.depository,
      depositor: user.address,
      amount: 7n,
      deposits: 20,
      events: 4_000,
    });
    const account = privateKeyToAccount(user.privateKey);
    const hash = await client.sendTransaction({ account, chain: null, data, value: 140n, gas: 25_000_000n });
    const entry = await described(hash);
    expect(entry).toMatchObject({ status: 'success', truncated: true, data: { value: '140', data } });
    expect(diffOf(entry?.stateChanges, deployed.depository.toLowerCase())).toBe('140');
    expect(JSON.stringify(entry).length).toBeLessThan(MAX_DESCRIBED_BYTES);
  });

  it('takes no provider out of use for what a stranger made too large or too slow to read', async () => {
    const { anvil, deployed } = world;
    const user = deployed.users[3] ?? expect.fail('no user');
    const hash = await depositNative(anvil, deployed, user, 5n, orderId(5));
    await described(hash);
    const isReceipt = (method: string) => method === 'eth_getTransactionReceipt';
    proxy.plan = ({ method }) => (isReceipt(method) ? { status: 502 } : 'pass');
    await expect(adapter.describeTransaction(hash)).rejects.toThrow('502');
    expect(adapter.providers.problem()).toBeNull();
    proxy.plan = ({ method }) => (isReceipt(method) ? { result: 'f'.repeat(9 * 1024 * 1024) } : 'pass');
    await expect(adapter.describeTransaction(hash)).rejects.toThrow(TooMuchToDescribeError);
    expect(adapter.providers.problem()).toBeNull();
    proxy.plan = () => 'pass';
    expect(await adapter.describeTransaction(hash)).toMatchObject({ data: { value: '5' } });
  });

  it('describes a failed transaction, and nothing that is not mined', async () => {
    const late = fillLeg(4, RECIPIENT, 1n, NATIVE, Number((await testClient(world.anvil).getBlock()).timestamp) + 60);
    const fill = await attempt(adapter, late);
    expect(await adapter.describeTransaction(fill.transaction.hash)).toBeUndefined();
    expect(await adapter.describeTransaction('0x12')).toBeUndefined();
    await world.anvil.rpc('evm_setNextBlockTimestamp', [late.deadline + 1]);
    await adapter.send(fill.transaction);
    expect(await described(fill.transaction.hash)).toMatchObject({ status: 'failure' });
  });
});
