import { setTimeout as delay } from 'node:timers/promises';
import { type RestFaultProxy, restFaultProxy } from '@causeway/core/testing';
import { Address, toNano } from '@ton/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { capabilityOf, freshAddress, testBook, type Watch, watchAddresses } from './support/address-book.js';
import { type Ground, ground } from './support/ground.js';
import { transfer } from './support/jetton-words.js';
import { sendFrom } from './support/wallets.js';

/** How transfers to deposit addresses are found, and what that asks of a provider. */
let place: Ground;
let proxy: RestFaultProxy;
let adapter: TonvmAdapter;
let watch: Watch | undefined;

/** Requests for deposit addresses, with what a test does to them. */
let work = 0;
const own = new Set<string>();
function plan(fault: (body: string) => ReturnType<RestFaultProxy['plan']>): void {
  proxy.plan = ({ body }) => {
    const { method, params } = JSON.parse(body) as { method: string; params?: { address?: string } };
    const isPoll = method === 'getAddressInformation' && own.has(params?.address ?? '');
    if (!isPoll && method !== 'getBlockHeader') work += 1;
    return fault(body);
  };
}

beforeAll(async () => {
  place = await ground();
  for (const { contract } of [place.vault, place.fill, place.sweeper])
    for (const one of [
      contract.address,
      place.jetton.walletOf(contract.address),
      place.keeping.walletOf(contract.address),
    ])
      own.add(one.toRawString());
  proxy = await restFaultProxy(place.node.origin);
  plan(() => 'pass');
  adapter = await place.adapter(`${proxy.url}/api/v2/jsonRPC`);
});
afterEach(async () => {
  plan(() => 'pass');
  await watch?.stop();
  watch = undefined;
});
afterAll(async () => {
  await adapter.stop();
  await proxy.close();
  await place.node.stop();
});

const GAS = toNano('0.1');

async function pay(to: string, ...amounts: readonly bigint[]): Promise<void> {
  const [user] = place.users;
  if (user === undefined) throw new Error('no user');
  const messages = amounts.map((value) => ({ to: Address.parse(to), value, bounce: false }));
  await sendFrom(place.client, user, ...messages);
  await place.node.dev('settle');
}

async function payJettons(to: string, amount: bigint): Promise<void> {
  const [user] = place.users;
  if (user === undefined) throw new Error('no user');
  const owner = user.contract.address;
  const body = transfer(owner, Address.parse(to), amount, null);
  await sendFrom(place.client, user, { to: place.jetton.walletOf(owner), value: GAS, bounce: true, body });
  await place.node.dev('settle');
}

/** Until the watcher has read what there is. */
async function quiet(): Promise<void> {
  let before = -1;
  for (let n = 0; n < 100 && before !== work; n += 1) {
    before = work;
    await delay(400);
  }
}

/** By method, since it was last asked. */
const asked = async () => (await place.node.dev<{ asked: Record<string, number> }>('asked')).asked;

describe('watching a hundred deposit addresses', () => {
  it('asks a provider for the list of each block, whatever their number', async () => {
    const blocks = 10;
    const counts = [];
    for (const many of [0, 100]) {
      const book = testBook();
      for (let n = 0; n < many; n += 1) {
        const ref = freshAddress(adapter);
        book.watched.set(ref.address, ref);
      }
      watch = await watchAddresses(adapter, book);
      await quiet();
      await asked();
      for (let n = 0; n < blocks; n += 1) {
        await place.node.dev('mine');
        await delay(150);
      }
      await quiet();
      counts.push(await asked());
      await watch.stop();
    }
    const [none, hundred] = counts;
    expect([none?.['shards'], none?.['getBlockTransactions']]).toEqual([undefined, undefined]);
    expect(hundred?.['getBlockTransactions']).toBe(blocks);
    expect(hundred?.['shards']).toBeLessThanOrEqual(blocks + 1);
    // Polls differ by timing: none of them is for an address.
    expect(hundred?.['getAddressInformation']).toBeLessThan((none?.['getAddressInformation'] ?? 0) + 60);
  });

  it('reads those that were paid, and answers what they hold without asking again', async () => {
    const book = testBook();
    const refs = Array.from({ length: 40 }, () => freshAddress(adapter));
    for (const ref of refs) book.watched.set(ref.address, ref);
    watch = await watchAddresses(adapter, book);
    await quiet();
    const paid = refs.slice(0, 3);
    for (const [n, { address }] of paid.entries()) {
      await pay(address, toNano(n + 1), toNano(n + 1));
      await payJettons(address, BigInt(n + 1));
    }
    const seen = await watch.until(9);
    const sums = paid.map(({ address }) =>
      seen.filter((one) => one.depositAddress === address).map(({ amount }) => amount),
    );
    expect(sums).toEqual([1, 2, 3].map((n) => [toNano(n), toNano(n), BigInt(n)]));
    await quiet();
    const { held } = capabilityOf(adapter);
    const addresses = refs.map(({ address }) => address);
    for (const currency of [NATIVE, place.jetton.currency]) {
      const truth = await Promise.all(addresses.map((one) => place.balance(one, currency)));
      expect(await held(addresses, currency)).toEqual(truth);
      await quiet();
      await asked();
      expect(await held(addresses, currency)).toEqual(truth);
      expect((await asked())['getAddressInformation'] ?? 0).toBeLessThan(20);
    }
  });
});

