import { randomBytes } from 'node:crypto';
import type { Hex, RefundLeg } from '@causeway/core';
import { Address, beginCell, Cell, toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, textOf } from '../src/addresses.js';
import { nameComment } from '../src/comments.js';
import { localJetton, mintBody } from '../src/devnet/jettons.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, type GroundJetton, ground } from './support/ground.js';
import { lyingJetton, optionsOfJetton, setHostile } from './support/hostile.js';
import { ATTACH, bounceOf, internalTransfer, notice, transferFrom } from './support/jetton-words.js';
import { freshAddress, freshName, type Paying, paying } from './support/paying.js';
import { sendFrom, type TestWallet } from './support/wallets.js';
import { type Watching, watching } from './support/watching.js';

/** Gains are read from the chain, never from the adapter. */
let place: Ground;
let adapter: TonvmAdapter;
let by: Paying;
let watch: Watching;
let thief: TestWallet;
let filler: string;
let vault: Address;
let boasting: GroundJetton;
let taking: GroundJetton;
let swallowing: GroundJetton;
let hiding: GroundJetton;

const settle = () => place.node.dev('settle');
const ownerOf = ({ contract }: TestWallet) => contract.address;
const held = (who: string, { walletOf }: GroundJetton) => heldIn(walletOf(Address.parse(who)));

async function heldIn(wallet: Address): Promise<bigint> {
  const { data } = await place.client.getContractState(wallet);
  return data === null ? 0n : (Cell.fromBoc(data)[0]?.beginParse().loadCoins() ?? 0n);
}

beforeAll(async () => {
  place = await ground({ instant: true });
  [thief = place.fill] = place.users;
  filler = addressOf(place.fill);
  vault = ownerOf(place.vault);
  boasting = await lyingJetton(place, 'BOAST', { boasts: 1_000 });
  taking = await lyingJetton(place, 'TAKES', { acceptsAnyWallet: true });
  swallowing = await lyingJetton(place, 'SWALLOW', { swallows: true });
  hiding = await lyingJetton(place, 'HIDES', { hides: true });
  const served = [place.jetton, place.keeping, boasting, taking, swallowing, hiding];
  adapter = await place.adapter(place.node.url, { jettons: served.map(optionsOfJetton) });
  by = paying(place, adapter);
  watch = await watching(adapter);
});
afterAll(async () => {
  await watch?.stop();
  await adapter?.stop();
  await place?.node.stop();
});

async function reportedOf(names: readonly Hex[]) {
  const name = freshName();
  const [, honest = thief] = place.users;
  await sendFrom(place.client, honest, { to: vault, value: toNano(1), bounce: false, body: nameComment(name) });
  await settle();
  await watch.until(name);
  return watch.seen.filter(({ orderId }) => orderId !== null && names.includes(orderId));
}

