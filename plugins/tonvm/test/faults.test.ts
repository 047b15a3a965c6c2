import { setTimeout as delay } from 'node:timers/promises';
import type { FillLeg, RefundLeg } from '@causeway/core';
import { type RestFaultProxy, restFaultProxy } from '@causeway/core/testing';
import { Address, Cell, internal, toNano } from '@ton/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { nameComment } from '../src/comments.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { optionsOfJetton } from './support/hostile.js';
import { freshName, paying } from './support/paying.js';
import { sendFrom, signed } from './support/wallets.js';
import { watching } from './support/watching.js';

/** Faults without malice, at network prices. */
let place: Ground;
let proxy: RestFaultProxy;
let adapter: TonvmAdapter;
let filler: string;
const opened: TonvmAdapter[] = [];

const LIFE_MS = 70_000;
const BLOCKS_LATE = 10;
const YEAR_MS = 365 * 86_400_000;

const settle = () => place.node.dev('settle');
const later = async (ms: number) => {
  await place.node.dev('time', { to: (await place.node.head()).timestamp + ms });
  await settle();
};
const open = async (...urls: string[]): Promise<TonvmAdapter> => {
  const rpc = urls.map((http) => ({ http, perSecond: 0 }));
  const one = await place.adapter('', { rpc });
  opened.push(one);
  return one;
};
const warm = async (one: TonvmAdapter) => {
  const { height } = await place.node.head();
  for (let n = 0; n < 300 && (one.status().head?.value ?? 0) < height; n += 1) await delay(20);
};

async function signedBy(one: TonvmAdapter, legs: readonly FillLeg[]) {
  await warm(one);
  const lane = { signer: filler, position: await one.keys.lanePosition(filler) };
  const made = await one.prepare({ lane, legs: legs.map((leg) => ({ leg, plan: '{}' })) });
  if (!made.ok) throw new Error(made.message);
  const transaction = await one.sign(made.prepared, filler);
  const view = { key: made.prepared.key, signer: filler, attempts: [{ hash: transaction.hash, legs }] };
  return { transaction, view, prepared: made.prepared };
}

beforeAll(async () => {
  place = await ground({ instant: true });
  proxy = await restFaultProxy(place.node.origin);
  filler = addressOf(place.fill);
  adapter = await open(`${proxy.url}/api/v2/jsonRPC`);
});
afterEach(async () => {
  proxy.heal();
  for (const one of opened.splice(1)) await one.stop();
  await warm(adapter);
});
afterAll(async () => {
  for (const one of opened) await one.stop();
  await proxy?.close();
  await place?.node.stop();
});

