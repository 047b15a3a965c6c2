import { type CollectLeg, type FillLeg, laneThatSends, type Prepared, type SignedTransaction } from '@causeway/core';
import { toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, textOf } from '../src/addresses.js';
import { nameComment } from '../src/comments.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { freshName, type Paying, paying } from './support/paying.js';
import { sendFrom, testWallet } from './support/wallets.js';
import { watching } from './support/watching.js';

const NEW = testWallet('new filler');

let place: Ground;
let before: TonvmAdapter;
let after: TonvmAdapter;
let former: string;
let by: Paying;

interface Open {
  readonly leg: FillLeg;
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

beforeAll(async () => {
  place = await ground({ instant: true });
  former = addressOf(place.fill);
  before = await place.adapter(place.node.url);
  await place.node.dev('faucet', { address: NEW.contract.address.toRawString(), amount: toNano(1_000).toString() });
  await settle();
  await sendFrom(place.client, NEW);
  await settle();
});
afterAll(async () => {
  await Promise.all([before?.stop(), after?.stop()]);
  await place?.node.stop();
});

const settle = () => place.node.dev('settle');

async function signed(adapter: TonvmAdapter, leg: FillLeg): Promise<Open> {
  const check = await adapter.check(leg, former);
  if (!check.ok) throw new Error(check.message);
  const lane = { signer: former, position: await adapter.keys.lanePosition(former) };
  const made = await adapter.prepare({ lane, legs: [{ leg, plan: check.plan }] });
  if (!made.ok) throw new Error(made.message);
  return { leg, prepared: made.prepared, transaction: await adapter.sign(made.prepared, former) };
}

const viewOf = ({ leg, prepared }: Open, ...sent: readonly SignedTransaction[]) => ({
  ...{ key: prepared.key, signer: former },
  attempts: sent.map(({ hash }) => ({ hash, legs: [leg] })),
});

describe('a fill wallet that was replaced', () => {
  it('has a lane of its own, which gets nothing new, and is no recipient of fills', async () => {
    const stuck = await signed(before, await paying(place, before).fill());
    after = await place.adapter(place.node.url, {}, undefined, NEW);
    by = paying(place, after);
    expect(after.lanes.at(-1)).toEqual({ signer: former, sends: ['fill'], former: true });
    expect(laneThatSends(after.lanes, 'fill')?.signer).toBe(addressOf(NEW));
    expect(after.laneBalance(former, NATIVE)?.value).toBe(await place.balance(former, NATIVE));
    const { currency, walletOf } = place.jetton;
    expect(after.laneBalance(former, currency)?.value).toBe(await place.balance(former, currency));
    for (const recipient of [former, textOf(walletOf(place.fill.contract.address)), addressOf(NEW)])
      expect(after.refuseFill({ currency: NATIVE, amount: toNano(1), recipient })).toMatchObject({ why: 'recipient' });

    // The bytes from before the change.
    expect(await after.send(stuck.transaction)).toEqual({ outcome: 'accepted' });
    await settle();
    const [evidence] = await after.look([viewOf(stuck, stuck.transaction)]);
    expect(evidence).toMatchObject({
      ...{ state: 'spent', ok: true, hash: stuck.transaction.hash, feePaidBy: { pot: 'lane', owner: former } },
      effects: [{ done: true, moved: stuck.leg.amount }],
    });
    expect(await after.paidBy(stuck.leg, 0)).toMatchObject({ sender: former, moved: stuck.leg.amount });
    expect(await place.balance(stuck.leg.recipient, NATIVE)).toBe(stuck.leg.amount);
  });

  it('replaces what expired under the same key, and only one of the two is paid', async () => {
    const first = await signed(after, await by.fill());
    const { timestamp } = await place.node.head();
    await place.node.dev('time', { to: timestamp + 120_000 });
    await settle();
    const { key, fees } = first.prepared;
    const plan = await after.check(first.leg, former);
    if (!plan.ok) throw new Error(plan.message);
    const legs = [{ leg: first.leg, plan: plan.plan }];
    const made = await after.replace({ key, signer: former, previousFees: fees, legs });
    if (!made.ok) throw new Error(made.message);
    expect(made.prepared.key).toBe(key);
    const second = await after.sign(made.prepared, former);
    await after.send(second);
    await settle();
    expect((await after.send(first.transaction)).outcome).not.toBe('accepted');
    await settle();
    expect((await after.look([viewOf(first, first.transaction, second)]))[0]).toMatchObject({ hash: second.hash });
    expect(await place.balance(first.leg.recipient, NATIVE)).toBe(first.leg.amount);
  });

  it('signs what it was given out of its own coins and jettons, and the new one its own', async () => {
    const { currency } = place.jetton;
    const untouched = await place.balance(addressOf(NEW), NATIVE);
    const legs = [await by.fill(), await by.fill({ currency, amount: 5_000n })];
    const held = await place.balance(former, currency);
    const { effects } = await by.land(legs);
    expect(effects.map(({ done }) => done)).toEqual([true, true]);
    expect(await place.balance(former, currency)).toBe(held - 5_000n);
    expect(await place.balance(addressOf(NEW), NATIVE)).toBe(untouched);
    for (const leg of legs) expect((await after.paidBy(leg, 0))?.sender).toBe(former);

    const fresh = paying(place, after, NEW);
    const leg = await fresh.fill();
    expect((await fresh.land([leg])).feePaidBy.owner).toBe(addressOf(NEW));
    expect((await after.paidBy(leg, 0))?.sender).toBe(addressOf(NEW));
    await expect(paying(place, before, NEW).send([await fresh.fill()])).rejects.toThrow(/no lane/);
  });

  it('gets what was to be collected for it, and pays the depository no deposit', async () => {
    const [watch, vault] = [await watching(after), paying(place, after, place.vault)];
    const leg: CollectLeg = {
      ...{ kind: 'collect', legId: freshName(), useKey: freshName(), currency: NATIVE, amount: toNano(1) },
      ...{ recipient: former, expiration: Math.ceil((await place.node.head()).timestamp / 1_000) + 600 },
    };
    const { effects } = await vault.land([leg]);
    expect(effects).toMatchObject([{ done: true, moved: leg.amount }]);
    const to = place.vault.contract.address;
    const [user = place.fill] = place.users;
    const [own, orderId] = [freshName(), freshName()];
    await sendFrom(place.client, place.fill, { to, value: toNano(3), bounce: false, body: nameComment(own) });
    await sendFrom(place.client, user, { to, value: toNano(2), bounce: false, body: nameComment(orderId) });
    await settle();
    await watch.until(orderId);
    expect(watch.seen.map((one) => one.orderId)).toEqual([orderId]);
    await watch.stop();
  });

  it('has filled what its history names: only what neither filled is permanently unfilled', async () => {
    const paid = await by.fill();
    await by.land([paid]);
    expect(await after.unfilledForGood(paid.orderId, 0, 0)).toBe(false);
    expect(await after.unfilledForGood(freshName(), 0, 0)).toBe(true);
  });
});
