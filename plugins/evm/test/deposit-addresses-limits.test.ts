import type { Hex } from '@causeway/core';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { encodeFunctionData } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { blocklistToken, depositAddresses } from '../src/generated/contracts.js';
import { AddressStage } from './support/address-stage.js';
import { LedgerBook } from './support/ledger-book.js';
import { depositNative, wallet } from './support/wallet.js';
import { eventually, orderId, startWorld, sweeperSigner } from './support/world.js';

let stage: AddressStage;

beforeAll(async () => {
  stage = new AddressStage(await startWorld(2));
  await stage.world.anvil.mine(8);
});
afterEach(() => stage.close());
afterAll(() => stage.world.anvil.stop());

async function proxied() {
  const proxy = await jsonRpcFaultProxy(stage.world.anvil.rpcUrl);
  return { proxy, rpc: [{ http: proxy.url }] };
}

const factory = () => stage.world.deployed.depositAddresses;
const asks = (params: readonly unknown[]) => String((params[0] as { to?: string }).to).toLowerCase();

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
    const adapter = await stage.start();
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

describe('watching deposit addresses', () => {
  it('asks nothing while the book is empty, and little while it is full', async () => {
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    const calls = () =>
      proxy.calls.filter(({ method, params }) => method === 'eth_call' && asks(params) === factory().toLowerCase());
    const before = calls().length;
    await stage.pay(0, stage.payer(1), 1n);
    await watching.caughtUp();
    expect(calls()).toHaveLength(before);

    const many = Array.from({ length: 5_000 }, () => stage.newAddress(adapter));
    book.watch(...many);
    await stage.pay(0, many[4_321]?.address ?? '', 9n, stage.token('USDC'));
    await stage.pay(0, many[1_234]?.address ?? '', 8n);
    await watching.sees(many[4_321]?.address ?? '', 1);
    await watching.sees(many[1_234]?.address ?? '', 1);
    await watching.caughtUp();
    const settled = proxy.calls.length;
    await stage.pay(0, many[77]?.address ?? '', 7n, stage.token('USDC'));
    await watching.sees(many[77]?.address ?? '', 1);
    console.log(`${proxy.calls.length - settled} calls until a transfer to one of 5,000 addresses is seen`);
    expect(proxy.calls.length - settled).toBeLessThan(60);
    expect(book.asked.flat().length).toBeLessThan(5_010);

    // Where the logs of a block are too many, each thousand addresses are asked for; those of contracts show nowhere.
    proxy.plan = ({ method, params }) =>
      method === 'eth_getLogs' && !JSON.stringify(params).includes('null')
        ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
        : 'pass';
    const [late, inner] = [many[4_999]?.address ?? '', many[2_500]?.address ?? ''];
    const hash = await stage.pay(1, late, 6n, stage.token('USDC'));
    expect(await watching.sees(late, 1)).toEqual([expect.objectContaining({ amount: 6n, transactionHash: hash })]);
    await stage.payByContract(2, [[inner, 5n]]);
    expect(await watching.sees(inner, 1)).toEqual([expect.objectContaining({ amount: 5n, transactionHash: '' })]);
    proxy.plan = () => 'pass';
    await stage.pay(3, inner, 4n);
    await watching.sees(inner, 2);
    await stage.world.anvil.reorg(1);
    await watching.until(() => book.at(inner).length === 1);
    await stage.pay(4, inner, 3n);
    await watching.sees(inner, 2);
    expect(book.at(inner).map(({ fundingKey }) => fundingKey)).toEqual([
      `31337:at:${inner}:${NATIVE}:0:5`,
      `31337:at:${inner}:${NATIVE}:5:8`,
    ]);
    await proxy.close();
  });

  it('looks in past blocks for what came while no one watched', async () => {
    const adapter = await stage.start();
    const book = new LedgerBook();
    const [known, other] = [stage.newAddress(adapter).address, stage.newAddress(adapter).address];
    book.watch({ address: known, salt: orderId(1) }, { address: other, salt: orderId(2) });
    const watching = stage.watch(adapter, book);
    await stage.pay(0, known, 3n);
    await watching.sees(known, 1);
    const { cursor } = watching;
    await watching.stop();
    const { anvil } = stage.world;
    const hash = await stage.pay(1, known, 5n);
    await anvil.mine(12);
    await stage.payByContract(2, [[known, 7n]]);
    const inner = await anvil.height();
    await anvil.mine(12);
    for (let n = 0; n < 5; n += 1) await stage.pay(3, other, 1n);
    await anvil.mine(12);
    const height = await anvil.height();
    await eventually(
      async () => adapter.status().head?.value,
      (head) => head === height,
    );
    const next = stage.watch(adapter, book, cursor);
    const seen = await next.sees(known, 3);
    expect(seen.map(({ amount, transactionHash, depositor }) => [amount, transactionHash, depositor])).toEqual([
      [3n, expect.anything(), stage.payer(0)],
      [5n, hash, stage.payer(1)],
      [7n, '', ''],
    ]);
    expect(seen[2]).toMatchObject({ state: 'final', block: { height: inner } });
    // Too many blocks to find.
    expect(await next.sees(other, 1)).toEqual([expect.objectContaining({ amount: 5n, transactionHash: '' })]);
  });

  it('reports what came without its transaction rather than late, where blocks cannot be read', async () => {
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    proxy.plan = ({ method, params }) =>
      method === 'eth_getBlockByHash' && params[1] === true
        ? { error: { code: -32000, message: 'response is too big' } }
        : 'pass';
    await stage.pay(0, ref.address, 9n);
    expect(await watching.sees(ref.address, 1)).toEqual([expect.objectContaining({ amount: 9n, transactionHash: '' })]);
    // Nor does a reorg wait for them.
    await stage.pay(0, ref.address, 6n);
    await watching.sees(ref.address, 2);
    await stage.world.anvil.reorg(1);
    await watching.until(() => book.at(ref.address).length === 1);
    await proxy.close();
  });

  it('waits for events of tokens that the provider does not show yet, and reports what has none without them', async () => {
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const [late, silent] = [stage.newAddress(adapter), stage.newAddress(adapter)];
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    let hidden = 2;
    proxy.plan = ({ method, params }) => {
      if (method !== 'eth_getLogs') return 'pass';
      const filter = JSON.stringify(params);
      if (filter.includes(silent.address.slice(2))) return { result: [] };
      return filter.includes(late.address.slice(2)) && hidden-- > 0 ? { result: [] } : 'pass';
    };
    const hash = await stage.pay(0, late.address, 7n, stage.token('USDC'));
    await watching.caughtUp();
    book.watch(late);
    await stage.world.anvil.mine(1);
    expect(await watching.sees(late.address, 1)).toEqual([
      expect.objectContaining({ amount: 7n, transactionHash: hash, depositor: stage.payer(0) }),
    ]);
    await stage.pay(1, silent.address, 8n, stage.token('USDC'));
    await watching.caughtUp();
    book.watch(silent);
    await stage.world.anvil.mine(1);
    // Without another block.
    expect(await watching.sees(silent.address, 1)).toEqual([
      expect.objectContaining({ amount: 8n, transactionHash: '', depositor: '' }),
    ]);
    await proxy.close();
  });

  it('reports what the state of a block shows of the block being made with its own transaction', async () => {
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    let newest = await stage.world.anvil.height();
    let ahead = 3;
    proxy.plan = ({ method, params }) => {
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest')
        return { ask: { method, params: [`0x${newest.toString(16)}`, params[1]] } };
      if (method !== 'eth_call' || ahead === 0 || !JSON.stringify(params).includes(ref.address.slice(2))) return 'pass';
      ahead -= 1;
      return { ask: { method, params: [params[0], 'latest'] } };
    };
    book.watch(ref);
    await stage.world.anvil.mine(1);
    const hash = await stage.pay(0, ref.address, 9n);
    newest += 1;
    await eventually(
      async () => ahead,
      (left) => left === 0,
    );
    expect(book.at(ref.address)).toEqual([]);
    newest += 1;
    expect(await watching.sees(ref.address, 1)).toEqual([
      expect.objectContaining({ amount: 9n, transactionHash: hash, depositor: stage.payer(0) }),
    ]);
    expect(book.at(ref.address)[0]?.block?.height).toBe(newest);
    await proxy.close();
  });

  it('delays no deposit while addresses cannot be read, and finds what came meanwhile', async () => {
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    proxy.plan = ({ method, params }) =>
      method === 'eth_call' && asks(params) === factory().toLowerCase()
        ? { error: { code: -32000, message: 'execution aborted' } }
        : 'pass';
    await stage.pay(0, ref.address, 44n);
    const { anvil, deployed } = stage.world;
    await stage.settled(await depositNative(anvil, deployed, stage.user(1), 55n, orderId(77)));
    await watching.until(() => book.present().some(({ orderId: id }) => id === orderId(77)));
    expect(book.at(ref.address)).toEqual([]);
    proxy.plan = () => 'pass';
    // Without another block.
    expect(await watching.sees(ref.address, 1)).toEqual([expect.objectContaining({ amount: 44n })]);
    await proxy.close();
  });

  it('goes on with the others where one token reports no balances or its logs are refused', async () => {
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc });
    const book = new LedgerBook();
    const refs = [stage.newAddress(adapter), stage.newAddress(adapter)];
    book.watch(...refs);
    const watching = stage.watch(adapter, book);
    await watching.caughtUp();
    const [one, other] = refs.map(({ address }) => address) as [string, string];
    // It uses up all gas that it is given.
    const { rpc: node } = stage.world.anvil;
    const code = await node('eth_getCode', [stage.token('FEE'), 'latest']);
    await node('anvil_setCode', [stage.token('FEE'), '0x5b600056']);
    proxy.plan = ({ method, params }) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes(one.slice(2))
        ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
        : 'pass';
    await stage.pay(0, one, 5n, stage.token('USDC'));
    await stage.pay(0, other, 6n);
    expect(await watching.sees(one, 1)).toEqual([expect.objectContaining({ amount: 5n, transactionHash: '' })]);
    expect(await watching.sees(other, 1)).toEqual([expect.objectContaining({ amount: 6n })]);
    const late = stage.newAddress(adapter);
    await stage.pay(1, late.address, 8n, stage.token('USDC'));
    book.watch(late);
    await stage.world.anvil.mine(1);
    expect(await watching.sees(late.address, 1)).toEqual([expect.objectContaining({ amount: 8n })]);
    // The contract of a token that cannot answer would end the next start.
    await node('anvil_setCode', [stage.token('FEE'), code]);
    await proxy.close();
  });

  it('is confirmed by providers that have as much in the same block, and by no others', async () => {
    const quorum = { aboveUsd: 1, providers: 2 };
    const { proxy, rpc } = await proxied();
    const adapter = await stage.start({ rpc: [{ http: stage.world.anvil.rpcUrl }, ...rpc], quorum });
    const book = new LedgerBook();
    const ref = stage.newAddress(adapter);
    book.watch(ref);
    const watching = stage.watch(adapter, book);
    await stage.pay(0, ref.address, 44n);
    const [seen] = await watching.sees(ref.address, 1);
    if (seen?.block == null) throw new Error('not included');
    const sighting = { ...seen, block: seen.block, providers: 2 };
    const more = { ...sighting, fundingKey: `31337:at:${ref.address}:${NATIVE}:0:45`, amount: 45n };
    const elsewhere = { ...sighting, block: { ...seen.block, id: orderId(1) } };
    const [same] = await eventually(
      () => adapter.witness([sighting]),
      ([one]) => one === true,
    );
    expect(same).toBe(true);
    expect(await adapter.witness([more, elsewhere])).toEqual([false, false]);
    proxy.plan = ({ method }) =>
      method === 'eth_call' ? { error: { code: -32000, message: 'missing trie node' } } : 'pass';
    expect(await adapter.witness([sighting])).toEqual([false]);
    expect(adapter.namesDepositor(seen.fundingKey)).toBe(false);
    await proxy.close();
  });
});