describe('a deposit that is none', () => {
  it('in the words of a jetton wallet that is not ours, reported by a third party, by a contract, and by the wallet of another jetton', async () => {
    const names = [freshName(), freshName(), freshName(), freshName()];
    const [a, b, c, d] = names as [Hex, Hex, Hex, Hex];
    const amount = 10n ** 9n;
    const from = ownerOf(thief);
    await sendFrom(
      place.client,
      thief,
      { to: vault, value: ATTACH, bounce: false, body: notice({ amount, from, name: a }) },
      { to: vault, value: ATTACH, bounce: false, body: internalTransfer({ amount, from, name: b }) },
    );
    const elsewhere = new Address(0, randomBytes(32)).toRawString();
    for (const [source, name] of [
      [elsewhere, c],
      [place.foreign.walletOf(vault).toRawString(), d],
    ] as const)
      await place.node.dev('forge', {
        ...{ source, destination: vault.toRawString(), amount: ATTACH.toString(), bounce: false },
        body: notice({ amount, from, name }).toBoc().toString('base64'),
      });
    await settle();
    expect(await reportedOf(names)).toEqual([]);
  });

  it('in a jetton of the same name, symbol and code from another minter', async () => {
    const twin = localJetton({ admin: ownerOf(thief), symbol: place.jetton.symbol, decimals: 6 });
    const name = freshName();
    const made = mintBody(ownerOf(thief), 10n ** 12n, ATTACH);
    await sendFrom(place.client, thief, {
      to: twin.minter,
      value: toNano(1),
      bounce: true,
      init: twin.init,
      body: made,
    });
    await settle();
    const one = { ...twin, symbol: 'USDT', currency: textOf(twin.minter) };
    await sendFrom(
      place.client,
      thief,
      transferFrom(one.walletOf(ownerOf(thief)), ownerOf(thief), vault, { amount: 10n ** 11n, name }),
    );
    await settle();
    expect(await heldIn(twin.walletOf(vault))).toBe(10n ** 11n);
    expect(await reportedOf([name])).toEqual([]);
  });

  it('reported to our own jetton wallet by a third party who is no jetton wallet, in the name of anyone', async () => {
    const names = [freshName(), freshName()];
    const [plain, odd] = names as [Hex, Hex];
    const words = { amount: 10n ** 9n, from: ownerOf(thief) };
    const honest = { amount: 500n, name: freshName() };
    await sendFrom(place.client, thief, transferFrom(taking.walletOf(ownerOf(thief)), ownerOf(thief), vault, honest));
    await settle();
    expect(await reportedOf([honest.name])).toMatchObject([{ amount: 500n, currency: taking.currency }]);
    const before = await heldIn(place.jetton.walletOf(vault));
    await sendFrom(
      place.client,
      thief,
      {
        to: place.jetton.walletOf(vault),
        value: ATTACH,
        bounce: true,
        body: internalTransfer({ ...words, name: plain }),
      },
      // This code accepts it: its wallets mint for themselves.
      { to: taking.walletOf(vault), value: ATTACH, bounce: true, body: internalTransfer({ ...words, name: odd }) },
    );
    await settle();
    expect(await heldIn(place.jetton.walletOf(vault))).toBe(before);
    expect(await heldIn(taking.walletOf(vault))).toBe(500n + words.amount);
    expect(await reportedOf(names)).toEqual([]);
  });

  it('that failed at our own jetton wallet, though the wallet of its payer reported it', async () => {
    const name = freshName();
    const wallet = place.jetton.walletOf(vault);
    const before = await heldIn(wallet);
    const body = internalTransfer({ amount: 10n ** 9n, from: ownerOf(thief), name });
    // Too few coins to process. Nothing returns to the payer, whose balance never decreased.
    await place.node.dev('forge', {
      ...{ source: place.jetton.walletOf(ownerOf(thief)).toRawString(), destination: wallet.toRawString() },
      ...{ amount: toNano('0.002').toString(), bounce: false, body: body.toBoc().toString('base64') },
    });
    await settle();
    expect(await heldIn(wallet)).toBe(before);
    expect(await reportedOf([name])).toEqual([]);
  });

  it('is what came, where the jetton wallet boasts of more', async () => {
    const name = freshName();
    await sendFrom(
      place.client,
      thief,
      transferFrom(boasting.walletOf(ownerOf(thief)), ownerOf(thief), vault, { amount: 500n, name }),
    );
    await settle();
    expect(await heldIn(boasting.walletOf(vault))).toBe(500n);
    expect(await reportedOf([name])).toMatchObject([{ amount: 500n, currency: boasting.currency }]);
  });
});

