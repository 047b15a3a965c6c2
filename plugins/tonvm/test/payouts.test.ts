import { setTimeout as delay } from 'node:timers/promises';
import type { DepositObservation, FillLeg } from '@causeway/core';
import { Address, beginCell, Cell, toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, textOf } from '../src/addresses.js';
import { localJetton } from '../src/devnet/jettons.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { freshAddress, freshName, type Paying, paying } from './support/paying.js';
import { sendFrom } from './support/wallets.js';

let place: Ground;
let adapter: TonvmAdapter;
let filler: string;
let by: Paying;

beforeAll(async () => {
  place = await ground({ instant: true });
  adapter = await place.adapter(place.node.url);
  filler = addressOf(place.fill);
  by = paying(place, adapter);
});
afterAll(async () => {
  await adapter?.stop();
  await place?.node.stop();
});

const settle = () => place.node.dev('settle');

describe('coins', () => {
  it('reach whom they name in whole, and cost the lane their fee on top', async () => {
    const leg = await by.fill();
    const before = await place.balance(filler, NATIVE);
    const { fee, effects, maxFee } = await by.land([leg]);
    expect(effects).toEqual([{ legId: leg.legId, done: true, moved: leg.amount }]);
    expect(fee <= maxFee).toBe(true);
    expect(await place.balance(leg.recipient, NATIVE)).toBe(leg.amount);
    expect(before - (await place.balance(filler, NATIVE))).toBe(leg.amount + fee);
    expect(fee > 0n && fee <= (adapter.legCost('fill', NATIVE)?.native ?? 0n)).toBe(true);
  });

  it('and their fee has what the wallet paid for being kept since its last order, which anyone can make it pay', async () => {
    await by.land([await by.fill()]);
    const before = await place.balance(filler, NATIVE);
    const { timestamp } = await place.node.head();
    await place.node.dev('time', { to: timestamp + 86_400_000 });
    await settle();
    const [user = place.fill] = place.users;
    await sendFrom(place.client, user, { to: Address.parse(filler), value: 1n, bounce: false });
    await settle();
    const kept = before - (await place.balance(filler, NATIVE));
    expect(kept > 0n).toBe(true);
    const leg = await by.fill();
    const { fee } = await by.land([leg]);
    expect(fee > kept).toBe(true);
    expect(before - (await place.balance(filler, NATIVE))).toBe(leg.amount + fee);
  });

  it('are not said to be there before what they started is in a block', async () => {
    const leg = await by.fill();
    const { view } = await by.send([leg]);
    expect(await by.look(view)).toEqual({ state: 'unspent', inPool: true });
    await settle();
    expect((await by.look(view))?.state).toBe('spent');
  });

  it('that a batch could not pay for come back to the books, and the others are paid', async () => {
    const held = await place.balance(filler, NATIVE);
    const large = [await by.fill({ amount: (held * 6n) / 10n }), await by.fill({ amount: (held * 6n) / 10n })];
    const small = await by.fill();
    const { ok, effects } = await by.land([...large, small]);
    expect(ok).toBe(true);
    expect(effects.map(({ done }) => done)).toEqual([true, false, true]);
    expect(effects[1]).toMatchObject({
      ...{ returned: true, moved: 0n },
      failure: { reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE' },
    });
    expect(await place.balance(large[1]?.recipient ?? '', NATIVE)).toBe(0n);
    expect(await place.balance(small.recipient, NATIVE)).toBe(small.amount);
    expect(await adapter.paidBy(large[1] as FillLeg, 0)).toBeUndefined();
    expect((await adapter.paidBy(small, 0))?.moved).toBe(small.amount);
  });

  it('are refused where they are so few that being kept would eat them', async () => {
    const leg = await by.fill({ amount: 999_999n });
    expect(await adapter.check(leg, filler)).toMatchObject({ ok: false, kind: 'refused', least: 1_000_000n });
    expect(adapter.refuseFill(leg)).toMatchObject({ why: 'amount', least: 1_000_000n });
  });
});

async function refuser(): Promise<string> {
  const address = Address.parse(freshAddress());
  const [code, data] = [beginCell().storeUint(0xf221, 16).endCell(), new Cell()];
  const [amount, raw] = [toNano(1).toString(), address.toRawString()];
  const boc = (cell: Cell) => cell.toBoc().toString('base64');
  await place.node.dev('set', { address: raw, amount, code: boc(code), data: boc(data) });
  return textOf(address);
}

describe('coins for an account with code', () => {
  it('stay with a wallet, and come back from an account that refuses them, which bears what that took', async () => {
    const [user = place.fill] = place.users;
    const recipient = await refuser();
    const [theirs, ours] = [await place.balance(recipient, NATIVE), await place.balance(filler, NATIVE)];
    const [good, bad, fresh] = [
      await by.fill({ recipient: addressOf(user) }),
      await by.fill({ recipient }),
      await by.fill(),
    ];
    const { ok, effects, fee } = await by.land([good, bad, fresh]);
    expect(ok).toBe(true);
    expect(effects.map(({ done }) => done)).toEqual([true, false, true]);
    expect(effects[1]).toMatchObject({ returned: true, moved: 0n, failure: { reason: 'TRANSFER_FAILED' } });
    const part = effects[1]?.fee ?? 0n;
    expect(part > 0n && part <= fee).toBe(true);
    expect(await place.balance(recipient, NATIVE)).toBe(theirs);
    expect(ours - (await place.balance(filler, NATIVE))).toBe(good.amount + fresh.amount + fee);
    expect(await adapter.unfilledForGood(bad.orderId, 0, 0)).toBe(true);
  });
});

describe('an account that swallows what it gets', () => {
  it('is refused: jetton wallets and jettons, served or not, whatever they are paid', async () => {
    const [user = place.fill] = place.users;
    const owner = user.contract.address;
    const { jetton, foreign } = place;
    const swallowing = [
      ...[jetton.walletOf(owner), foreign.walletOf(owner)],
      ...[Address.parse(jetton.currency), Address.parse(foreign.currency)],
    ].map(textOf);
    for (const recipient of swallowing) {
      expect(await adapter.refuseAccount(recipient)).toMatch(/is a jetton/);
      for (const currency of [NATIVE, jetton.currency]) {
        const reported = await adapter.check(await by.fill({ recipient, currency, amount: 5_000_000n }), filler);
        expect(reported).toMatchObject({ ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' });
      }
    }
    for (const recipient of [textOf(owner), freshAddress(), await refuser()])
      expect(await adapter.refuseAccount(recipient)).toBeUndefined();
    const noOne = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADerZ0z';
    for (const made of [NATIVE, noOne]) expect(adapter.refuseAddress(made)).toMatch(/is a placeholder/);
    expect(adapter.refuseAddress(textOf(owner))).toBeUndefined();
  });
});

describe('jettons', () => {
  it('cost what was attached, less what came back', async () => {
    const { currency } = place.jetton;
    const leg = await by.fill({ currency, amount: 5_000n });
    const before = await place.balance(filler, NATIVE);
    const { fee, effects } = await by.land([leg]);
    expect(effects).toEqual([{ legId: leg.legId, done: true, moved: 5_000n }]);
    expect(await place.balance(leg.recipient, currency)).toBe(5_000n);
    expect(before - (await place.balance(filler, NATIVE))).toBe(fee);
    expect(fee < 50_000_000n).toBe(true);
  });

  it('that the wallet of a recipient refuses come back, at a fee', async () => {
    const { currency, walletOf } = place.jetton;
    const leg = await by.fill({ currency, amount: 5_000n });
    const wallet = walletOf(Address.parse(leg.recipient));
    const { init } = localJetton({ admin: wallet, symbol: 'NONE', decimals: 0 });
    const set = { address: wallet.toRawString(), amount: toNano(1).toString() };
    const [code, data] = [init.code, init.data].map((cell) => cell?.toBoc().toString('base64'));
    await place.node.dev('set', { ...set, code, data });
    const [before, coins] = [await place.balance(filler, currency), await place.balance(filler, NATIVE)];
    const { ok, effects, fee } = await by.land([leg]);
    expect(ok).toBe(true);
    expect(effects).toMatchObject([{ done: false, returned: true, moved: 0n, failure: { reason: 'TRANSFER_FAILED' } }]);
    expect(await place.balance(filler, currency)).toBe(before);
    expect(coins - (await place.balance(filler, NATIVE))).toBe(fee);
    expect(await adapter.unfilledForGood(leg.orderId, 0, 0)).toBe(true);
  });
});

describe('a deposit', () => {
  it('is what the message was worth, and its account grows by that less what its own code costs', async () => {
    const vault = addressOf(place.vault);
    const [user = place.vault] = place.users;
    const seen: DepositObservation[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { deposits } of adapter.watchDeposits(undefined, stop.signal)) seen.push(...deposits);
    })();
    await delay(300);
    const orderId = freshName();
    const amount = toNano(2);
    const [step] = adapter.depositSteps({ payer: addressOf(user), currency: NATIVE, amount, orderId });
    const messages = (step?.items[0]?.data['messages'] ?? []) as readonly { readonly body: string }[];
    const [message] = messages;
    expect(message).toMatchObject({ to: vault, value: amount.toString(), bounce: false });
    const before = await place.balance(vault, NATIVE);
    const body = beginCell().storeUint(0, 32).storeStringTail(orderId).endCell();
    expect(message?.body).toBe(body.toBoc().toString('base64'));
    await sendFrom(place.client, user, { to: Address.parse(vault), value: amount, bounce: false, body });
    await settle();
    for (let n = 0; n < 200 && seen.length === 0; n += 1) await delay(20);
    stop.abort();
    await watching;
    const cost = amount - ((await place.balance(vault, NATIVE)) - before);
    expect(seen).toMatchObject([{ orderId, amount, cost, depositor: addressOf(user), state: 'final' }]);
    expect(cost > 0n && cost < 1_000_000n).toBe(true);
  });
});
