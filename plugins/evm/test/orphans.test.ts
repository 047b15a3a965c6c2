import type { Hex } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { secp256k1 } from '@noble/curves/secp256k1';
import { encodeFunctionData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { depositoryAbi } from '../src/abi.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { batcher } from '../src/generated/contracts.js';
import { depositNative, testClient, wallet } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  makeAdapter,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

describe('who alone made a deposit', () => {
  let world: World;
  let proxies: readonly JsonRpcFaultProxy[];
  let adapter: EvmAdapter;

  beforeAll(async () => {
    world = await startWorld();
    proxies = [await jsonRpcFaultProxy(world.anvil.rpcUrl), await jsonRpcFaultProxy(world.anvil.rpcUrl)];
    ({ adapter } = await startAdapter(chainOptions(world, { rpc: proxies.map(({ url }) => ({ http: url })) })));
  });
  afterAll(async () => {
    await adapter.stop();
    for (const proxy of proxies) await proxy.close();
    await world.anvil.stop();
  });

  const user = (n: number) => world.deployed.users[n] ?? expect.fail('no user');
  const account = (n: number) => user(n).address.toLowerCase();
  const included = async (hash: Hex) => {
    await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    return hash;
  };

  it('is the depositor who sent the transaction itself', async () => {
    const transactionHash = await included(await depositNative(world.anvil, world.deployed, user(0), 5n, orderId(1)));
    expect(await adapter.paidAlone({ transactionHash, depositor: account(0) })).toBe(true);
    expect(await adapter.paidAlone({ transactionHash, depositor: account(1) })).toBe(false);
  });

  it('is no one where another account is named, or a contract made it for its user', async () => {
    const args = [user(1).address, orderId(2)] as const;
    const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args });
    const client = wallet(world.anvil, user(0));
    const named = await included(await client.sendTransaction({ to: world.deployed.depository, data, value: 5n }));
    expect(await adapter.paidAlone({ transactionHash: named, depositor: account(1) })).toBe(false);

    const deployed = await included(await client.deployContract({ ...batcher, args: [] }));
    const { contractAddress } = await testClient(world.anvil).getTransactionReceipt({ hash: deployed });
    const to = contractAddress ?? expect.fail('not deployed');
    const own = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [to, orderId(3)] });
    const calls = [{ to: world.deployed.depository, value: 5n, data: own }];
    const through = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
    const made = await included(await client.sendTransaction({ to, data: through, value: 5n }));
    expect(await adapter.paidAlone({ transactionHash: made, depositor: to.toLowerCase() })).toBe(false);
  });

  it('is no one while the transaction is in no block, or is none', async () => {
    await world.anvil.setAutomine(false);
    const transactionHash = await depositNative(world.anvil, world.deployed, user(0), 5n, orderId(4));
    expect(await adapter.paidAlone({ transactionHash, depositor: account(0) })).toBe(false);
    await world.anvil.mine();
    await world.anvil.setAutomine(true);
    expect(await adapter.paidAlone({ transactionHash, depositor: account(0) })).toBe(true);
    for (const none of [orderId(5), 'nothing'])
      expect(await adapter.paidAlone({ transactionHash: none, depositor: account(0) })).toBe(false);
  });

  it('is asked of the next provider where one does not have it, and rejects where no one answers', async () => {
    const transactionHash = await included(await depositNative(world.anvil, world.deployed, user(0), 5n, orderId(6)));
    const transfer = { transactionHash, depositor: account(0) };
    const [first, second] = proxies;
    if (first === undefined || second === undefined) throw new Error('two providers');
    first.plan = only('eth_getTransactionByHash', { result: null });
    expect(await adapter.paidAlone(transfer)).toBe(true);
    first.plan = () => 'dropBefore';
    second.plan = () => 'dropBefore';
    await expect(adapter.paidAlone(transfer)).rejects.toThrow();
    first.plan = () => 'pass';
    second.plan = () => 'pass';
    await eventually(async () => adapter.status().healthy, Boolean);
  });
});

describe('a signed text', () => {
  const { adapter } = makeAdapter({
    ...{ id: 31337, name: 'test', displayName: 'Test', rpc: [{ http: 'http://127.0.0.1:1' }] },
    contracts: { depository: `0x${'1'.repeat(40)}`, router: `0x${'2'.repeat(40)}` },
  });
  const verify = (address: string, text: string, signature: string) =>
    adapter.capabilities.verifyMessage?.(address, text, signature);
  const key = `0x${'5c'.repeat(32)}` as const;
  const signer = privateKeyToAccount(key);
  const address = signer.address.toLowerCase();

  it('is known by the account whose key signed it, in the form of another library', () => {
    // Example from the web3.js documentation of `accounts.sign`.
    const signature =
      '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c';
    expect(verify('0x2c7536e3605d9c16a7a3d7b1898e529396a65c23', 'Some data', signature)).toBe(true);
    expect(verify('0x2c7536e3605d9c16a7a3d7b1898e529396a65c23', 'Some Data', signature)).toBe(false);
    expect(verify(address, 'Some data', signature)).toBe(false);
  });

  it.each(['', 'Release hold 7', 'Grüße, 世界 🌍', 'x'.repeat(20_000)])('may be any text (%#)', async (message) => {
    const signature = await signer.signMessage({ message });
    expect(verify(address, message, signature)).toBe(true);
    expect(verify(address, `${message} `, signature)).toBe(false);
    expect(verify(`0x${'11'.repeat(20)}`, message, signature)).toBe(false);
  });

  it('is known by either form of v, and by the twin with the other s', async () => {
    const message = 'Release hold 7';
    const signature = await signer.signMessage({ message });
    const v = Number.parseInt(signature.slice(130), 16);
    const bare = signature.slice(0, 130);
    const with_ = (n: number) => `${bare}${n.toString(16).padStart(2, '0')}`;
    expect(verify(address, message, with_(v - 27))).toBe(true);
    expect(verify(address, message, signature.toUpperCase().replace('0X', '0x'))).toBe(true);
    for (const wrong of [v === 27 ? 28 : 27, v === 27 ? 1 : 0, 2, 26, 29, 31, 37, 255])
      expect(verify(address, message, with_(wrong))).toBe(false);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const twin = `${signature.slice(0, 66)}${(secp256k1.CURVE.n - s).toString(16).padStart(64, '0')}`;
    expect(verify(address, message, `${twin}${v === 27 ? '1c' : '1b'}`)).toBe(true);
    expect(verify(address, message, `${twin}${v.toString(16)}`)).toBe(false);
  });

  it('is none where it is malformed, whatever it is', async () => {
    const signature = await signer.signMessage({ message: 'a' });
    const malformed = [
      ...['', '0x', 'signature', signature.slice(2), `${signature}00`, signature.slice(0, -2), ` ${signature}`],
      ...[`0x${'00'.repeat(65)}`, `0x${'ff'.repeat(64)}1b`, `0x${'00'.repeat(32)}${'11'.repeat(32)}1b`],
      ...[
        `0x${secp256k1.CURVE.n.toString(16)}${'11'.repeat(32)}1b`,
        `0x${'zz'.repeat(65)}`,
        `${signature.slice(0, -2)}🌍`,
      ],
    ];
    for (const text of malformed) expect(verify(address, 'a', text), text).toBe(false);
    expect(verify('', 'a', signature)).toBe(false);
    expect(verify('nobody', 'a', signature)).toBe(false);
  });
});
