import type { Hex } from '@causeway/core';
import { encodeFunctionData } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { blocklistToken, depositAddresses } from '../src/generated/contracts.js';
import { AddressStage } from './support/address-stage.js';
import { LedgerBook } from './support/ledger-book.js';
import { wallet } from './support/wallet.js';
import { eventually, startWorld, sweeperSigner } from './support/world.js';

let stage: AddressStage;

beforeAll(async () => {
  stage = new AddressStage(await startWorld(2));
  await stage.world.anvil.mine(8);
});
afterEach(() => stage.close());
afterAll(() => stage.world.anvil.stop());

const factory = () => stage.world.deployed.depositAddresses;
const _asks = (params: readonly unknown[]) => String((params[0] as { to?: string }).to).toLowerCase();

describe('what is sent to deposit addresses', () => {
  it('counts for nothing if it failed, or is a token that no one configured', async () => {
    const options = stage.options();
    const currencies = (options.currencies ?? []).filter(({ symbol }) => symbol !== 'USDC');
    const adapter = await stage.start({ currencies });
    const book = new LedgerBook();
    const watching = stage.watch(adapter, book);
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    await stage.pay(0, ref.address, 50n, stage.token('USDC'));
    const block = { abi: blocklistToken.abi, functionName: 'setBlocked', args: [ref.address as Hex, true] } as const;
    const sender = wallet(stage.world.anvil, stage.user(0));
    await stage.settled(await sender.sendTransaction({ to: stage.token('BLOCK'), data: encodeFunctionData(block) }));
    await stage.settled(await stage.send(0, ref.address, 60n, stage.token('BLOCK')), 'reverted');
    await stage.pay(0, ref.address, 70n);
    await watching.sees(ref.address, 1);
    const leg = stage.sweepOf(adapter, ref, book.at(ref.address)[0]?.fundingKey ?? '', 70n);
    await stage.sweepAlone(adapter, leg);
    // There is code now, for which this much gas is too little.
    const hash = await sender.sendTransaction({ to: ref.address as Hex, value: 80n, gas: 21_000n });
    await stage.settled(hash, 'reverted');
    await stage.payByContract(1, [[ref.address, 80n]]);
    await watching.sees(ref.address, 2);
    await watching.caughtUp();
    expect(book.at(ref.address).map(({ amount, currency }) => [amount, currency])).toEqual([
      [70n, NATIVE],
      [80n, NATIVE],
    ]);
  });

  it('is split by transfers in one block, and is one where nothing shows it', async () => {
    const { proxy, rpc } = await stage.proxied();
    proxy.plan = ({ method }) => (method === 'debug_traceBlockByHash' ? { status: 500 } : 'pass');
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const [a, b] = [stage.newAddress(adapter), stage.newAddress(adapter)];
    book.watch(a, b);
    const watching = stage.watch(adapter, book);
    await stage.payByContract(5, [[stage.newAddress(adapter).address, 1n]]);
    await watching.caughtUp();
    await stage.world.anvil.setAutomine(false);
    const hashes = [
      await stage.send(0, a.address, 10n),
      await stage.send(1, a.address, 20n),
      await stage.send(2, a.address, 30n, stage.token('USDC')),
      await stage.send(3, a.address, 40n, stage.token('USDC')),
      await stage.send(4, b.address, 50n),
    ];
    const mixed = stage.payByContract(5, [[b.address, 60n]]);
    await eventually(
      () => stage.world.anvil.rpc<{ pending: Hex }>('txpool_status'),
      ({ pending }) => Number(pending) === 6,
    );
    await stage.world.anvil.mine(1);
    await stage.world.anvil.setAutomine(true);
    await mixed;
    const seen = await watching.sees(a.address, 4);
    expect(new Set(seen.map(({ transactionHash }) => transactionHash))).toEqual(new Set(hashes.slice(0, 4)));
    for (const one of seen) expect(one.depositor).not.toBe('');
    // A payment by a contract is in it, so that it cannot be divided.
    expect(await watching.sees(b.address, 1)).toEqual([
      expect.objectContaining({ amount: 110n, transactionHash: '', depositor: '' }),
    ]);
    await proxy.close();
  });

  it('names its payers after a stall of many blocks, however many were paid', async () => {
    const { proxy, rpc } = await stage.proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const refs = Array.from({ length: 7 }, () => stage.newAddress(adapter));
    book.watch(...refs);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    const stalled = `0x${(await stage.world.anvil.height()).toString(16)}`;
    proxy.plan = ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { ask: { method, params: [stalled, params[1]] } }
        : 'pass';
    const hashes: string[] = [];
    for (const [n, { address }] of refs.entries()) hashes.push(await stage.pay(n % 5, address, 10n));
    await stage.world.anvil.mine(20);
    expect(book.present()).toEqual([]);
    proxy.plan = () => 'pass';
    for (const [n, { address }] of refs.entries())
      expect(await watching.sees(address, 1), `address ${n}`).toEqual([
        expect.objectContaining({ amount: 10n, transactionHash: hashes[n], depositor: stage.payer(n % 5) }),
      ]);
    await proxy.close();
  });

  it('is what arrived of a token that charges a fee on transfer, and the rest of the loss shows in its sweep', async () => {
    const adapter = await stage.start();
    const book = new LedgerBook();
    const watching = stage.watch(adapter, book);
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const fee = stage.token('FEE');
    const hash = await stage.pay(0, ref.address, 10_000n, fee);
    const [seen] = await watching.sees(ref.address, 1);
    expect(seen).toMatchObject({ amount: 9_900n, transactionHash: hash, depositor: stage.payer(0) });
    const before = await stage.inDepository(fee);
    const leg = stage.sweepOf(adapter, ref, seen?.fundingKey ?? '', 9_900n, fee);
    const { effects } = await stage.sweepAlone(adapter, leg);
    expect(effects).toEqual([{ legId: leg.legId, done: true, moved: 9_900n, arrived: 9_801n }]);
    expect(await stage.inDepository(fee)).toBe(before + 9_801n);
    await stage.pay(1, ref.address, 1_000n, fee);
    await watching.sees(ref.address, 2);
    await watching.caughtUp();
    expect(book.at(ref.address).map(({ amount }) => amount)).toEqual([9_900n, 990n]);
  });

  it('comes back to its leg if the token refuses in the block, alone', async () => {
    const adapter = await stage.start();
    const [a, b] = [stage.newAddress(adapter), stage.newAddress(adapter)];
    const block = stage.token('BLOCK');
    await stage.pay(0, a.address, 10n, block);
    await stage.pay(0, a.address, 15n);
    await stage.pay(0, b.address, 20n);
    const key = (address: string, to: number, currency: string) => `31337:at:${address}:${currency}:0:${to}`;
    const legs = [
      stage.sweepOf(adapter, a, key(a.address, 10, block), 10n, block),
      stage.sweepOf(adapter, a, key(a.address, 15, NATIVE), 15n),
      stage.sweepOf(adapter, b, key(b.address, 20, NATIVE), 20n),
    ] as const;
    const plans = (await stage.plansTogether(adapter, legs)).map((plan) => plan ?? expect.fail('refused'));
    const call = { abi: blocklistToken.abi, functionName: 'setBlocked', args: [a.address as Hex, true] } as const;
    const sender = wallet(stage.world.anvil, stage.user(0));
    await stage.settled(await sender.sendTransaction({ to: block, data: encodeFunctionData(call) }));
    const { ok, effects } = await stage.evidence(adapter, await stage.sendSweeps(adapter, legs, plans));
    expect(ok).toBe(true);
    expect(effects).toEqual([
      expect.objectContaining({ legId: legs[0].legId, done: false, returned: true, moved: 0n }),
      { legId: legs[1].legId, done: true, moved: 15n },
      { legId: legs[2].legId, done: true, moved: 20n },
    ]);
    expect(effects[0]?.failure?.message).toMatch(/TokenTransferFailed/);
    expect(await stage.plansTogether(adapter, legs)).toEqual([undefined, undefined, undefined]);
    expect(await adapter.check(legs[0], sweeperSigner.address)).toMatchObject({ ok: false, kind: 'refused' });
  });

  it('may be swept by anyone, before the service does', async () => {
    const adapter = await stage.start();
    const ref = stage.newAddress(adapter);
    await stage.pay(0, ref.address, 10n);
    await stage.pay(1, ref.address, 5n);
    const key = (from: number, to: number) => `31337:at:${ref.address}:${NATIVE}:${from}:${to}`;
    const legs = [stage.sweepOf(adapter, ref, key(0, 10), 10n), stage.sweepOf(adapter, ref, key(10, 15), 5n)] as const;
    const plans = await Promise.all(legs.map((leg) => stage.planOf(adapter, leg)));
    const call = { abi: depositAddresses.abi, functionName: 'sweepOne', args: [ref.salt, NATIVE as Hex] } as const;
    const stranger = wallet(stage.world.anvil, stage.user(6));
    const hash = await stage.settled(
      await stranger.sendTransaction({ to: factory(), data: encodeFunctionData(call), gas: 300_000n }),
    );
    const late = await stage.evidence(adapter, await stage.sendSweeps(adapter, legs.slice(0, 1), plans.slice(0, 1)));
    expect(late).toMatchObject({ ok: false, effects: [{ done: false, moved: 0n }] });
    for (const leg of legs) {
      expect(await adapter.check(leg, sweeperSigner.address)).toMatchObject({
        kind: 'refused',
        reason: 'INVALID_NONCE',
      });
      expect(await adapter.paidBy(leg)).toMatchObject({
        ...{ hash, moved: leg.amount, currency: NATIVE, sender: stage.payer(6) },
        recipient: stage.world.deployed.depository.toLowerCase(),
      });
    }
    expect(await adapter.paidBy(stage.sweepOf(adapter, ref, key(15, 16), 1n))).toBeUndefined();
  });

  it('is swept fifty at a time, and replaced at the same nonce', async () => {
    const adapter = await stage.start();
    const refs = Array.from({ length: 50 }, () => stage.newAddress(adapter));
    await stage.payByContract(
      0,
      refs.map(({ address }) => [address, 7n]),
    );
    const legs = refs.map((ref) => stage.sweepOf(adapter, ref, `31337:at:${ref.address}:${NATIVE}:0:7`, 7n));
    const plans = (await stage.plansTogether(adapter, legs)).map((plan) => plan ?? expect.fail('refused'));
    const before = await stage.inDepository();
    await stage.world.anvil.setAutomine(false);
    const first = await stage.sendSweeps(adapter, legs, plans);
    const { key, fees } = first.prepared;
    const carried = legs.slice(0, first.legs.length).map((leg, n) => ({ leg, plan: plans[n] ?? '' }));
    const outcome = await adapter.replace({ key, signer: sweeperSigner.address, previousFees: fees, legs: carried });
    if (!outcome.ok) throw new Error(outcome.message);
    const transaction = await adapter.sign(outcome.prepared, sweeperSigner.address);
    expect(await adapter.send(transaction)).toEqual({ outcome: 'accepted' });
    await stage.world.anvil.mine(1);
    await stage.world.anvil.setAutomine(true);
    const found = await stage.evidence(adapter, { ...first, transaction });
    expect(found.effects.every(({ done }) => done)).toBe(true);
    expect(await stage.inDepository()).toBe(before + 7n * BigInt(first.legs.length));
    const { gasUsed } = await stage.client.getTransactionReceipt({ hash: transaction.hash as Hex });
    console.log(`swept ${first.legs.length} addresses with ${gasUsed / BigInt(first.legs.length)} gas each`);
    expect(first.legs.length).toBeGreaterThan(20);
  });
});
