import type { Hex } from '@causeway/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { AddressStage } from './support/address-stage.js';
import { LedgerBook } from './support/ledger-book.js';
import { startWorld } from './support/world.js';

let stage: AddressStage;

beforeAll(async () => {
  stage = new AddressStage(await startWorld(8));
  await stage.world.anvil.mine(20);
});
afterEach(() => stage.close());
afterAll(() => stage.world.anvil.stop());

const keyOf = (address: string, from: number, to: number, currency: string = NATIVE) =>
  `31337:at:${address}:${currency}:${from}:${to}`;

async function begin() {
  const adapter = await stage.start();
  const book = new LedgerBook();
  const watching = stage.watch(adapter, book);
  const ref = stage.newAddress(adapter);
  book.watch(ref);
  await watching.caughtUp();
  return { adapter, book, watching, ref, address: ref.address };
}

describe('deposit addresses in a reorg', () => {
  it('lose what is gone, in coin and token, and keep what stands', async () => {
    const { book, watching, address } = await begin();
    const { anvil } = stage.world;
    await stage.pay(0, address, 100n);
    await stage.pay(0, address, 11n, stage.token('USDC'));
    await watching.sees(address, 2);
    await stage.pay(1, address, 20n);
    await stage.pay(1, address, 30n, stage.token('USDC'));
    await watching.sees(address, 4);
    await anvil.reorg(2);
    await watching.until(() => watching.batches.some(({ rewoundTo }) => rewoundTo !== undefined));
    await watching.caughtUp();
    expect(book.at(address).map(({ fundingKey }) => fundingKey)).toEqual(
      [keyOf(address, 0, 100), keyOf(address, 0, 11, stage.token('USDC'))].sort(),
    );
    expect([...book.known.values()].filter(({ state }) => state === 'vanished')).toHaveLength(2);
    await stage.pay(2, address, 7n);
    await watching.sees(address, 3);
    expect(book.known.get(keyOf(address, 100, 107))).toMatchObject({ depositor: stage.payer(2), amount: 7n });
  });

  it('keep the key of what is included again, in another block', async () => {
    const { book, watching, address } = await begin();
    const { anvil } = stage.world;
    const [coin, token] = [await stage.pay(0, address, 100n), await stage.pay(1, address, 50n, stage.token('USDC'))];
    await watching.sees(address, 2);
    const before = new Map(book.known);
    const raws = [await stage.raw(token), await stage.raw(coin)];
    await anvil.reorg(
      2,
      raws.map((transaction) => ({ transaction, block: 1 })),
    );
    await watching.until(() => watching.batches.some(({ rewoundTo }) => rewoundTo !== undefined));
    await watching.caughtUp();
    const block = await stage.client.getTransactionReceipt({ hash: coin });
    for (const [key, seen] of before)
      expect(book.known.get(key)).toMatchObject({
        ...{ amount: seen.amount, transactionHash: seen.transactionHash, depositor: seen.depositor },
        state: 'included',
        block: { id: block.blockHash },
      });
    expect(book.known.size).toBe(2);
  });

  it('find what replaced a block in which many addresses were already looked for', async () => {
    const { adapter, book, watching, address } = await begin();
    book.watch(...Array.from({ length: 2_100 }, () => stage.newAddress(adapter)));
    await watching.caughtUp();
    // Seen by their events, as there are many addresses.
    const usdc = stage.token('USDC');
    await stage.pay(0, address, 5n, usdc);
    await watching.sees(address, 1);
    const other = [...book.watched.keys()][1_000] ?? expect.fail('not watched');
    const raw = await stage.signed(1, other, 7n, usdc);
    await stage.world.anvil.reorg(1, [{ transaction: raw, block: 0 }]);
    expect(await watching.sees(other, 1)).toEqual([expect.objectContaining({ amount: 7n, depositor: stage.payer(1) })]);
    expect(book.at(address)).toEqual([]);
  });

  it('are divided again where another order or part of the transfers came', async () => {
    const { book, watching, address } = await begin();
    const usdc = stage.token('USDC');
    await stage.pay(0, address, 5n, usdc);
    const second = await stage.pay(1, address, 7n, usdc);
    await watching.sees(address, 2);
    const raw = await stage.raw(second);
    await stage.world.anvil.reorg(2, [{ transaction: raw, block: 0 }]);
    await watching.until(() => watching.batches.some(({ rewoundTo }) => rewoundTo !== undefined));
    await watching.caughtUp();
    expect(book.at(address)).toEqual([
      expect.objectContaining({ fundingKey: keyOf(address, 0, 7, usdc), depositor: stage.payer(1), amount: 7n }),
    ]);
  });

  it('find out after a restart, by the cursor of a fork', async () => {
    const { adapter, book, watching, address } = await begin();
    await stage.pay(0, address, 100n);
    await watching.sees(address, 1);
    await stage.pay(1, address, 20n);
    await watching.sees(address, 2);
    const { cursor } = watching;
    await watching.stop();
    await stage.world.anvil.reorg(1);
    await stage.pay(2, address, 3n);
    const next = stage.watch(adapter, book, cursor);
    await next.sees(address, 2);
    await next.caughtUp();
    expect(book.at(address).map(({ fundingKey }) => fundingKey)).toEqual([
      keyOf(address, 0, 100),
      keyOf(address, 100, 103),
    ]);
  });

  it('repeat what was recorded above an older cursor, once', async () => {
    const { adapter, book, watching, address } = await begin();
    const { cursor } = watching;
    await stage.pay(0, address, 100n);
    await stage.pay(0, address, 30n, stage.token('USDC'));
    await stage.payByContract(1, [[address, 20n]]);
    await watching.sees(address, 3);
    await watching.stop();
    const before = [...book.known.keys()].sort();
    const next = stage.watch(adapter, book, cursor);
    await next.until(() => next.batches.length > 0);
    await next.caughtUp();
    expect([...book.known.keys()].sort()).toEqual(before);
    expect(book.present()).toHaveLength(3);
    // It did not vanish in between either.
    expect(next.batches[0]?.deposits.map(({ fundingKey }) => fundingKey).sort()).toEqual(before);
  });

  it('count sweeps that a reorg undoes, and those that it does not, alike', async () => {
    const { adapter, book, watching, ref, address } = await begin();
    await stage.pay(0, address, 100n);
    const [seen] = await watching.sees(address, 1);
    const leg = stage.sweepOf(adapter, ref, seen?.fundingKey ?? '', 100n);
    const found = await stage.sweepAlone(adapter, leg);
    expect(found.ok).toBe(true);
    await watching.caughtUp();
    const raw = await stage.raw(found.hash as Hex);
    await stage.world.anvil.reorg(2);
    await watching.until(() => watching.batches.some(({ rewoundTo }) => rewoundTo !== undefined));
    await watching.caughtUp();
    expect(await stage.held(address)).toBe(100n);
    expect(book.at(address)).toHaveLength(1);
    await stage.settled(await stage.world.anvil.rpc<Hex>('eth_sendRawTransaction', [raw]));
    await stage.pay(1, address, 4n);
    await watching.sees(address, 2);
    expect(book.known.has(keyOf(address, 100, 104))).toBe(true);
    expect(book.known.size).toBe(2);
  });
});
