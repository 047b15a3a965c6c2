import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type RestFaultProxy, restFaultProxy } from '@causeway/core/testing';
import { Address, toNano } from '@ton/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../src/addresses.js';
import { nameComment } from '../src/comments.js';
import { walletOf } from '../src/jettons.js';
import type { JettonOptions, TonvmChainOptions } from '../src/options.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import {
  type FakeWallets,
  fakeWallets,
  INVENTED_ENDS,
  inventEnd,
  lieAbout,
  optionsOfJetton,
  setHostile,
} from './support/hostile.js';
import { ATTACH, internalTransfer, transferFrom } from './support/jetton-words.js';
import { freshName, paying } from './support/paying.js';
import { sendFrom, type TestWallet } from './support/wallets.js';
import { watching } from './support/watching.js';

/**
 * False jetton wallets' contents are on the chain and every provider confirms them, so a quorum about transfers does
 * not help.
 */
let place: Ground;
let liar: RestFaultProxy;
let other: RestFaultProxy;
let fake: FakeWallets;
let thief: TestWallet;
let usdt: JettonOptions;
const opened: TonvmAdapter[] = [];

const settle = () => place.node.dev('settle');
const refuseMethods = ({ body }: { readonly body: string }) =>
  body.includes('"runGetMethod"')
    ? { status: 500, body: '{"ok":false,"error":"LITE_SERVER_UNKNOWN","code":500}' }
    : 'pass';

async function open(more: Partial<TonvmChainOptions>): Promise<TonvmAdapter> {
  const rpc = [liar, other].map(({ url }) => ({ http: `${url}/api/v2/jsonRPC`, perSecond: 0 }));
  const adapter = await place.adapter('', { rpc, jettons: [usdt], ...more });
  opened.push(adapter);
  return adapter;
}

/** @throws when the jetton is not served in time */
async function served(adapter: TonvmAdapter): Promise<void> {
  for (let n = 0; n < 500 && adapter.legCost('fill', usdt.address) === undefined; n += 1) await delay(20);
  expect(adapter.legCost('fill', usdt.address)).toBeDefined();
}

async function reported(adapter: TonvmAdapter) {
  const [stolen, real] = [freshName(), freshName()];
  const watch = await watching(adapter);
  const to = place.vault.contract.address;
  const owner = thief.contract.address;
  const [, honest = thief] = place.users;
  const paid = { amount: 10n ** 9n, name: stolen };
  await sendFrom(place.client, thief, transferFrom(fake.walletOf(owner), owner, to, paid));
  await settle();
  await sendFrom(place.client, honest, { to, value: toNano(1), bounce: false, body: nameComment(real) });
  await settle();
  await watch.until(real);
  await watch.stop();
  return { stolen: watch.seen.some(({ orderId }) => orderId === stolen), real: true };
}

async function reportsOfCoins(adapter: TonvmAdapter): Promise<void> {
  const name = freshName();
  const watch = await watching(adapter);
  const to = place.vault.contract.address;
  await sendFrom(place.client, thief, { to, value: toNano(1), bounce: false, body: nameComment(name) });
  await settle();
  expect((await watch.until(name)).amount).toBe(toNano(1));
  await watch.stop();
}

beforeAll(async () => {
  place = await ground({ instant: true });
  [thief = place.fill] = place.users;
  liar = await restFaultProxy(place.node.origin);
  other = await restFaultProxy(place.node.origin);
  usdt = optionsOfJetton(place.jetton);
  fake = await fakeWallets(place.jetton.minter, { acceptsAnyWallet: true });
  // Mints in wallets of its own code.
  const owner = thief.contract.address;
  const body = internalTransfer({ amount: 10n ** 15n, from: owner, name: freshName() });
  const to = fake.walletOf(owner);
  await sendFrom(place.client, thief, { to, value: ATTACH, bounce: false, init: fake.initOf(owner), body });
  await settle();
});
afterEach(async () => {
  for (const adapter of opened.splice(0)) await adapter.stop();
  liar.heal();
  other.heal();
});
afterAll(async () => {
  for (const proxy of [liar, other]) await proxy?.close();
  await place?.node.stop();
});

