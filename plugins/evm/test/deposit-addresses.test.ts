import type { Hex } from '@causeway/core';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { depositAddresses } from '../src/generated/contracts.js';
import { AddressStage } from './support/address-stage.js';
import { LedgerBook } from './support/ledger-book.js';
import { fillSigner, startWorld, sweeperSigner } from './support/world.js';

const erc20 = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);

let stage: AddressStage;

beforeAll(async () => {
  stage = new AddressStage(await startWorld(2));
  await stage.world.anvil.mine(8);
});
afterEach(() => stage.close());
afterAll(() => stage.world.anvil.stop());

describe('deposit addresses', () => {
  it('are there with contract and sweeper alone, with a lane of its own', async () => {
    const adapter = await stage.start();
    expect(adapter.lanes).toEqual([
      { signer: fillSigner.address, sends: ['fill', 'refund', 'excess', 'collect'] },
      { signer: sweeperSigner.address, sends: ['sweep'] },
    ]);
    const { depository, router } = stage.world.deployed;
    const without = await stage.start({ contracts: { depository, router } });
    expect(without.capabilities.depositAddresses).toBeUndefined();
    expect(without.lanes).toHaveLength(1);
    await expect(stage.start({ contracts: { depository, router, depositAddresses: router } })).rejects.toThrow(
      /pay no address, not/,
    );
    const proxy = await jsonRpcFaultProxy(stage.world.anvil.rpcUrl);
    const selector = toFunctionSelector('function addressOf(bytes32)');
    proxy.plan = ({ method, params }) =>
      method === 'eth_call' && JSON.stringify(params).includes(selector)
        ? { result: `0x${'5'.repeat(40).padStart(64, '0')}` }
        : 'pass';
    await expect(stage.start({ rpc: [{ http: proxy.url }] })).rejects.toThrow(/derives other deposit addresses/);
    await proxy.close();
  });

  it('are what the contract derives', async () => {
    const adapter = await stage.start();
    for (let n = 0; n < 5; n += 1) {
      const { salt, address } = stage.newAddress(adapter);
      const named = await stage.client.readContract({
        abi: depositAddresses.abi,
        address: stage.world.deployed.depositAddresses,
        functionName: 'addressOf',
        args: [salt],
      });
      expect(address).toBe(named.toLowerCase());
    }
  });

  it('are paid by plain transfers', async () => {
    const adapter = await stage.start();
    const { address } = stage.newAddress(adapter);
    const step = (currency: string) => {
      const [one] = stage.capability(adapter).steps({ payer: stage.payer(0), address, currency, amount: 5n });
      return one?.items[0]?.data;
    };
    expect(step(NATIVE)).toMatchObject({ from: stage.payer(0), to: address, data: '0x', value: '5', chainId: 31337 });
    const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [address as Hex, 5n] });
    expect(step(stage.token('USDC'))).toMatchObject({
      from: stage.payer(0),
      to: stage.token('USDC'),
      data,
      value: '0',
      chainId: 31337,
    });
    expect(Object.keys(step(NATIVE) ?? {})).toEqual(expect.arrayContaining(['maxFeePerGas', 'maxPriorityFeePerGas']));
  });

  it('are seen to be paid, before and after they are in the book, once or twice, across a restart', async () => {
    const adapter = await stage.start();
    const [early, late] = [stage.newAddress(adapter), stage.newAddress(adapter)];
    const first = await stage.pay(0, early.address, 1_000n);
    const book = new LedgerBook();
    book.watch(late);
    const watching = stage.watch(adapter, book);
    await watching.until(() => watching.batches.length > 0);
    book.watch(early);
    await stage.world.anvil.mine(1);
    const [one] = await watching.sees(early.address, 1);
    expect(one).toMatchObject({
      fundingKey: `31337:at:${early.address}:${NATIVE}:0:1000`,
      ...{ amount: 1_000n, currency: NATIVE, depositAddress: early.address, orderId: null },
      ...{ transactionHash: first, depositor: stage.payer(0) },
    });

    const token = await stage.pay(1, late.address, 7_000n, stage.token('USDC'));
    const [two] = await watching.sees(late.address, 1);
    expect(two).toMatchObject({
      fundingKey: `31337:at:${late.address}:${stage.token('USDC')}:0:7000`,
      ...{ amount: 7_000n, depositAddress: late.address, transactionHash: token, depositor: stage.payer(1) },
      block: { height: await stage.world.anvil.height() },
    });
    const again = await stage.pay(2, late.address, 30n, stage.token('USDC'));
    expect((await watching.sees(late.address, 2)).find(({ amount }) => amount === 30n)).toMatchObject({
      fundingKey: `31337:at:${late.address}:${stage.token('USDC')}:7000:7030`,
      ...{ transactionHash: again, depositor: stage.payer(2) },
    });
    const byContract = await stage.payByContract(3, [
      [early.address, 40n],
      [late.address, 50n],
    ]);
    const inner = (await watching.sees(early.address, 2)).find(({ amount }) => amount === 40n);
    expect(inner).toMatchObject({
      fundingKey: `31337:at:${early.address}:${NATIVE}:1000:1040`,
      transactionHash: byContract,
      block: { height: await stage.world.anvil.height() },
    });
    await watching.sees(late.address, 3);
    const before = book.present().map(({ fundingKey }) => fundingKey);
    const { cursor } = watching;
    await watching.stop();

    await stage.pay(0, early.address, 5n);
    await stage.pay(0, late.address, 6n, stage.token('USDC'));
    const next = stage.watch(adapter, book, cursor);
    await next.sees(early.address, 3);
    await next.sees(late.address, 4);
    await next.caughtUp();
    expect(new Set(book.known.keys())).toEqual(
      new Set([
        ...before,
        `31337:at:${early.address}:${NATIVE}:1040:1045`,
        `31337:at:${late.address}:${stage.token('USDC')}:7030:7036`,
      ]),
    );
  });

  it('are swept to the depository, to the unit, alone and together, and no sweep is a deposit', async () => {
    const adapter = await stage.start();
    const book = new LedgerBook();
    const watching = stage.watch(adapter, book);
    const [a, b, c] = [stage.newAddress(adapter), stage.newAddress(adapter), stage.newAddress(adapter)];
    book.watch(a, b, c);
    await stage.pay(0, a.address, 1_111n);
    await stage.pay(1, b.address, 2_222n, stage.token('USDC'));
    await stage.pay(2, c.address, 3_333n);
    await stage.pay(2, c.address, 4_444n);
    await stage.pay(3, c.address, 5_555n, stage.token('USDC'));
    for (const [ref, count] of [
      [a, 1],
      [b, 1],
      [c, 3],
    ] as const)
      await watching.sees(ref.address, count);
    const [coins, dollars] = [await stage.inDepository(), await stage.inDepository(stage.token('USDC'))];
    expect(await stage.capability(adapter).held([a.address, b.address, c.address], NATIVE)).toEqual([
      1_111n,
      0n,
      7_777n,
    ]);
    expect(await stage.capability(adapter).held([a.address, b.address, c.address], stage.token('USDC'))).toEqual([
      0n,
      2_222n,
      5_555n,
    ]);

    const legs = book.present().map(({ fundingKey, amount, currency, depositAddress }) => {
      const ref = [a, b, c].find(({ address }) => address === depositAddress) ?? expect.fail('another address');
      return stage.sweepOf(adapter, ref, fundingKey, amount, currency);
    });
    const [first, ...rest] = legs;
    if (first === undefined) throw new Error('no leg');
    const alone = await stage.sweepAlone(adapter, first);
    expect(alone.effects).toEqual([{ legId: first.legId, done: true, moved: first.amount }]);
    expect(alone.feePaidBy).toEqual({ pot: 'lane', owner: sweeperSigner.address });

    const plans = (await stage.plansTogether(adapter, rest)).map((plan) => plan ?? expect.fail('refused'));
    const together = await stage.evidence(adapter, await stage.sendSweeps(adapter, rest, plans));
    expect(together.effects).toEqual(rest.map(({ legId, amount: moved }) => ({ legId, done: true, moved })));

    expect(await stage.inDepository()).toBe(coins + 1_111n + 7_777n);
    expect(await stage.inDepository(stage.token('USDC'))).toBe(dollars + 2_222n + 5_555n);
    for (const { address } of [a, b, c]) {
      expect(await stage.held(address)).toBe(0n);
      expect(await stage.held(address, stage.token('USDC'))).toBe(0n);
    }
    // A sweep is neither a deposit nor an arrival, also when it is final.
    await stage.world.anvil.mine(10);
    await watching.caughtUp();
    expect(book.known.size).toBe(5);

    // Another party's transaction did it already.
    const swept = legs[1] ?? expect.fail('no leg');
    expect(await adapter.check(swept, sweeperSigner.address)).toMatchObject({ ok: false, reason: 'INVALID_NONCE' });
    expect(await adapter.paidBy(swept)).toMatchObject({ moved: swept.amount, currency: swept.currency });

    // What comes later is a transfer of its own.
    await stage.pay(0, a.address, 9n);
    const more = (await watching.sees(a.address, 2)).find(({ amount }) => amount === 9n) ?? expect.fail('not seen');
    expect(more.fundingKey).toBe(`31337:at:${a.address}:${NATIVE}:1111:1120`);
    const leg = stage.sweepOf(adapter, a, more.fundingKey, 9n);
    expect(await adapter.paidBy(leg)).toBeUndefined();
    await stage.sweepAlone(adapter, leg);
    expect(await stage.inDepository()).toBe(coins + 1_111n + 7_777n + 9n);
  });
});