describe('a watch', () => {
  it('finds all of many transfers to one address, from before it was watched too', async () => {
    const book = testBook();
    const ref = freshAddress(adapter);
    for (let n = 0; n < 3; n += 1) await pay(ref.address, ...Array.from({ length: 60 }, () => 2_000_000n));
    watch = await watchAddresses(adapter, book);
    book.watched.set(ref.address, ref);
    await place.node.dev('mine');
    await watch.until(180);
    await pay(ref.address, ...Array.from({ length: 70 }, () => 3_000_000n));
    const seen = await watch.until(250);
    expect(new Set(seen.map(({ fundingKey }) => fundingKey)).size).toBe(250);
    expect(watch.seen).toHaveLength(250);
  });

  it('goes on where shards are split and merged', async () => {
    const book = testBook();
    const refs = Array.from({ length: 8 }, () => freshAddress(adapter));
    for (const ref of refs) book.watched.set(ref.address, ref);
    watch = await watchAddresses(adapter, book);
    await quiet();
    await asked();
    for (const [n, ref] of refs.entries()) {
      await place.node.dev('split');
      await pay(ref.address, toNano(1));
      await watch.until(n + 1);
      await quiet();
    }
    const { getBlockHeader = 0, getBlockTransactions = 0 } = await asked();
    // Headers show the parents of a shard that is new.
    expect(getBlockHeader).toBeGreaterThan(8);
    expect(getBlockTransactions).toBeGreaterThan(16);
    expect(watch.seen).toHaveLength(8);
  });

  it('reads every account where a list cannot be had', async () => {
    const book = testBook();
    const refs = Array.from({ length: 5 }, () => freshAddress(adapter));
    for (const ref of refs) book.watched.set(ref.address, ref);
    watch = await watchAddresses(adapter, book);
    await quiet();
    const body = '{"ok":false,"error":"LITE_SERVER_UNKNOWN: block is not in db","code":500}';
    plan((asked) => (asked.includes('"getBlockTransactions"') ? { status: 500, body } : 'pass'));
    for (const { address } of refs) await pay(address, toNano(1));
    await watch.until(5);
  });

  it('learns by the next transfer of one that a list omitted', async () => {
    const book = testBook();
    const refs = Array.from({ length: 5 }, () => freshAddress(adapter));
    for (const ref of refs) book.watched.set(ref.address, ref);
    watch = await watchAddresses(adapter, book);
    await quiet();
    const empty = JSON.stringify({ ok: true, result: { incomplete: false, transactions: [] } });
    plan((asked) => (asked.includes('"getBlockTransactions"') ? { status: 200, body: empty } : 'pass'));
    const [one] = refs;
    await pay(one?.address ?? '', toNano(1));
    await quiet();
    expect(watch.seen).toHaveLength(0);
    plan(() => 'pass');
    await pay(one?.address ?? '', toNano(2));
    expect((await watch.until(2)).map(({ amount }) => amount)).toEqual([toNano(1), toNano(2)]);
  });

  it('is not stopped by an account that cannot be read', async () => {
    const book = testBook();
    const refs = Array.from({ length: 6 }, () => freshAddress(adapter));
    const [bad, ...good] = refs;
    const raw = Address.parse(bad?.address ?? '').toRawString();
    const body = JSON.stringify({ ok: true, result: { odd: true } });
    plan((asked) => (asked.includes(raw) ? { status: 200, body } : 'pass'));
    for (const ref of refs) book.watched.set(ref.address, ref);
    watch = await watchAddresses(adapter, book);
    for (const { address } of refs) await pay(address, toNano(1));
    const seen = await watch.until(good.length);
    expect(seen.some(({ depositAddress }) => depositAddress === bad?.address)).toBe(false);
  });

  it('forgets nothing of an address that left and came back', async () => {
    const book = testBook();
    const refs = Array.from({ length: 5 }, () => freshAddress(adapter));
    for (const ref of refs) book.watched.set(ref.address, ref);
    watch = await watchAddresses(adapter, book);
    const [one] = refs;
    if (one === undefined) throw new Error('none');
    await pay(one.address, toNano(1));
    await watch.until(1);
    book.watched.delete(one.address);
    await place.node.dev('mine');
    await quiet();
    book.watched.set(one.address, one);
    await pay(one.address, toNano(2));
    expect((await watch.until(2)).map(({ amount }) => amount)).toEqual([toNano(1), toNano(2)]);
    expect(watch.seen).toHaveLength(2);
  });
});
