import type { Hex } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { depositoryAbi, erc20Abi } from '../src/abi.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { batcher } from '../src/generated/contracts.js';
import { depositNative, depositToken, testClient, wallet } from './support/wallet.js';
import { chainOptions, eventually, orderId, startAdapter, startWorld, type World } from './support/world.js';

const ZERO = '0x0000000000000000000000000000000000000000';
const moving = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);

interface Call {
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Hex;
}

/** Users 0 and 1 have plain accounts; 2 has delegated code that anyone may call. */
describe('whose money a deposit was', () => {
  let world: World;
  let proxy: JsonRpcFaultProxy;
  let adapter: EvmAdapter;
  let contract: Hex;
  let token: Hex;

  beforeAll(async () => {
    world = await startWorld();
    proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
    ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] })));
    token = world.deployed.tokens.USDC;
    const hash = await wallet(world.anvil, user(0)).deployContract({ ...batcher, args: [] });
    const { contractAddress } = await receiptOf(hash);
    contract = contractAddress ?? expect.fail('not deployed');
    const delegating = wallet(world.anvil, user(2));
    const authorization = await delegating.signAuthorization({ contractAddress: contract, executor: 'self' });
    await receiptOf(await delegating.sendTransaction({ authorizationList: [authorization], to: user(0).address }));
    expect(await testClient(world.anvil).getCode({ address: user(2).address })).toMatch(/^0xef0100/);
  });
  afterAll(async () => {
    await adapter.stop();
    await proxy.close();
    await world.anvil.stop();
  });

  const user = (n: number) => world.deployed.users[n] ?? expect.fail('no user');
  const account = (n: number) => user(n).address.toLowerCase();
  const receiptOf = (hash: Hex) =>
    testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 10_000 });
  const own = (transactionHash: string, depositor: string) => adapter.isDepositorsMoney({ transactionHash, depositor });

  const payNative = (depositor: Hex, value: bigint): Call => ({
    to: world.deployed.depository,
    value,
    data: encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [depositor, orderId(1)] }),
  });
  const payToken = (depositor: Hex, amount: bigint, of = token): Call => {
    const args = [depositor, of, amount, orderId(2)] as const;
    const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args });
    return { to: world.deployed.depository, value: 0n, data };
  };
  const approve = (spender: Hex, amount: bigint, of = token): Call => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });
    return { to: of, value: 0n, data };
  };
  const transfer = (to: Hex, amount: bigint): Call => {
    const data = encodeFunctionData({ abi: moving, functionName: 'transfer', args: [to, amount] });
    return { to: token, value: 0n, data };
  };
  const pull = (from: Hex, to: Hex, amount: bigint): Call => {
    const data = encodeFunctionData({ abi: moving, functionName: 'transferFrom', args: [from, to, amount] });
    return { to: token, value: 0n, data };
  };

  async function send(n: number, call: Call): Promise<Hex> {
    const hash = await wallet(world.anvil, user(n)).sendTransaction({ ...call, gas: 900_000n });
    expect((await receiptOf(hash)).status).toBe('success');
    return hash;
  }
  /** Through a contract or an account with delegated code. */
  const through = (n: number, by: Hex, calls: readonly Call[], value = 0n) =>
    send(n, { to: by, value, data: encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] }) });

  it('is the depositor’s who called the depository by a transaction of its own', async () => {
    const native = await depositNative(world.anvil, world.deployed, user(0), 5n, orderId(3));
    const tokens = await depositToken(world.anvil, world.deployed, user(0), token, 7n, orderId(4));
    for (const hash of [native, tokens]) {
      expect((await receiptOf(hash)).status).toBe('success');
      expect(await own(hash, account(0))).toBe(true);
      expect(await own(hash, account(1))).toBe(false);
      expect(await own(hash.toUpperCase().replace('0X', '0x'), account(0))).toBe(true);
    }
  });

  it('is the depositor’s whose tokens the depository took, no matter who signed and paid the fee', async () => {
    const by = user(2).address;
    const calls = [approve(world.deployed.depository, 9n), payToken(ZERO, 9n)];
    expect(await own(await through(1, by, calls), account(2))).toBe(true);
    const fee = world.deployed.tokens.FEE;
    const kept = [approve(world.deployed.depository, 1_000n, fee), payToken(by, 1_000n, fee)];
    const shrunk = await through(1, by, kept);
    expect(await own(shrunk, account(2))).toBe(true);
    expect(await own(shrunk, account(1))).toBe(false);
  });

  it('is no one’s where another account paid and named the depositor', async () => {
    expect(await own(await send(0, payNative(user(1).address, 5n)), account(1))).toBe(false);
    await send(0, approve(world.deployed.depository, 100n));
    const named = await send(0, payToken(user(1).address, 5n));
    expect(await own(named, account(1))).toBe(false);
    expect(await own(named, account(0)), 'whose deposit it is not').toBe(false);
  });

  it('is no one’s where a contract paid for anyone who signed the transaction', async () => {
    const native = await through(0, contract, [payNative(user(0).address, 5n)], 5n);
    await send(1, transfer(contract, 5n));
    const calls = [approve(world.deployed.depository, 5n), payToken(user(0).address, 5n)];
    const tokens = await through(0, contract, calls);
    for (const transactionHash of [native, tokens]) {
      expect(await adapter.paidAlone({ transactionHash, depositor: account(0) }), 'it signed').toBe(true);
      expect(await own(transactionHash, account(0))).toBe(false);
    }
  });

  it('is no one’s where it only passed through an account with delegated code', async () => {
    const by = user(2).address;
    expect(await own(await through(1, by, [payNative(ZERO, 5n)], 5n), account(2))).toBe(false);
    await send(1, approve(by, 50n));
    const calls = [pull(user(1).address, by, 6n), approve(world.deployed.depository, 6n), payToken(ZERO, 6n)];
    for (const signer of [1, 2]) expect(await own(await through(signer, by, calls), account(2))).toBe(false);
  });

  it('is no one’s where a part of it came from another account', async () => {
    const by = user(2).address;
    const mine = [approve(world.deployed.depository, 8n), payToken(ZERO, 8n)];
    await send(1, transfer(contract, 8n));
    const joined = { to: contract, value: 0n };
    const theirs = [approve(world.deployed.depository, 8n), payToken(by, 8n)];
    const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [theirs] });
    // Two deposits name it: one of its own money, one of a contract's.
    expect(await own(await through(1, by, [...mine, { ...joined, data }]), account(2))).toBe(false);
    // Its own transfer next to a deposit that another party pays does not make that deposit its own.
    await send(1, transfer(contract, 8n));
    const gift = transfer(world.deployed.depository, 8n);
    expect(await own(await through(1, by, [gift, { ...joined, data }]), account(2))).toBe(false);
    const native = payNative(by, 3n);
    expect(await own(await through(1, by, [...mine, native], 3n), account(2))).toBe(false);
  });

  it('is no one’s while the transaction is in no block, failed, or is none', async () => {
    await world.anvil.setAutomine(false);
    const waiting = await depositNative(world.anvil, world.deployed, user(0), 5n, orderId(5));
    expect(await own(waiting, account(0))).toBe(false);
    await world.anvil.mine();
    await world.anvil.setAutomine(true);
    expect(await own(waiting, account(0))).toBe(true);
    const failed = await wallet(world.anvil, user(0)).sendTransaction({ ...payNative(ZERO, 0n), gas: 200_000n });
    expect((await receiptOf(failed)).status).toBe('reverted');
    for (const none of [failed, orderId(6), 'nothing']) expect(await own(none, account(0))).toBe(false);
  });

  it('is asked of any client that answers, and rejects where no one does', async () => {
    const hash = await send(0, payNative(ZERO, 5n));
    proxy.plan = only('eth_getTransactionReceipt', { result: null });
    expect(await own(hash, account(0))).toBe(false);
    proxy.plan = () => 'dropBefore';
    await expect(own(hash, account(0))).rejects.toThrow();
    proxy.plan = () => 'pass';
    await eventually(async () => adapter.status().healthy, Boolean);
    expect(await own(hash, account(0))).toBe(true);
  });
});