describe('wallets that the first provider made up', () => {
  it('are believed of the only provider: what is to be proven about the others could happen', async () => {
    lieAbout(liar, place.jetton.minter, fake);
    const alone = [{ http: `${liar.url}/api/v2/jsonRPC`, perSecond: 0 }];
    const adapter = await open({ rpc: alone });
    expect(await reported(adapter)).toEqual({ stolen: true, real: true });
  });

  it('are not believed where a second one says otherwise: nothing in that jetton is served', async () => {
    lieAbout(liar, place.jetton.minter, fake);
    const adapter = await open({});
    expect(adapter.status().healthy).toBe(true);
    expect(place.alerts()).toEqual([expect.stringContaining('different answers')]);
    expect(adapter.legCost('fill', usdt.address)).toBeUndefined();
    expect(() =>
      adapter.depositSteps({ payer: addressOf(thief), currency: usdt.address, amount: 1n, orderId: freshName() }),
    ).toThrow();
    expect(await reported(adapter)).toEqual({ stolen: false, real: true });
    liar.heal();
    await served(adapter);
    expect(place.alerts()).toEqual([]);
    expect(await reported(adapter)).toEqual({ stolen: false, real: true });
  });

  it('are not believed where the others are kept from answering and a quorum is asked for', async () => {
    lieAbout(liar, place.jetton.minter, fake);
    other.plan = () => 'dropBefore';
    const adapter = await open({ quorum: { aboveUsd: 1_000_000, providers: 2 } });
    expect(place.alerts()).toContainEqual(expect.stringContaining('1 of 2 providers'));
    expect(await reported(adapter)).toEqual({ stolen: false, real: true });
  });

  it('are not believed where the operator says what code they have; one that reports the same is enough', async () => {
    lieAbout(liar, place.jetton.minter, fake);
    const walletCode = place.jetton.walletCode.hash().toString('hex');
    const adapter = await open({ jettons: [{ ...usdt, walletCode }] });
    await served(adapter);
    expect(await reported(adapter)).toEqual({ stolen: false, real: true });
    const wrong = await open({ jettons: [{ ...usdt, walletCode: randomBytes(32).toString('hex') }] });
    expect(wrong.legCost('fill', usdt.address)).toBeUndefined();
    expect(place.alerts()).toEqual([expect.stringContaining('walletCode')]);
  });

  it('are not believed where the code is right and the places are not: no one is asked to pay there', async () => {
    const { minter, walletCode: code } = place.jetton;
    const elsewhere = { minter: minter.toRawString(), walletCode: code, layout: 'governed' } as const;
    const walletOfOther = (owner: Address) => Address.parse(walletOf(elsewhere, owner.toRawString()));
    lieAbout(liar, minter, { ...fake, code, walletOf: walletOfOther });
    const adapter = await open({ jettons: [{ ...usdt, walletCode: code.hash().toString('hex') }] });
    expect(adapter.legCost('fill', usdt.address)).toBeUndefined();
    liar.heal();
    await served(adapter);
    expect(await reported(adapter)).toEqual({ stolen: false, real: true });
  });
});

describe('the end of a payment that the first provider made up', () => {
  const both = { quorum: { aboveUsd: 1_000_000, providers: 2 } };

  async function paid(adapter: TonvmAdapter, end: (typeof INVENTED_ENDS)[number]) {
    const by = paying(place, adapter);
    const wallet = place.fill.contract.address;
    const last = async () => (await place.client.getTransactions(wallet, { limit: 1 }))[0];
    const before = await last();
    const leg = await by.fill({ recipient: addressOf(thief) });
    const { view } = await by.send([leg]);
    await settle();
    const order = (await last())?.raw.toBoc().toString('base64') ?? '';
    const named = { lt: before?.lt.toString(), hash: before?.hash().toString('base64') };
    inventEnd(liar, end, wallet.toRawString(), { before: named, order });
    return { leg, view };
  }

  it.each(INVENTED_ENDS)('(it %s) pays no one twice where a second one contradicts', async (end) => {
    const adapter = await open(both);
    const { leg, view } = await paid(adapter, end);
    // The true end may have been read before the invented one was in place.
    await expect.poll(async () => (await adapter.look([view]))[0]?.state).toBe('unknown');
    await expect(adapter.unfilledForGood(leg.orderId, 0, 0)).rejects.toThrow(/contradict/);
    await expect(adapter.paidBy(leg, 0)).rejects.toThrow(/contradict/);
    expect(place.alerts()).toContainEqual(expect.stringContaining('contradict'));
    liar.heal();
    expect((await adapter.look([view]))[0]).toMatchObject({ state: 'spent', ok: true, effects: [{ done: true }] });
    expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(false);
    expect((await adapter.paidBy(leg, 0))?.moved).toBe(leg.amount);
  });

  it.each(INVENTED_ENDS)('(it %s) is believed where no quorum is configured', async (end) => {
    const adapter = await open({});
    const { leg } = await paid(adapter, end);
    expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(true);
    expect(await adapter.paidBy(leg, 0)).toBeUndefined();
  });

  it('is distinguished from a real one, which waits until a second one says the same', async () => {
    const adapter = await open(both);
    const by = paying(place, adapter);
    const leg = await by.fill();
    await setHostile(place, leg.recipient, 'refuses');
    const { view } = await by.send([leg]);
    await settle();
    other.plan = () => 'dropBefore';
    expect(await by.look(view)).toMatchObject({ state: 'unknown', why: expect.stringContaining('1 of 2') });
    await expect(adapter.unfilledForGood(leg.orderId, 0, 0)).rejects.toThrow(/1 of 2/);
    other.heal();
    for (let n = 0; n < 500 && (await by.look(view))?.state !== 'spent'; n += 1) await delay(20);
    expect(await by.look(view)).toMatchObject({ state: 'spent', effects: [{ done: false, returned: true }] });
    expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(true);
    expect(place.alerts()).toEqual([]);
  });
});

