import type { AddressRef, DepositObservation, SweepLeg } from '@causeway/core';
import { Address, beginCell, Cell, comment, toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../scripts/compile.mjs';
import { NATIVE } from '../src/addresses.js';
import { CODE } from '../src/deposit-addresses/code.js';
import { initOf, sweepBody } from '../src/deposit-addresses/contract.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { capabilityOf, freshAddress, type TestBook, testBook, watchAddresses } from './support/address-book.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { transfer } from './support/jetton-words.js';
import { freshName, paying } from './support/paying.js';
import { sendFrom, type TestWallet } from './support/wallets.js';

const GAS = toNano('0.1');

let place: Ground;
let adapter: TonvmAdapter;

beforeAll(async () => {
  place = await ground();
  adapter = await place.adapter(place.node.url);
});
afterAll(async () => {
  await adapter.stop();
  await place.node.stop();
});

const user = (n = 0) => {
  const one = place.users[n];
  if (one === undefined) throw new Error(`no user ${n}`);
  return one;
};

/** As any wallet does. */
async function pay(to: string, currency: string, amount: bigint, who = user()): Promise<void> {
  const recipient = Address.parse(to);
  const owner = who.contract.address;
  await sendFrom(
    place.client,
    who,
    currency === NATIVE
      ? { to: recipient, value: amount, bounce: false }
      : { to: place.jetton.walletOf(owner), value: GAS, bounce: true, body: transfer(owner, recipient, amount, null) },
  );
  await place.node.dev('settle');
}

function sweepOf({ fundingKey, currency, amount }: DepositObservation, from: AddressRef): SweepLeg {
  return {
    ...{ kind: 'sweep', legId: freshName(), fundingKey, currency, amount, from },
    recipient: addressOf(place.vault),
    useKey: adapter.useKey(fundingKey, 'sweep'),
    expiration: 2_000_000_000,
  };
}

const rawOf = ({ contract }: TestWallet): string => contract.address.toRawString();

const added = (book: TestBook, count = 1): readonly AddressRef[] => {
  const refs = Array.from({ length: count }, () => freshAddress(adapter));
  for (const ref of refs) book.watched.set(ref.address, ref);
  return refs;
};

describe('a deposit address', () => {
  it('follows from the committed code and a salt', async () => {
    expect(await compile('deposit-address')).toBe(CODE);
    const [one, other] = [freshAddress(adapter), freshAddress(adapter)];
    expect(one.address).toMatch(/^UQ/);
    expect(capabilityOf(adapter).derive(one.salt)).toBe(one.address);
    expect(other.address).not.toBe(one.address);
  });

  it('is paid by a plain message, which cannot bounce, or by a transfer of the payer’s jetton wallet', async () => {
    const book = testBook();
    const [ref] = added(book);
    const watch = await watchAddresses(adapter, book);
    const payer = addressOf(user());
    for (const currency of [NATIVE, place.jetton.currency]) {
      const steps = capabilityOf(adapter).steps({ payer, address: ref?.address ?? '', currency, amount: 70_000_000n });
      const [message] = (steps[0]?.items[0]?.data['messages'] ?? []) as {
        to: string;
        value: string;
        body?: string;
        bounce: boolean;
      }[];
      if (message === undefined) throw new Error('no message');
      await sendFrom(place.client, user(), {
        ...{ to: Address.parse(message.to), value: BigInt(message.value), bounce: message.bounce },
        ...(message.body === undefined ? {} : { body: Cell.fromBase64(message.body) }),
      });
      await place.node.dev('settle');
    }
    const seen = await watch.until(2);
    expect(seen.map(({ currency, amount, depositor }) => ({ currency, amount, depositor }))).toEqual([
      { currency: NATIVE, amount: 70_000_000n, depositor: payer },
      { currency: place.jetton.currency, amount: 70_000_000n, depositor: payer },
    ]);
    await watch.stop();
  });
});

describe('watching', () => {
  it('reports each transfer under a key of its own, whenever the address was added', async () => {
    const book = testBook();
    const early = freshAddress(adapter);
    await pay(early.address, NATIVE, toNano(2));
    await pay(early.address, NATIVE, toNano(2));
    await pay(early.address, place.jetton.currency, 5_000n);
    const watch = await watchAddresses(adapter, book);
    const [late] = added(book);
    book.watched.set(early.address, early);
    await pay(late?.address ?? '', place.jetton.currency, 7_000n);
    await pay(late?.address ?? '', NATIVE, toNano(3), user(1));
    const seen = await watch.until(5);
    expect(new Set(seen.map(({ fundingKey }) => fundingKey)).size).toBe(5);
    expect(seen.every(({ state, orderId, block }) => state === 'final' && orderId === null && block !== null)).toBe(
      true,
    );
    const sightings = seen.map((one) => ({ ...one, block: one.block ?? { height: 0, id: '' }, providers: 1 }));
    expect(await adapter.witness(sightings)).toEqual(seen.map(() => true));
    const lies = sightings.map((one) => ({ ...one, amount: one.amount + 1n }));
    expect(await adapter.witness(lies)).toEqual(seen.map(() => false));
    const of = (address = '') => seen.filter((one) => one.depositAddress === address).map(({ amount }) => amount);
    expect(of(early.address)).toEqual([toNano(2), toNano(2), 5_000n]);
    expect(of(late?.address)).toEqual([7_000n, toNano(3)]);
    const cursor = watch.last()?.cursor;
    await watch.stop();

    await pay(early.address, NATIVE, toNano(4));
    const again = await watchAddresses(adapter, book, cursor);
    const [later] = await again.until(1);
    expect(later?.amount).toBe(toNano(4));
    await again.stop();
    expect(again.seen).toHaveLength(1);
  });

  it('reports neither dust, nor postage, nor what bounced or failed, nor other jettons', async () => {
    const book = testBook();
    const [ref] = added(book);
    const watch = await watchAddresses(adapter, book);
    const to = Address.parse(ref?.address ?? '');
    const [who, owner] = [user(), user().contract.address];
    const wallet = place.jetton.walletOf(to);
    await sendFrom(
      ...([place.client, who] as const),
      { to, value: 999_999n, bounce: false },
      { to, value: toNano(1), bounce: true },
      { to: wallet, value: toNano(1), bounce: false },
      { to: place.foreign.walletOf(owner), value: GAS, bounce: true, body: transfer(owner, to, 9n, null) },
    );
    await place.node.dev('settle');
    await pay(ref?.address ?? '', NATIVE, 1_000_000n);
    const seen = await watch.until(1);
    expect(seen.map(({ amount }) => amount)).toEqual([1_000_000n]);
    await watch.stop();
  });

  it('takes a comment for no order', async () => {
    const book = testBook();
    const [ref] = added(book);
    const watch = await watchAddresses(adapter, book);
    const to = Address.parse(ref?.address ?? '');
    await sendFrom(place.client, user(), { to, value: toNano(1), bounce: false, body: comment(freshName()) });
    await place.node.dev('settle');
    expect((await watch.until(1))[0]).toMatchObject({ orderId: null, depositAddress: ref?.address });
    await watch.stop();
  });
});

describe('a sweep', () => {
  it('moves each transfer whole, and the depository takes it for no deposit', async () => {
    const book = testBook();
    const [ref] = added(book);
    if (ref === undefined) throw new Error('no address');
    const watch = await watchAddresses(adapter, book);
    await pay(ref.address, NATIVE, toNano(2));
    await pay(ref.address, NATIVE, toNano(3));
    await pay(ref.address, place.jetton.currency, 5_000n);
    const seen = await watch.until(3);
    const vault = addressOf(place.vault);
    const balances = () => Promise.all([NATIVE, place.jetton.currency].map((one) => place.balance(vault, one)));
    const before = await balances();
    const legs = seen.map((one) => sweepOf(one, ref));
    const sweeper = paying(place, adapter, place.sweeper);
    const held = await place.balance(addressOf(place.sweeper), NATIVE);
    const spent = await sweeper.land(legs);
    expect(spent.effects).toEqual(legs.map(({ legId, amount }) => ({ legId, done: true, moved: amount })));
    const after = await balances();
    // A nanoton comes with the notice of the jettons.
    expect(after.map((value, n) => value - (before[n] ?? 0n))).toEqual([toNano(5) + 1n, 5_000n]);
    // A nanoton came with the notice of the jettons.
    expect(await capabilityOf(adapter).held([ref.address], NATIVE)).toEqual([1n]);
    expect(await capabilityOf(adapter).held([ref.address], place.jetton.currency)).toEqual([0n]);
    expect(held - (await place.balance(addressOf(place.sweeper), NATIVE))).toBe(spent.fee);
    expect(spent.fee <= spent.maxFee).toBe(true);

    for (const leg of legs) {
      expect(await adapter.check(leg, addressOf(place.sweeper))).toMatchObject({
        kind: 'refused',
        reason: 'INVALID_NONCE',
      });
      expect(await adapter.paidBy(leg, 0)).toMatchObject({
        moved: leg.amount,
        recipient: vault,
        currency: leg.currency,
      });
    }
    await pay(ref.address, NATIVE, toNano(1));
    await watch.until(4);
    expect(watch.seen).toHaveLength(4);
    await watch.stop();
  });
});

it('a jetton that takes a fee arrives at the depository with so much less', async () => {
  const book = testBook();
  const [ref] = added(book);
  if (ref === undefined) throw new Error('no address');
  const watch = await watchAddresses(adapter, book);
  const { keeping, vault, client, node } = place;
  const owner = user().contract.address;
  const body = transfer(owner, Address.parse(ref.address), 10_000n, null);
  await sendFrom(client, user(), { to: keeping.walletOf(owner), value: GAS, bounce: true, body });
  await node.dev('settle');
  const [seen] = await watch.until(1);
  if (seen === undefined) throw new Error('none');
  expect(seen.amount).toBe(9_900n);
  const before = await place.balance(addressOf(vault), keeping.currency);
  const { effects } = await paying(place, adapter, place.sweeper).land([sweepOf(seen, ref)]);
  expect(effects).toMatchObject([{ done: true, moved: 9_900n, arrived: 9_801n }]);
  expect((await place.balance(addressOf(vault), keeping.currency)) - before).toBe(9_801n);
  await watch.stop();
});

/** Gives orders that only the sweeper may give, and writes what marks a sweep. */
describe('a third party', () => {
  it('moves nothing from an address, by an order of its own', async () => {
    const book = testBook();
    const [ref] = added(book);
    if (ref === undefined) throw new Error('no address');
    const watch = await watchAddresses(adapter, book);
    await pay(ref.address, NATIVE, toNano(2));
    const [seen] = await watch.until(1);
    if (seen === undefined) throw new Error('none');
    const leg = sweepOf(seen, ref);
    const to = Address.parse(ref.address);
    const init = initOf({ depository: rawOf(place.vault), sweeper: rawOf(place.sweeper) }, ref.salt);
    const wallet = place.jetton.walletOf(to).toRawString();
    for (const bounce of [true, false])
      for (const body of [
        sweepBody({ useKey: leg.useKey, amount: toNano(2), wallet: undefined }),
        sweepBody({ useKey: leg.useKey, amount: 1n, wallet }),
      ])
        await sendFrom(place.client, user(), { to, value: toNano('0.1'), bounce, init, body });
    await place.node.dev('settle');
    // What cannot come back is a transfer like any other.
    const transfers = await watch.until(3);
    expect(transfers.map(({ amount }) => amount)).toEqual([toNano(2), toNano('0.1'), toNano('0.1')]);
    expect(await capabilityOf(adapter).held([ref.address], NATIVE)).toEqual([toNano('2.2')]);
    const sweeper = paying(place, adapter, place.sweeper);
    const before = await place.balance(addressOf(place.vault), NATIVE);
    const { effects } = await sweeper.land(transfers.map((one) => sweepOf(one, ref)));
    expect(effects.every(({ done }) => done)).toBe(true);
    expect((await place.balance(addressOf(place.vault), NATIVE)) - before).toBe(toNano('2.2'));
    await watch.stop();
  });

  it('hides no deposit by writing what an address writes', async () => {
    const book = testBook();
    const [ref] = added(book);
    const watch = await watchAddresses(adapter, book);
    const swept = beginCell().storeUint(0x73777074, 32).storeUint(7, 256);
    const body = swept.storeBuffer(Buffer.from(ref?.salt.slice(2) ?? '', 'hex')).endCell();
    const to = place.vault.contract.address;
    const owner = user().contract.address;
    await sendFrom(place.client, user(), { to, value: toNano(1), bounce: false, body });
    await sendFrom(place.client, user(), {
      ...{ to: place.jetton.walletOf(owner), value: GAS, bounce: true },
      body: transfer(owner, to, 77n, body),
    });
    await place.node.dev('settle');
    const seen = await watch.until(2, () => true);
    expect(seen.map(({ amount, depositAddress }) => ({ amount, depositAddress }))).toEqual(
      [toNano(1), 77n].map((amount) => ({ amount, depositAddress: null })),
    );
    await watch.stop();
  });
});

describe('a sweep that fails', () => {
  it('comes back where the address has too little, and takes nothing of the rest', async () => {
    const book = testBook();
    const [ref] = added(book);
    if (ref === undefined) throw new Error('no address');
    const watch = await watchAddresses(adapter, book);
    await pay(ref.address, NATIVE, toNano(1));
    await pay(ref.address, place.jetton.currency, 50n);
    const seen = await watch.until(2);
    const legs = seen.map((one) => ({ ...sweepOf(one, ref), amount: one.amount * 2n }));
    for (const leg of legs)
      expect(await adapter.check(leg, addressOf(place.sweeper))).toMatchObject({ ok: false, kind: 'unavailable' });
    const vault = () => Promise.all(seen.map(({ currency }) => place.balance(addressOf(place.vault), currency)));
    const before = await vault();
    const held = await place.balance(addressOf(place.sweeper), NATIVE);
    const sweeper = paying(place, adapter, place.sweeper);
    const spent = await sweeper.land(legs, 'unchecked');
    expect(spent.effects.map(({ done, returned, moved }) => ({ done, returned, moved }))).toEqual(
      legs.map(() => ({ done: false, returned: true, moved: 0n })),
    );
    expect(held - (await place.balance(addressOf(place.sweeper), NATIVE))).toBe(spent.fee);
    expect(await vault()).toEqual(before);
    const { effects } = await sweeper.land(seen.map((one) => sweepOf(one, ref)));
    expect(effects.every(({ done }) => done)).toBe(true);
    await watch.stop();
  });

  it('takes no other transfer by an old plan', async () => {
    const book = testBook();
    const [ref] = added(book);
    if (ref === undefined) throw new Error('no address');
    const watch = await watchAddresses(adapter, book);
    await pay(ref.address, NATIVE, toNano(3));
    await pay(ref.address, NATIVE, toNano(2));
    const [first, second] = (await watch.until(2)).map((one) => sweepOf(one, ref));
    if (first === undefined || second === undefined) throw new Error('none');
    const sweeper = paying(place, adapter, place.sweeper);
    await sweeper.land([second]);
    const check = await adapter.check(first, addressOf(place.sweeper));
    expect(check.ok).toBe(true);
    const other = await place.adapter(place.node.url);
    expect(await other.check(second, addressOf(place.sweeper))).toMatchObject({ reason: 'INVALID_NONCE' });
    await other.stop();
    await sweeper.land([first]);
    expect(await capabilityOf(adapter).held([ref.address], NATIVE)).toEqual([0n]);
    await watch.stop();
  });
});

describe('at the prices of the network', () => {
  it('is paid for by the sweeper, whatever storage and receipts cost', async () => {
    const costly = await ground({ instant: true, prices: 'network' });
    const own = await costly.adapter(costly.node.url);
    try {
      const book = testBook();
      const ref = freshAddress(own);
      book.watched.set(ref.address, ref);
      const watch = await watchAddresses(own, book);
      const to = Address.parse(ref.address);
      const later = async (days: number): Promise<void> => {
        await costly.node.dev('time', { to: (await costly.node.head()).timestamp + days * 86_400_000 });
        await costly.node.dev('mine');
      };
      const coins = async (value: bigint): Promise<void> => {
        await sendFrom(costly.client, user(), { to, value, bounce: false });
        await costly.node.dev('settle');
      };
      const legOf = (one: DepositObservation): SweepLeg => ({
        ...sweepOf(one, ref),
        recipient: addressOf(costly.vault),
      });
      const sweeper = paying(costly, own, costly.sweeper);
      const sweep = async (...transfers: readonly DepositObservation[]) => {
        const held = await costly.balance(addressOf(costly.sweeper), NATIVE);
        const vault = await costly.balance(addressOf(costly.vault), NATIVE);
        const spent = await sweeper.land(transfers.map(legOf));
        for (const effect of spent.effects) expect(effect.done).toBe(true);
        const lost = held - (await costly.balance(addressOf(costly.sweeper), NATIVE));
        const came = (await costly.balance(addressOf(costly.vault), NATIVE)) - vault;
        expect(spent.fee).toBe(lost);
        expect(spent.fee <= spent.maxFee).toBe(true);
        expect(
          spent.fee <= (own.legCost('sweep', transfers[0]?.currency ?? '')?.native ?? 0n) * BigInt(transfers.length),
        ).toBe(true);
        return { spent, came };
      };

      await coins(toNano(1));
      const [first] = await watch.until(1);
      if (first === undefined) throw new Error('none');
      await later(30);
      const one = await sweep(first);
      const [effect] = one.spent.effects;
      expect(effect?.arrived).toBe(one.came);
      // The depository pays for its own storage and receipt.
      expect(toNano(1) - one.came < 2_000_000n).toBe(true);

      await later(300);
      await coins(toNano(2));
      await coins(toNano(3));
      const [, second, third] = await watch.until(3);
      if (second === undefined || third === undefined) throw new Error('none');
      await sweep(second, third);
      expect((await capabilityOf(own).held([ref.address], NATIVE))[0]).toBe(0n);

      await sendFrom(costly.client, user(), {
        ...{ to: costly.jetton.walletOf(user().contract.address), value: GAS, bounce: true },
        body: transfer(user().contract.address, to, 9_000n, null),
      });
      await costly.node.dev('settle');
      const [, , , tokens] = await watch.until(4);
      if (tokens === undefined) throw new Error('none');
      await sweep(tokens);
      expect(await costly.balance(addressOf(costly.vault), costly.jetton.currency)).toBe(9_000n);
      await watch.stop();
    } finally {
      await own.stop();
      await costly.node.stop();
    }
  });
});
