import {
  type Address,
  encodeErrorResult,
  encodeFunctionData,
  parseEventLogs,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  depository as artifact,
  batcher,
  blocklistToken,
  feeToken,
  hostileToken,
  noReturnToken,
  testToken,
} from '../../src/generated/contracts.js';
import { alice, allocator, Bench, mallory, NATIVE, owner, word } from './bench.js';

const { abi } = artifact;
const id = word(7);

describe('deposits', () => {
  let bench: Bench;
  let depository: Address;

  beforeAll(async () => {
    bench = await Bench.start();
    depository = await bench.deploy(artifact, [owner.address, allocator.address]);
  });
  afterAll(() => bench.anvil.stop());

  const native = (depositor: Address, value: bigint) => ({
    abi,
    address: depository,
    functionName: 'depositNative',
    args: [depositor, id],
    value,
  });
  const erc20 = (token: Address, amount: bigint, depositor: Address = NATIVE) => ({
    abi,
    address: depository,
    functionName: 'depositErc20',
    args: [depositor, token, amount, id],
  });

  async function token(kind: typeof testToken | typeof feeToken | typeof noReturnToken | typeof blocklistToken) {
    const address = await bench.deploy(kind, ['Token', 'TKN', 6]);
    await bench.does(owner, { abi: kind.abi, address, functionName: 'mint', args: [[alice.address], 1_000_000n] });
    await bench.does(alice, { abi: kind.abi, address, functionName: 'approve', args: [depository, 1_000_000n] });
    return address;
  }

  async function hostile(mode: number) {
    const address = await bench.deploy(hostileToken);
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'mint', args: [alice.address, 1_000n] });
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'setMode', args: [mode] });
    return address;
  }

  it('has the selectors and topics that clients of the protocol know', () => {
    expect(
      toFunctionSelector(abi.find((item) => item.type === 'function' && item.name === 'depositNative') as never),
    ).toBe('0x49290c1c');
    expect(
      toFunctionSelector(abi.find((item) => item.type === 'function' && item.name === 'depositErc20') as never),
    ).toBe('0xe8017952');
    const topic = (name: string) =>
      toEventSelector(abi.find((item) => item.type === 'event' && item.name === name) as never);
    expect(topic('RelayNativeDeposit')).toMatch(/^0x80320665.*01e3477$/);
    expect(topic('RelayErc20Deposit')).toBe('0x49fed1d0b752ce30eee63c7a81133f3363b532fec5d4d7dd1ccfd005de4555e1');
  });

  it('puts the whole of both events into data', async () => {
    const receipt = await bench.send(alice, native(NATIVE, 1n));
    expect(receipt.logs.map((log) => log.topics.length)).toEqual([1]);
  });

  it('takes native coin for the sender when no depositor is named', async () => {
    expect(await bench.does(alice, native(NATIVE, 5n))).toEqual([
      { event: 'RelayNativeDeposit', from: alice.address, amount: 5n, id },
    ]);
  });

  it('takes native coin for the depositor that is named', async () => {
    expect(await bench.does(alice, native(mallory.address, 5n))).toMatchObject([{ from: mallory.address, amount: 5n }]);
  });

  it('refuses a native deposit of nothing', async () => {
    expect(await bench.reverts(alice, native(NATIVE, 0n))).toEqual({ name: 'ZeroAmount', args: [] });
  });

  it('refuses native coin sent without a call', async () => {
    const hash = await bench.anvil.rpc<`0x${string}`>('eth_sendTransaction', [
      { from: alice.address, to: depository, value: '0x1', gas: '0x186a0' },
    ]);
    expect((await bench.client.waitForTransactionReceipt({ hash })).status).toBe('reverted');
  });

  it('takes a token and pulls exactly the amount', async () => {
    const address = await token(testToken);
    expect(await bench.does(alice, erc20(address, 400n))).toEqual([
      { event: 'RelayErc20Deposit', from: alice.address, token: address, amount: 400n, id },
    ]);
    expect(await bench.read(testToken.abi, address, 'balanceOf', [depository])).toBe(400n);
  });

  it('takes a token that returns nothing', async () => {
    expect(await bench.does(alice, erc20(await token(noReturnToken), 400n, mallory.address))).toMatchObject([
      { from: mallory.address, amount: 400n },
    ]);
  });

  it('counts a fee on transfer by what arrived', async () => {
    expect(await bench.does(alice, erc20(await token(feeToken), 10_000n))).toMatchObject([{ amount: 9_900n }]);
  });

  it('refuses a token deposit of nothing', async () => {
    expect((await bench.reverts(alice, erc20(await token(testToken), 0n))).name).toBe('ZeroAmount');
  });

  it('refuses more than the allowance', async () => {
    expect((await bench.reverts(alice, erc20(await token(testToken), 1_000_001n))).name).toBe('TokenTransferFailed');
  });

  it('refuses a token that blocks the depositor', async () => {
    const address = await token(blocklistToken);
    await bench.does(owner, {
      abi: blocklistToken.abi,
      address,
      functionName: 'setBlocked',
      args: [alice.address, true],
    });
    const { name, args } = await bench.reverts(alice, erc20(address, 1n));
    expect(name).toBe('TokenTransferFailed');
    // The token's error is nested, so that simulations can report it.
    expect(args[1]).toBe(encodeErrorResult({ abi: blocklistToken.abi, errorName: 'Blocked', args: [alice.address] }));
  });

  it.each([
    ['answers false', 1],
    ['answers in one byte', 2],
    ['answers with a megabyte', 5],
  ])('refuses a token that %s', async (_, mode) => {
    expect((await bench.reverts(alice, erc20(await hostile(mode), 10n))).name).toBe('TokenTransferFailed');
  });

  it('refuses a token that says yes and moves nothing', async () => {
    expect((await bench.reverts(alice, erc20(await hostile(3), 10n))).name).toBe('NothingMoved');
  });

  it('refuses an address without code', async () => {
    expect((await bench.reverts(alice, erc20(mallory.address, 10n))).name).toBe('TokenBalanceUnreadable');
  });

  it('counts one transfer once when the token calls back into a deposit', async () => {
    const address = await hostile(0);
    const inner = encodeFunctionData({ abi, functionName: 'depositErc20', args: [alice.address, address, 100n, id] });
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'mint', args: [address, 1_000n] });
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'setHook', args: [depository, inner] });
    expect(await bench.does(alice, erc20(address, 100n))).toEqual([
      { event: 'RelayErc20Deposit', from: alice.address, token: address, amount: 100n, id },
    ]);
    expect(await bench.read(hostileToken.abi, address, 'balanceOf', [depository])).toBe(100n);
  });

  it('takes several deposits in one transaction, each with its own event', async () => {
    const wallet = await bench.deploy(batcher);
    const deposit = encodeFunctionData({ abi, functionName: 'depositNative', args: [alice.address, id] });
    const calls = [3n, 4n].map((value) => ({ to: depository, value, data: deposit }));
    const call = { abi: batcher.abi, address: wallet, functionName: 'execute', args: [calls], value: 7n };
    const { logs } = await bench.send(alice, call);
    expect(parseEventLogs({ abi, logs }).map((log) => log.args)).toEqual([
      { from: alice.address, amount: 3n, id },
      { from: alice.address, amount: 4n, id },
    ]);
  });
});
