import { type Address, encodeErrorResult, encodeFunctionData, toEventSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fillRouter as artifact,
  blocklistToken,
  feeToken,
  hostileToken,
  noReturnToken,
  reentrant,
  rejecter,
  testToken,
} from '../../src/generated/contracts.js';
import { alice, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

const { abi } = artifact;
const FAR_DEADLINE = 10n ** 12n;
const RICH = 1_000_000n;

describe('the fill router', () => {
  let bench: Bench;
  let router: Address;
  let orders = 1000;

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(artifact, [owner.address]);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
  });
  afterAll(() => bench.anvil.stop());

  interface Fill {
    token: Address;
    to: Address;
    amount: bigint;
    deadline: bigint;
    orderId: `0x${string}`;
    value: bigint;
  }

  function fill(over: Partial<Fill> = {}) {
    const {
      token = NATIVE,
      to = alice.address,
      amount = 1_000n,
      deadline = FAR_DEADLINE,
      orderId = word(++orders),
    } = over;
    const value = over.value ?? (token === NATIVE ? amount : 0n);
    return { abi, address: router, functionName: 'fill', args: [token, to, amount, deadline, orderId] as const, value };
  }

  const filled = (call: ReturnType<typeof fill>) => bench.read<boolean>(abi, router, 'filled', [call.args[4]]);

  async function token(kind: typeof testToken | typeof feeToken | typeof noReturnToken | typeof blocklistToken) {
    const address = await bench.deploy(kind, ['Token', 'TKN', 6]);
    await bench.does(owner, { abi: kind.abi, address, functionName: 'mint', args: [[filler.address], RICH] });
    await bench.does(filler, { abi: kind.abi, address, functionName: 'approve', args: [router, RICH] });
    return address;
  }

  async function hostile(mode: number) {
    const address = await bench.deploy(hostileToken);
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'mint', args: [filler.address, RICH] });
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'setMode', args: [mode] });
    return address;
  }

  it('pays native coin, says so in both events, keeps nothing', async () => {
    const call = fill();
    const before = await bench.client.getBalance({ address: alice.address });
    expect(await bench.does(filler, call)).toEqual([
      { event: 'SolverNativeTransfer', to: alice.address, amount: 1_000n },
      {
        event: 'OrderFilled',
        orderId: call.args[4],
        token: NATIVE,
        to: alice.address,
        amount: 1_000n,
        filler: filler.address,
      },
    ]);
    expect((await bench.client.getBalance({ address: alice.address })) - before).toBe(1_000n);
    expect(await bench.client.getBalance({ address: router })).toBe(0n);
    expect(await filled(call)).toBe(true);
  });

  it.each([
    ['a standard token', testToken],
    ['a token that returns nothing', noReturnToken],
  ])('pays %s from the filler to the recipient', async (_, kind) => {
    const address = await token(kind);
    const call = fill({ token: address });
    expect((await bench.does(filler, call)).at(-1)).toEqual({
      event: 'OrderFilled',
      orderId: call.args[4],
      token: address,
      to: alice.address,
      amount: 1_000n,
      filler: filler.address,
    });
    const balance = (account: Address) => bench.read<bigint>(testToken.abi, address, 'balanceOf', [account]);
    expect(await Promise.all([alice.address, router, filler.address].map(balance))).toEqual([
      1_000n,
      0n,
      RICH - 1_000n,
    ]);
  });

  it('has the order id as the last word of its calldata, and the topic that indexers know', () => {
    const call = fill();
    expect(encode(call).slice(-64)).toBe(call.args[4].slice(2));
    const event = abi.find((item) => item.type === 'event' && item.name === 'SolverNativeTransfer');
    expect(toEventSelector(event as never)).toBe(toEventSelector('SolverNativeTransfer(address,uint256)'));
  });

  it('fills an order once, whatever the second fill says', async () => {
    const call = fill();
    await bench.does(filler, call);
    const error = { name: 'AlreadyFilled', args: [call.args[4]] };
    expect(await bench.reverts(filler, call)).toEqual(error);
    expect(await bench.reverts(filler, fill({ orderId: call.args[4], to: mallory.address, amount: 1n }))).toEqual(
      error,
    );
    expect(await bench.reverts(filler, fill({ orderId: call.args[4], token: await token(testToken) }))).toEqual(error);
  });

  it('fills at the deadline and not a second later', async () => {
    const at = (await bench.now()) + 100n;
    await bench.nextBlockAt(at);
    expect((await bench.send(filler, fill({ deadline: at }))).status).toBe('success');

    const late = fill({ deadline: at + 50n });
    await bench.nextBlockAt(at + 51n);
    expect((await bench.send(filler, late)).status).toBe('reverted');
    expect(await bench.reverts(filler, late)).toEqual({ name: 'DeadlinePassed', args: [late.args[4], at + 50n] });
    expect(await filled(late)).toBe(false);
  });

  it('serves no one but its fillers, and only the owner names them', async () => {
    const set = (account: Address, allowed: boolean) => ({
      abi,
      address: router,
      functionName: 'setFiller',
      args: [account, allowed],
    });
    expect((await bench.reverts(mallory, fill())).name).toBe('NotFiller');
    expect((await bench.reverts(owner, fill())).name).toBe('NotFiller');
    expect((await bench.reverts(mallory, set(mallory.address, true))).name).toBe('NotOwner');
    expect((await bench.reverts(filler, set(mallory.address, true))).name).toBe('NotOwner');
    expect((await bench.reverts(owner, set(NATIVE, true))).name).toBe('ZeroAddress');
    await bench.does(owner, set(mallory.address, true));
    await bench.does(mallory, fill());
    await bench.does(owner, set(mallory.address, false));
    expect((await bench.reverts(mallory, fill())).name).toBe('NotFiller');
  });

  it('takes exactly the value it passes on', async () => {
    expect(await bench.reverts(filler, fill({ value: 999n }))).toEqual({ name: 'WrongValue', args: [1_000n, 999n] });
    expect((await bench.reverts(filler, fill({ value: 1_001n }))).name).toBe('WrongValue');
    expect((await bench.reverts(filler, fill({ token: await token(testToken), value: 1n }))).name).toBe('WrongValue');
  });

  it('refuses nothing, no one and itself', async () => {
    expect((await bench.reverts(filler, fill({ amount: 0n }))).name).toBe('ZeroAmount');
    expect((await bench.reverts(filler, fill({ to: NATIVE }))).name).toBe('BadRecipient');
    expect((await bench.reverts(filler, fill({ to: router }))).name).toBe('BadRecipient');
    expect((await bench.reverts(filler, fill({ to: router, token: await token(testToken) }))).name).toBe(
      'BadRecipient',
    );
  });

  it('carries the reason of a recipient that refuses, and can still be filled later', async () => {
    const to = await bench.deploy(rejecter);
    const mode = (n: number) =>
      bench.does(owner, { abi: rejecter.abi, address: to, functionName: 'setMode', args: [n] });
    const call = fill({ to });
    const reason = encodeErrorResult({ abi: rejecter.abi, errorName: 'Rejected', args: [1_000n] });
    expect(await bench.reverts(filler, call)).toEqual({ name: 'RecipientReverted', args: [to, reason] });
    await mode(1);
    expect(await bench.reverts(filler, call)).toEqual({ name: 'RecipientReverted', args: [to, '0x'] });
    await mode(2);
    expect(String((await bench.reverts(filler, call)).args[1])).toHaveLength(2 + 2 * 1024);
    expect(await filled(call)).toBe(false);
    await mode(3);
    await bench.does(filler, call);
  });

  it('gives a recipient all the gas that is left', async () => {
    // A recipient that writes several words needs far more than the 2,300 gas of a plain transfer.
    const to = await bench.deploy(reentrant);
    const target = encodeFunctionData({ abi, functionName: 'filled', args: [word(1)] });
    await bench.does(owner, { abi: reentrant.abi, address: to, functionName: 'arm', args: [router, target, 0n] });
    await bench.does(filler, fill({ to }));
    expect(await bench.read(reentrant.abi, to, 'succeeded')).toBe(true);
  });

  it('carries the reason of a token that blocks the recipient', async () => {
    const address = await token(blocklistToken);
    await bench.does(owner, {
      abi: blocklistToken.abi,
      address,
      functionName: 'setBlocked',
      args: [alice.address, true],
    });
    const reason = encodeErrorResult({ abi: blocklistToken.abi, errorName: 'Blocked', args: [alice.address] });
    const call = fill({ token: address });
    expect(await bench.reverts(filler, call)).toEqual({ name: 'TokenTransferFailed', args: [address, reason] });
    expect(await filled(call)).toBe(false);
  });

  it('refuses to deliver short', async () => {
    const fee = await token(feeToken);
    expect(await bench.reverts(filler, fill({ token: fee }))).toEqual({
      name: 'DeliveredShort',
      args: [fee, 1_000n, 990n],
    });
    const nothing = await hostile(3);
    expect(await bench.reverts(filler, fill({ token: nothing }))).toEqual({
      name: 'DeliveredShort',
      args: [nothing, 1_000n, 0n],
    });
    expect((await bench.reverts(filler, fill({ token: await token(testToken), to: filler.address }))).name).toBe(
      'DeliveredShort',
    );
  });

  it.each([
    ['answers false', 1],
    ['answers in one byte', 2],
    ['answers with a megabyte', 5],
  ])('refuses a token that %s', async (_, mode) => {
    expect((await bench.reverts(filler, fill({ token: await hostile(mode) }))).name).toBe('TokenTransferFailed');
  });

  it('refuses an address without code as a token', async () => {
    expect((await bench.reverts(filler, fill({ token: mallory.address }))).name).toBe('TokenBalanceUnreadable');
  });

  it('cannot be made to fill twice by a recipient or a token that calls back, even one that is a filler', async () => {
    const to = await bench.deploy(reentrant);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [to, true] });
    const call = fill({ to, amount: 1_000n });
    const data = encode(call);
    await bench.does(owner, { abi: reentrant.abi, address: to, functionName: 'arm', args: [router, data, 1_000n] });
    expect((await bench.does(filler, call)).filter((event) => event.event === 'OrderFilled')).toHaveLength(1);
    expect(await bench.read(reentrant.abi, to, 'attempted')).toBe(true);
    expect(await bench.read(reentrant.abi, to, 'succeeded')).toBe(false);
    expect(await bench.read(reentrant.abi, to, 'answer')).toBe(
      encodeErrorResult({ abi, errorName: 'AlreadyFilled', args: [call.args[4]] }),
    );

    const address = await hostile(0);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [address, true] });
    const byToken = fill({ token: address });
    const again = encode(byToken);
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'setHook', args: [router, again] });
    await bench.does(filler, byToken);
    expect(await bench.read(hostileToken.abi, address, 'balanceOf', [alice.address])).toBe(1_000n);
  });

  it('takes no coin that does not come with a fill', async () => {
    const hash = await bench.anvil.rpc<`0x${string}`>('eth_sendTransaction', [
      { from: alice.address, to: router, value: '0x1', gas: '0x186a0' },
    ]);
    expect((await bench.client.waitForTransactionReceipt({ hash })).status).toBe('reverted');
  });
});