describe('a minter that does not report', () => {
  it('holds up no other jetton', async () => {
    const dead = { ...usdt, symbol: 'DEAD', address: textOf(new Address(0, randomBytes(32))) };
    const adapter = await open({ jettons: [dead, usdt] });
    expect(adapter.legCost('fill', usdt.address)?.native).toBeGreaterThan(0n);
    expect(adapter.legCost('fill', dead.address)).toBeUndefined();
    expect(adapter.status()).toMatchObject({ healthy: true, reason: null });
    expect(place.alerts()).toEqual([expect.stringContaining(dead.address)]);
  });
});

describe('a restart without get methods', () => {
  it('calls no payment in a jetton unpaid, left out or returned, and all of it is known again afterwards', async () => {
    const before = await open({});
    const by = paying(place, before);
    const leg = await by.fill({ currency: usdt.address, amount: 9_000n });
    const { view } = await by.land([leg]);
    liar.plan = refuseMethods;
    other.plan = refuseMethods;
    const after = await open({});
    expect((await after.look([view]))[0]).toMatchObject({ state: 'unknown' });
    await expect(after.paidBy(leg, 0)).rejects.toThrow(/nothing is known of the jetton/);
    await expect(after.unfilledForGood(leg.orderId, 0, 0)).rejects.toThrow(/nothing is known of the jetton/);
    expect(await after.keys.spenderOf(view.key, view.signer)).toBeUndefined();
    expect(await after.paidBy({ ...leg, orderId: freshName() }, 0)).toBeUndefined();
    liar.heal();
    other.heal();
    await served(after);
    expect((await after.look([view]))[0]).toMatchObject({ state: 'spent', effects: [{ done: true }] });
    expect((await after.paidBy(leg, 0))?.moved).toBe(leg.amount);
  });
});

describe('a provider whose answers cannot be read', () => {
  it.each(['null', '7', '[]', '{}', '{"exit_code":0}', '{"exit_code":0,"stack":[[]]}', '"words"'])(
    'ends nothing with %s: a jetton is served as soon as another one reports',
    async (result) => {
      const nonsense = () => ({ status: 200, body: `{"ok":true,"result":${result}}` });
      liar.plan = nonsense;
      other.plan = nonsense;
      const adapter = await open({});
      expect(adapter.legCost('fill', usdt.address)).toBeUndefined();
      other.heal();
      await served(adapter);
    },
  );

  it('that refuses what always has an answer is left for another one', async () => {
    const adapter = await open({});
    await served(adapter);
    liar.plan = ({ body }) =>
      /"(getAddressInformation|getBlockHeader|lookupBlock)"/.test(body)
        ? { status: 500, body: '{"ok":false,"error":"internal error","code":500}' }
        : 'pass';
    await reportsOfCoins(adapter);
  });

  it('is left for another one: deposits are reported, and orders are known', async () => {
    const adapter = await open({});
    const by = paying(place, adapter);
    const { view } = await by.land([await by.fill()]);
    for (const garbage of ['nonsense', 'te6cckEBAQEAAgAAAEysuc0=']) {
      liar.plan = ({ body }) =>
        /"(getTransactions|tryLocateResultTx)"/.test(body)
          ? {
              rewrite: ({ status, body: text }) => ({
                status,
                body: text.replace(/"data":"[^"]+"/g, `"data":"${garbage}"`),
              }),
            }
          : 'pass';
      await reportsOfCoins(adapter);
      expect((await adapter.look([view]))[0]?.state).toBe('spent');
      expect((await by.land([await by.fill()])).effects).toMatchObject([{ done: true }]);
    }
  });
});