describe('an external message', () => {
  it('that was accepted and never carried out leaves its number free, and pays once under it', async () => {
    const leg = await paying(place, adapter).fill();
    const { transaction, view, prepared } = await signedBy(adapter, [leg]);
    proxy.plan = ({ body }) =>
      body.includes('"sendBoc"') ? { status: 200, body: '{"ok":true,"result":{"@type":"ok"}}' } : 'pass';
    expect(await adapter.send(transaction)).toMatchObject({ outcome: 'accepted' });
    proxy.heal();
    await settle();
    expect((await adapter.look([view]))[0]).toEqual({ state: 'unspent', inPool: false });
    await later(LIFE_MS);
    await warm(adapter);
    // Expired: refused, and uses no seqno.
    expect(await adapter.send(transaction)).toMatchObject({ outcome: 'rejected' });
    const again = await adapter.replace({
      ...{ key: view.key, signer: filler, previousFees: prepared.fees, legs: [{ leg, plan: '{}' }] },
    });
    if (!again.ok) throw new Error(again.message);
    const second = await adapter.sign(again.prepared, filler);
    expect(await adapter.send(second)).toMatchObject({ outcome: 'accepted' });
    await settle();
    const attempts = [...view.attempts, { hash: second.hash, legs: [leg] }];
    expect((await adapter.look([{ ...view, attempts }]))[0]).toMatchObject({ state: 'spent', hash: second.hash });
    expect(await adapter.send(transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    expect(await place.balance(leg.recipient, NATIVE)).toBe(leg.amount);
  });

  it('that ran out while the node lags is not called dead by it, nor its order unfilled', async () => {
    const leg = await paying(place, adapter).fill();
    const { transaction, view } = await signedBy(adapter, [leg]);
    const lagging = await open(place.node.behind(3));
    const deadline = Math.floor((await place.node.head()).timestamp / 1_000) + LIFE_MS / 2_000;
    expect(await adapter.send(transaction)).toMatchObject({ outcome: 'accepted' });
    await later(LIFE_MS);
    expect((await lagging.look([view]))[0]).not.toMatchObject({ state: 'spentByOther' });
    expect(await lagging.unfilledForGood(leg.orderId, deadline, 0).catch(() => false)).toBe(false);
    await place.node.dev('mine', { blocks: 4 });
    expect((await adapter.look([view]))[0]).toMatchObject({ state: 'spent', effects: [{ done: true }] });
    expect(await adapter.unfilledForGood(leg.orderId, deadline, 0)).toBe(false);
  });

  it('that two endpoints are sent is in one block, and pays once', async () => {
    const twice = await open(`${proxy.url}/api/v2/jsonRPC`, place.node.url);
    const leg = await paying(place, twice).fill();
    const { transaction, view } = await signedBy(twice, [leg]);
    const outcomes = await Promise.all([twice.send(transaction), adapter.send(transaction), twice.send(transaction)]);
    for (const { outcome } of outcomes) expect(['accepted', 'known']).toContain(outcome);
    await settle();
    expect((await twice.look([view]))[0]).toMatchObject({ state: 'spent', effects: [{ done: true }] });
    expect(await place.balance(leg.recipient, NATIVE)).toBe(leg.amount);
  });

  it('whose number another process with the same key took is spent by another, the payer is reported, and no one is paid twice', async () => {
    const twin = await open(place.node.url);
    const leg = await paying(place, adapter).fill();
    const [mine, theirs] = [
      await signedBy(adapter, [leg]),
      await signedBy(twin, [leg, await paying(place, twin).fill()]),
    ];
    expect(mine.view.key).toBe(theirs.view.key);
    expect(await twin.send(theirs.transaction)).toMatchObject({ outcome: 'accepted' });
    expect(await adapter.send(mine.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    await settle();
    expect((await adapter.look([mine.view]))[0]).toEqual({ state: 'spentByOther', final: true });
    const spender = await adapter.keys.spenderOf(mine.view.key, filler);
    expect(spender).toMatchObject({ hash: theirs.transaction.hash, final: true });
    expect(spender?.filled).toContain(leg.orderId);
    expect((await adapter.paidBy(leg, 0))?.moved).toBe(leg.amount);
    expect(await place.balance(leg.recipient, NATIVE)).toBe(leg.amount);
  });
});

describe('an old database', () => {
  it('finds its numbers taken, and by what each: a restored ledger pays no one again', async () => {
    const by = paying(place, adapter);
    const before = await adapter.keys.lanePosition(filler);
    const legs = [await by.fill(), await by.fill()] as const;
    for (const leg of legs) await by.land([leg]);
    const again = await open(place.node.url);
    const now = await again.keys.lanePosition(filler);
    expect(again.keys.positionAhead(now, before)).toBe(true);
    const keys = again.keys.keysBetween(filler, before, now);
    expect(keys).toHaveLength(2);
    const spenders = await Promise.all(keys.map((key) => again.keys.spenderOf(key, filler)));
    expect(spenders.map((one) => one?.filled)).toEqual(legs.map(({ orderId }) => [orderId]));
    await warm(again);
    // The old seqno is refused by every node.
    const made = await again.prepare({
      lane: { signer: filler, position: before },
      legs: [{ leg: legs[0], plan: '{}' }],
    });
    if (!made.ok) throw new Error(made.message);
    const { outcome } = await again.send(await again.sign(made.prepared, filler));
    // `known`: the same bytes, signed within one second.
    expect(['rejected', 'known']).toContain(outcome);
    await settle();
    expect(await place.balance(legs[0].recipient, NATIVE)).toBe(legs[0].amount);
  });
});

describe('a batch', () => {
  it('whose third payment cannot be made makes the others, and says of the third that it was left out', async () => {
    const by = paying(place, adapter);
    const large = (await place.balance(filler, NATIVE)) - toNano(2);
    const legs = [await by.fill(), await by.fill(), await by.fill({ amount: large }), await by.fill()];
    const { effects } = await by.land(legs);
    expect(effects.map(({ done }) => done)).toEqual([true, true, false, true]);
    expect(effects[2]).toMatchObject({ returned: true, moved: 0n });
    for (const [n, leg] of legs.entries())
      expect(await place.balance(leg.recipient, NATIVE)).toBe(n === 2 ? 0n : leg.amount);
  });
});

describe('payments that together may cost more than the wallet has', () => {
  it('are sent while it has enough: none is blocked by those behind it', async () => {
    const attach = String((await place.balance(filler, NATIVE)) / 2n);
    const rpc = [{ http: place.node.url, perSecond: 0 }];
    const one = await place.adapter('', { rpc, jettons: [{ ...optionsOfJetton(place.jetton), attach }] });
    opened.push(one);
    const by = paying(place, one);
    const { currency } = place.jetton;
    const legs = [await by.fill(), await by.fill({ currency }), await by.fill({ currency }), await by.fill()];
    await warm(one);
    const lane = { signer: filler, position: await one.keys.lanePosition(filler) };
    const made = await one.prepare({ lane, legs: legs.map((leg) => ({ leg, plan: '{}' })) });
    expect(made).toMatchObject({ ok: true, prepared: { carries: 2 } });
  });
});

describe('a message that arrives ten blocks later', () => {
  it('is waited for: what it pays is neither done nor open to be paid again before', async () => {
    const by = paying(place, adapter);
    const leg = await by.fill({ currency: place.jetton.currency, amount: 3_000n });
    const { view } = await by.send([leg]);
    await settle();
    // The provider shows the wallet's order at once, and what it started ten blocks late.
    proxy.plan = ({ body }) =>
      body.includes('"tryLocateResultTx"') ? { ask: `/behind/${BLOCKS_LATE}/api/v2/jsonRPC` } : 'pass';
    for (let n = 0; n < BLOCKS_LATE - 1; n += 3) {
      expect(await by.look(view)).toEqual({ state: 'unspent', inPool: true });
      await expect(adapter.paidBy(leg, 0)).rejects.toThrow(/in flight/);
      expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(false);
      await place.node.dev('mine');
    }
    await place.node.dev('mine', { blocks: BLOCKS_LATE });
    expect(await by.look(view)).toMatchObject({ state: 'spent', effects: [{ done: true, moved: 3_000n }] });
  });
});

describe('a message that no node finds, as in a crowd', () => {
  it('is found in the past of any client that took it: what it paid is done', async () => {
    const by = paying(place, adapter);
    const legs = [await by.fill({ currency: place.jetton.currency, amount: 3_000n }), await by.fill()];
    await place.node.dev('late', { blocks: 3 });
    const { view } = await by.send(legs);
    await settle();
    await place.node.dev('late', { blocks: 0 });
    expect(await by.look(view)).toEqual({ state: 'unspent', inPool: true });
    await later(LIFE_MS);
    await warm(adapter);
    expect(await by.look(view)).toMatchObject({ state: 'spent', effects: [{ done: true }, { done: true }] });
    for (const leg of legs) expect(await place.balance(leg.recipient, leg.currency)).toBe(leg.amount);
  });

  it('proves who paid all the same', async () => {
    const watch = await watching(adapter);
    const name = freshName();
    const [user = place.fill] = place.users;
    const to = Address.parse(addressOf(place.vault));
    await sendFrom(place.client, user, { to, value: toNano(1), bounce: false, body: nameComment(name) });
    await settle();
    const { transactionHash, depositor } = await watch.until(name);
    await watch.stop();
    proxy.plan = ({ body }) =>
      body.includes('"tryLocate')
        ? { status: 404, body: '{"ok":false,"error":"message not found","code":404}' }
        : 'pass';
    expect(await adapter.paidAlone?.({ transactionHash, depositor })).toBe(true);
  });
});

describe('accounts that owe for being kept', () => {
  it('our own jetton wallet pays what it owes out of what is attached, or gives back all of it', async () => {
    const { currency, walletOf } = place.jetton;
    const wallet = walletOf(place.fill.contract.address);
    const by = paying(place, adapter);
    const owned = async () => {
      const { data } = await place.client.getContractState(wallet);
      return data === null ? undefined : Cell.fromBoc(data)[0]?.beginParse().loadCoins();
    };
    for (const years of [10, 0]) {
      const before = (await owned()) ?? 0n;
      const coins = await place.balance(filler, NATIVE);
      const leg = await by.fill({ currency, amount: 2_000n });
      const { effects, fee } = await by.land([leg]);
      const [effect] = effects;
      const { state } = await place.client.getContractState(wallet);
      const isFrozen = state === 'frozen';
      if (effect?.done) expect(await owned()).toBe(before - 2_000n);
      else expect(effect).toMatchObject({ returned: true, moved: 0n });
      if (effect?.done !== true && !isFrozen) expect(await owned()).toBe(before);
      expect(coins - (await place.balance(filler, NATIVE))).toBe(fee);
      if (years > 0) await later(years * YEAR_MS);
    }
  });

  it('a recipient that was frozen for it is paid, and costs no more; a payer that was has paid nothing', async () => {
    const by = paying(place, adapter);
    const [, , poor = place.vault] = place.users;
    const to = poor.contract.address;
    // Sends its whole balance.
    const seqno = await place.client.open(poor.contract).getSeqno();
    const { timestampt } = await place.client.getContractState(to);
    const all = internal({ to: place.fill.contract.address, value: 0n, bounce: false });
    const cell = signed(poor, { seqno, messages: [all], validUntil: timestampt + 60, mode: 128 });
    await place.client.sendFile(cell.toBoc());
    await settle();
    await later(40 * YEAR_MS);
    // A message charges its storage debt or freezes it.
    await place.node.fund(to, 1n);
    expect((await place.client.getContractState(to)).state).toBe('frozen');
    const leg = await by.fill({ recipient: addressOf(poor), amount: toNano(1) });
    const { effects, fee, maxFee } = await by.land([leg]);
    expect(effects).toMatchObject([{ done: true, moved: leg.amount }]);
    expect(fee <= maxFee || fee < toNano(1)).toBe(true);
    await expect(
      sendFrom(place.client, poor, { to: place.vault.contract.address, value: 1n, bounce: false }),
    ).rejects.toThrow();
  });

  it('a depository that was frozen is said to see nothing, and no one is asked to pay it', async () => {
    const { data, code } = await place.client.getContractState(place.vault.contract.address);
    expect(data !== null && code !== null).toBe(true);
    const balance = await place.client.getBalance(place.vault.contract.address);
    const refund: RefundLeg = {
      ...{ kind: 'refund', legId: freshName(), orderId: freshName(), useKey: freshName(), fundingKey: freshName() },
      ...{ currency: NATIVE, amount: toNano(1), recipient: addressOf(place.users[0] ?? place.fill), expiration: 0 },
    };
    expect(balance > refund.amount).toBe(true);
    const seqno = await place.client.open(place.vault.contract).getSeqno();
    const { timestampt } = await place.client.getContractState(place.vault.contract.address);
    const all = internal({ to: place.fill.contract.address, value: 0n, bounce: false });
    const cell = signed(place.vault, { seqno, messages: [all], validUntil: timestampt + 60, mode: 128 });
    await place.client.sendFile(cell.toBoc());
    await settle();
    await later(20 * YEAR_MS);
    await place.node.fund(place.vault.contract.address, 1n);
    expect((await place.client.getContractState(place.vault.contract.address)).state).toBe('frozen');
    for (let n = 0; n < 200 && adapter.status().healthy; n += 1) await delay(20);
    expect(adapter.status()).toMatchObject({ healthy: false, reason: expect.stringContaining('has no code') });
    expect(await adapter.check(refund, addressOf(place.vault))).toMatchObject({ ok: false, kind: 'unavailable' });
  });
});

describe('a facade whose history was cut', () => {
  it('says nothing of what it forgot, and reports what comes', async () => {
    const cut = await ground({ instant: true });
    const one = await cut.adapter(cut.node.url);
    try {
      const by = paying(cut, one);
      const leg = await by.fill();
      const { view } = await by.land([leg]);
      await cut.node.dev('mine');
      await cut.node.dev('prune', { below: (await cut.node.head()).height });
      const again = await cut.adapter(cut.node.url);
      try {
        const [evidence] = await again.look([view]);
        expect(evidence?.state).toBe('unknown');
        await expect(again.paidBy(leg, 0)).rejects.toThrow();
        await expect(again.unfilledForGood(leg.orderId, 0, 0)).rejects.toThrow();
        const watch = await watching(again);
        const name = freshName();
        const [user = cut.fill] = cut.users;
        const to = Address.parse(addressOf(cut.vault));
        await sendFrom(cut.client, user, { to, value: toNano(1), bounce: false, body: nameComment(name) });
        await cut.node.dev('settle');
        expect((await watch.until(name)).amount).toBe(toNano(1));
        await watch.stop();
      } finally {
        await again.stop();
      }
    } finally {
      await one.stop();
      await cut.node.stop();
    }
  });
});