describe('a fill', () => {
  it('of coins to a jetton wallet of the solver is refused, and where it was made it is paid: no one is refunded for it', async () => {
    for (const owner of [place.fill, place.vault]) {
      const recipient = textOf(place.jetton.walletOf(ownerOf(owner)));
      const leg = await by.fill({ recipient, amount: toNano(2) });
      expect(adapter.refuseFill(leg)).toMatchObject({ why: 'recipient' });
      expect(await adapter.check(leg, filler)).toMatchObject({ ok: false, kind: 'refused' });
      const before = await place.balance(filler, NATIVE);
      const { effects, fee } = await by.land([leg], 'unchecked');
      expect(before - (await place.balance(filler, NATIVE))).toBe(leg.amount + fee);
      expect(effects).toEqual([{ legId: leg.legId, done: true, moved: leg.amount }]);
      expect((await adapter.paidBy(leg, 0))?.moved).toBe(leg.amount);
      expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(false);
    }
  });

  it.each(['refuses', 'burns'] as const)(
    'of jettons to a contract that %s stays with it, and costs what any other does',
    async (what) => {
      const { currency } = place.jetton;
      const wish = { currency, amount: 7_000n };
      const plain = await by.land([await by.fill(wish)]);
      const leg = await by.fill(wish);
      await setHostile(place, leg.recipient, what);
      const { effects, fee } = await by.land([leg]);
      expect(effects).toEqual([{ legId: leg.legId, done: true, moved: leg.amount }]);
      expect(fee - plain.fee < 500_000n).toBe(true);
      expect(await held(leg.recipient, place.jetton)).toBe(leg.amount);
    },
  );

  it.each(['refuses', 'burns'] as const)(
    'of coins to a contract that %s comes back, and what that took is borne by it alone',
    async (what) => {
      const [leg, extra] = [await by.fill({ amount: toNano(1) }), await by.fill()];
      await setHostile(place, leg.recipient, what);
      const [before, theirs] = [await place.balance(filler, NATIVE), await place.balance(leg.recipient, NATIVE)];
      const { effects, fee } = await by.land([leg, extra]);
      expect(effects).toMatchObject([
        { returned: true, done: false, moved: 0n },
        { done: true, moved: extra.amount },
      ]);
      expect(before - (await place.balance(filler, NATIVE))).toBe(extra.amount + fee);
      expect(await place.balance(leg.recipient, NATIVE)).toBe(theirs);
      const plain = await by.land([await by.fill()]);
      expect(fee - (effects[0]?.fee ?? 0n) <= plain.fee).toBe(true);
    },
  );

  it('of a jetton that charges a fee on transfer is for an operator: its recipient has less than it was owed', async () => {
    const leg = await by.fill({ currency: place.keeping.currency, amount: 10_000n });
    const { effects } = await by.land([leg]);
    expect(await held(leg.recipient, place.keeping)).toBe(9_900n);
    expect(effects).toEqual([{ legId: leg.legId, done: false, moved: 0n }]);
  });

  it('whose recipient is informed of nothing is for an operator: its jetton wallet may have kept it', async () => {
    const leg = await by.fill({ currency: hiding.currency, amount: 10_000n });
    const { effects } = await by.land([leg]);
    expect(await held(leg.recipient, hiding)).toBe(1n);
    expect(effects).toEqual([{ legId: leg.legId, done: false, moved: 0n }]);
  });

  it('that a jetton wallet swallows is for an operator, is refunded to no one, and holds up no other', async () => {
    const leg = await by.fill({ currency: swallowing.currency, amount: 10_000n });
    const extra = await by.fill();
    const { effects } = await by.land([leg, extra]);
    expect(effects).toEqual([
      { legId: leg.legId, done: false, moved: 0n },
      { legId: extra.legId, done: true, moved: extra.amount },
    ]);
    await expect(adapter.paidBy(leg, 0)).rejects.toThrow(/may be in flight or missing/);
    expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(false);
    expect(await place.balance(extra.recipient, NATIVE)).toBe(extra.amount);
  });

  it('that has nothing left to come back with is for an operator, and holds up no other', async () => {
    const { currency, walletOf } = place.jetton;
    const leg = await by.fill({ currency, amount: 10_000n });
    await setHostile(place, walletOf(Address.parse(leg.recipient)).toString(), 'burns');
    const before = await held(filler, place.jetton);
    const extra = await by.fill();
    const { effects } = await by.land([leg, extra]);
    // Lost: neither here nor there.
    expect(await held(filler, place.jetton)).toBe(before - 10_000n);
    expect(effects).toMatchObject([{ done: false, moved: 0n }, { done: true }]);
    expect(effects[0]).not.toHaveProperty('returned');
    expect(await place.balance(extra.recipient, NATIVE)).toBe(extra.amount);
  });

  it('does not count as returned by what third parties send: change that is none, and a bounce that is none', async () => {
    const { currency, walletOf } = place.jetton;
    const leg = await by.fill({ currency, amount: 4_000n });
    const theirs = walletOf(Address.parse(leg.recipient));
    const before = await held(filler, place.jetton);
    const { view } = await by.send([leg]);
    const words = { amount: leg.amount, from: Address.parse(leg.recipient), name: leg.orderId };
    const bounce = bounceOf(internalTransfer(words));
    const change = beginCell().storeUint(0xd53276db, 32).storeUint(0, 64).endCell();
    for (const source of [theirs.toRawString(), ownerOf(thief).toRawString()])
      for (const [to, body] of [
        [walletOf(ownerOf(place.fill)), bounce],
        [ownerOf(place.fill), bounce],
        [ownerOf(place.fill), change],
        [ownerOf(place.fill), notice(words)],
      ] as const)
        await place.node.dev('forge', {
          ...{ source, destination: to.toRawString(), amount: ATTACH.toString(), bounce: false },
          body: body.toBoc().toString('base64'),
        });
    await settle();
    expect(await held(leg.recipient, place.jetton)).toBe(leg.amount);
    expect(await held(filler, place.jetton)).toBe(before - leg.amount);
    expect(await by.look(view)).toMatchObject({ state: 'spent', effects: [{ done: true, moved: leg.amount }] });
    expect((await adapter.paidBy(leg, 0))?.moved).toBe(leg.amount);
  });
});

describe('a third party who pays from the masterchain', () => {
  it('is refunded there, and holds up no one else', async () => {
    const source = new Address(-1, randomBytes(32));
    const name = freshName();
    await place.node.dev('forge', {
      ...{ source: source.toRawString(), destination: vault.toRawString(), amount: toNano(3).toString() },
      ...{ bounce: false, body: nameComment(name).toBoc().toString('base64') },
    });
    await settle();
    const { depositor, amount } = await watch.until(name);
    expect(Address.parse(depositor).equals(source)).toBe(true);
    const ids = { legId: freshName(), orderId: name, useKey: freshName(), fundingKey: freshName(), expiration: 0 };
    const leg: RefundLeg = { kind: 'refund', currency: NATIVE, amount, recipient: depositor, ...ids };
    const other = { ...leg, legId: freshName(), recipient: freshAddress(), useKey: freshName(), amount: 10_000_000n };
    const { effects } = await paying(place, adapter, place.vault).land([leg, other]);
    expect(effects).toMatchObject([{ done: true }, { done: true }]);
    expect(await place.client.getBalance(source)).toBe(amount);
  });
});

describe('after all of it', () => {
  it('no one has more of a jetton than was made, and the thief has fewer coins than in the beginning', async () => {
    expect(await place.client.getBalance(ownerOf(thief))).toBeLessThan(toNano(100_000));
    const everybody = [place.fill, place.vault, ...place.users].map((one) => addressOf(one));
    const paid = watch.seen.filter(({ currency }) => currency === place.jetton.currency);
    expect(paid).toEqual([]);
    const sums = await Promise.all(everybody.map((who) => held(who, place.jetton)));
    expect(sums.reduce((sum, one) => sum + one, 0n)).toBeLessThanOrEqual(4n * 10n ** 12n);
  });
});
