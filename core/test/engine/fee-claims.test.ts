import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter, Hex, LegCheck, LegPaid } from '../../src/contract/index.js';
import { account, counter } from '../../src/domain/accounts.js';
import { payoutId } from '../../src/domain/fee-claim.js';
import { claimFees } from '../../src/engine/app-fees/claim-fees.js';
import { ClaimableView } from '../../src/engine/app-fees/claimable.js';
import { offerFees as offerTo } from '../../src/engine/app-fees/offer.js';
import type { FeeClaimAsk } from '../../src/engine/app-fees/outcomes.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { DESTINATION, NOW, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER, signed } from './support/scripted-chain.js';

let scene: Scene;

/** What a tenth of a deposit of 100,000 earns its shop. */
const EARNED = 10_000n;
const COIN = `coin-${ORIGIN}`;
const ASK: FeeClaimAsk = { chainId: ORIGIN, wallet: 'shop', currency: COIN, recipient: 'till', amount: null };
const LEG = `claim:0:${ORIGIN}:shop:${COIN}`;
const GAS = 10n;

const owed = async () => -(await scene.pot(account.appFees(ORIGIN, 'shop', COIN)));
const underWay = async () => -(await scene.pot(account.claims(ORIGIN, COIN)));
const reserved = () => scene.pot(counter.reserved(ORIGIN, SIGNER, COIN));

/** A deposit that is filled, finally unless a test says otherwise, and leaves the shop its fee. */
async function earn(n: number, final = true): Promise<void> {
  const { terms } = quoteBody(n);
  const body = await scene.quote(n, { terms: { ...terms, appFees: [{ recipient: 'shop', bps: 1_000 }] } });
  await scene.sees([scene.deposit(body, `deposit-${n}`)]);
  await scene.pays(scene.destination);
  scene.destination.lands(`${SIGNER}:${n - 1}`, 501, { final });
  await scene.tracks(scene.destination);
}

/** As somebody who was not asked a moment ago. */
const offerFees = (context: Scene['context'], ask: FeeClaimAsk) => offerTo(context, new ClaimableView(), ask);

async function offered(ask: FeeClaimAsk = ASK) {
  const outcome = await offerFees(scene.context, ask);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.offer;
}

async function claim(change: Partial<FeeClaimAsk> = {}, signature?: string) {
  const { claimId, amount } = await offered({ ...ASK, ...change });
  const text = signature ?? signed('shop', claimId);
  return { claimId, outcome: await claimFees(scene.context, { ...ASK, amount, ...change }, claimId, text) };
}

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

describe('app fees that are claimed', () => {
  it('leave what is owed at once, and come to the recipient less the network fee', async () => {
    await earn(1);
    expect(await owed()).toBe(EARNED);
    const { claimId, outcome } = await claim();
    expect(outcome).toEqual({ ok: true, state: 'accepted', claimId });
    expect([await owed(), await underWay(), await reserved()]).toEqual([0n, EARNED, EARNED - GAS]);
    expect(scene.woken).toContain(ORIGIN);
    await scene.settles(scene.origin);
    const id = payoutId({ service: 'solver', chainId: ORIGIN, wallet: 'shop', currency: COIN, before: 0n });
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([
      { kind: 'fill', orderId: id, recipient: 'till', amount: EARNED - GAS, legId: LEG },
    ]);
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', kind: 'claim', requestId: null });
    expect([await owed(), await underWay(), await reserved()]).toEqual([0n, 0n, 0n]);
    const [view] = await scene.store.feeClaims(['shop'], 5);
    expect(view).toMatchObject({ claim: { id: claimId, amount: EARNED }, hash: scene.origin.hashUnder(`${SIGNER}:0`) });
  });

  it('are paid once, however often the claim is repeated', async () => {
    await earn(1);
    const { claimId } = await claim();
    const again = () => claimFees(scene.context, { ...ASK, amount: EARNED }, claimId, signed('shop', claimId));
    expect(await again()).toEqual({ ok: true, state: 'acceptedBefore', claimId });
    await scene.settles(scene.origin);
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true });
    await scene.tracks(scene.origin);
    expect(await again()).toMatchObject({ state: 'acceptedBefore' });
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('go to one claim of two that are signed side by side', async () => {
    await earn(1);
    const asks = ['till', 'safe'].map((recipient) => ({ ...ASK, recipient, amount: EARNED }));
    const offers = await Promise.all(asks.map(offered));
    const outcomes = await Promise.all(
      asks.map((ask, n) => {
        const id = offers[n]?.claimId as Hex;
        return claimFees(scene.context, ask, id, signed('shop', id));
      }),
    );
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect([await owed(), await underWay()]).toEqual([0n, EARNED]);
  });

  it('in parts carry a number each', async () => {
    await earn(1);
    await claim({ amount: 4_000n });
    const second = await claim({ amount: 6_000n });
    expect(second.outcome).toMatchObject({ state: 'accepted' });
    expect(await scene.leg(LEG.replace('claim:0', 'claim:1'))).toMatchObject({ amount: 6_000n - GAS });
    expect(await offerFees(scene.context, ASK)).toMatchObject({ ok: false, code: 'tooLow' });
  });
});

describe('a claim is refused', () => {
  beforeEach(() => earn(1));

  it('without the signature of the wallet, and for what the wallet did not sign', async () => {
    const { claimId } = await offered();
    const said = { ...ASK, amount: EARNED };
    for (const text of ['nonsense', signed('thief', claimId), signed('shop', `${claimId}0`)])
      expect(await claimFees(scene.context, said, claimId, text)).toMatchObject({ code: 'notSigned' });
    for (const change of [{ recipient: 'thief' }, { amount: 1_000n }]) {
      const outcome = await claimFees(scene.context, { ...said, ...change }, claimId, signed('shop', claimId));
      expect(outcome).toMatchObject({ ok: false, code: 'stale' });
    }
    expect([await owed(), await underWay()]).toEqual([EARNED, 0n]);
  });

  it('above what is owed, and where the network fee takes all of it', async () => {
    expect(await offerFees(scene.context, { ...ASK, amount: EARNED + 1n })).toMatchObject({ code: 'tooMuch' });
    expect(await offerFees(scene.context, { ...ASK, amount: GAS })).toMatchObject({ code: 'tooLow' });
    expect(await offerFees(scene.context, { ...ASK, wallet: 'nobody' })).toMatchObject({ code: 'tooLow' });
    expect(await offerFees(scene.context, { ...ASK, amount: 0n })).toMatchObject({ code: 'tooLow' });
  });

  it('to contracts of the service, in currencies and on chains that are not served, and while its chain is paused', async () => {
    const refused = async (change: Partial<FeeClaimAsk>) => offerFees(scene.context, { ...ASK, ...change });
    expect(await refused({ recipient: `depository-${ORIGIN}` })).toMatchObject({ code: 'invalid', field: 'recipient' });
    expect(await refused({ currency: 'other' })).toMatchObject({ code: 'currency', field: 'currency' });
    expect(await refused({ chainId: 5 })).toMatchObject({ code: 'invalid', field: 'chainId' });
    scene.context.pauses.set(`chain:${ORIGIN}`, null);
    expect(await refused({})).toMatchObject({ code: 'paused' });
  });

  it('while the lane holds too little, and leaves nothing behind', async () => {
    const { claimId } = await offered();
    const drained = { groupId: 'drain', requestId: null, legId: null, createdAt: NOW };
    const pot = account.inventory(ORIGIN, SIGNER, COIN);
    const amount = await scene.pot(pot);
    await scene.store.apply({
      name: 'drain',
      changes: [
        {
          op: 'post',
          lines: [
            { ...drained, account: pot, amount: -amount },
            { ...drained, account: account.inflow(ORIGIN, COIN), amount },
          ],
        },
      ],
    });
    const outcome = await claimFees(scene.context, { ...ASK, amount: EARNED }, claimId, signed('shop', claimId));
    expect(outcome).toMatchObject({ code: 'short' });
    expect([await owed(), await underWay(), await reserved()]).toEqual([EARNED, 0n, 0n]);
  });
});

describe('what fills earned that may still be undone', () => {
  it('is owed, and cannot be claimed until they are final', async () => {
    await earn(1, false);
    expect(await owed()).toBe(EARNED);
    expect(await offerFees(scene.context, ASK)).toMatchObject({ code: 'tooLow' });
    expect(await offerFees(scene.context, { ...ASK, amount: 1_000n })).toMatchObject({ code: 'tooMuch' });
    scene.destination.lands(`${SIGNER}:0`, 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await offered()).amount).toBe(EARNED);
  });
});

describe('what is not final', () => {
  it('is read once for all who ask within a moment, and anew for whoever claims', async () => {
    await earn(1);
    let reads = 0;
    const store = new Proxy(scene.context.store, {
      get: (target, name) => {
        if (name === 'openKeys') reads += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const [context, view] = [{ ...scene.context, store }, new ClaimableView()];
    const first = await offerTo(context, view, ASK);
    const perReading = reads;
    expect(perReading).toBeGreaterThan(0);
    for (let n = 0; n < 20; n += 1) expect(await offerTo(context, view, ASK)).toEqual(first);
    expect(reads).toBe(perReading);
    // What was earned since is not offered: whether it is final was not looked at.
    await earn(2, false);
    expect(await offerTo(context, view, ASK)).toEqual(first);
    scene.now += 2_000;
    expect(await offerTo(context, view, ASK)).toEqual(first);
    expect(reads).toBe(2 * perReading);
    if (!first.ok) throw new Error(first.message);
    const { claimId, amount } = first.offer;
    await claimFees(context, { ...ASK, amount }, claimId, 'nonsense');
    expect(reads).toBe(2 * perReading);
    await claimFees(context, { ...ASK, amount }, claimId, signed('shop', claimId));
    expect(reads).toBe(3 * perReading);
  });
});

describe('a claim that cannot be paid', () => {
  beforeEach(async () => {
    await earn(1);
    await claim();
  });

  const refuse = (reason: Extract<LegCheck, { ok: false }>['reason']) => {
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason, message: 'no' });
  };

  it('is owed to the wallet again, and can be claimed anew under the next number', async () => {
    refuse('EXECUTION_REVERTED');
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'void', reason: 'EXECUTION_REVERTED' });
    expect([await owed(), await underWay(), await reserved()]).toEqual([EARNED, 0n, 0n]);
    scene.origin.checkAnswer = () => ({ ok: true, plan: '{}' });
    await claim({ recipient: 'safe' });
    await scene.settles(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ recipient: 'safe' }]);
  });

  it('bears what its reverts cost: a recipient that refuses burns its own fees', async () => {
    for (let key = 0; key < 3; key += 1) {
      scene.now += 120_000;
      await scene.settles(scene.origin);
      scene.origin.lands(`${SIGNER}:${key}`, 120 + key, { final: true, ok: false });
      await scene.tracks(scene.origin);
    }
    expect(await reserved()).toBe(EARNED - GAS);
    scene.now += 120_000;
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'closed', reason: 'TRANSACTION_REVERTED' });
    expect(scene.origin.prepared).toHaveLength(3);
    expect([await owed(), await underWay(), await reserved()]).toEqual([EARNED - 21n, 0n, 0n]);
  });

  it('is tried again only as long as its fees bear what that costs', async () => {
    const fee = EARNED / 2n + 1n;
    await scene.settles(scene.origin);
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true, ok: false, fee });
    await scene.tracks(scene.origin);
    scene.now += 120_000;
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'closed', reason: 'TRANSACTION_REVERTED', reverts: 1 });
    expect(scene.origin.prepared).toHaveLength(1);
    expect(await owed()).toBe(EARNED - fee);
  });

  it('is held where its id was filled by nothing that this ledger knows', async () => {
    refuse('ORDER_ALREADY_FILLED');
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held', reason: 'ORDER_ALREADY_FILLED' });
    expect([await owed(), await underWay(), await reserved()]).toEqual([0n, EARNED, 0n]);
    expect([...scene.alerts]).toContain(`claim:${LEG}`);
  });

  it('waits while nothing leaves its chain', async () => {
    scene.context.pauses.set(`chain:${ORIGIN}`, null);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'owed' });
  });
});

describe('a payout that a reorg drops', () => {
  it('is promised again, and its books go back', async () => {
    await earn(1);
    await claim();
    await scene.settles(scene.origin);
    scene.origin.lands(`${SIGNER}:0`, 120);
    await scene.tracks(scene.origin);
    expect([await underWay(), await reserved()]).toEqual([0n, 0n]);
    scene.origin.evidence.delete(`${SIGNER}:0`);
    await scene.tracks(scene.origin);
    expect([await underWay(), await reserved()]).toEqual([EARNED, EARNED - GAS]);
    scene.origin.lands(`${SIGNER}:0`, 121, { final: true });
    await scene.tracks(scene.origin);
    expect([await owed(), await underWay(), await reserved()]).toEqual([0n, 0n, 0n]);
  });
});

describe('a ledger that lost a claim (G15)', () => {
  const lost = (change: Partial<LegPaid> = {}) =>
    scene.origin.paid.set(LEG, {
      hash: '0xlost',
      block: { height: 140, id: 'b140', timestamp: scene.now },
      final: true,
      sender: SIGNER,
      currency: COIN,
      recipient: 'till',
      moved: EARNED - GAS,
      ...change,
    });

  beforeEach(async () => {
    await earn(1);
    // However long ago: what it lost is counted again for ever.
    await markRestored(scene.store, scene.now - 30 * 86_400_000);
    await claim();
  });

  it('finds it paid under the same number, and pays nothing more', async () => {
    lost();
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: EARNED - GAS });
    expect([await owed(), await underWay(), await reserved()]).toEqual([0n, 0n, 0n]);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('holds it where the lost one went to somebody else', async () => {
    lost({ recipient: 'safe' });
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect(await owed()).toBe(0n);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('holds it, and books what the lost one paid to somebody else', async () => {
    lost({ recipient: 'safe', moved: 4_000n - GAS });
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    const { claim: row, leg } = (await scene.store.feeClaims(['shop'], 1))[0] ?? {};
    expect([row?.id !== undefined, leg?.state, leg?.includedAt]).toEqual([true, 'held', null]);
    expect([...scene.alerts]).toContain(`claim:${LEG}`);
    expect([await owed(), await underWay(), await reserved()]).toEqual([EARNED - 4_000n, 0n, 0n]);
    // What is left is known, so it can be claimed.
    expect((await offered()).amount).toBe(EARNED - 4_000n);
  });

  it('owes what the lost one did not take', async () => {
    lost({ moved: 4_000n - GAS });
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: 4_000n - GAS });
    expect([await owed(), await underWay(), await reserved()]).toEqual([EARNED - 4_000n, 0n, 0n]);
  });

  it('pays what was never paid, and gives up nothing by itself', async () => {
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('holds what its chain refuses, because the lost one may still land', async () => {
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect(await owed()).toBe(0n);
  });
});

describe('a ledger that lost a claim of more than is claimed now (G3, G15)', () => {
  const SECOND = LEG.replace('claim:0', 'claim:1');
  const PART = 4_000n;
  const payment = (moved: bigint): LegPaid => ({
    hash: '0xlost',
    block: { height: 140, id: 'b140', timestamp: scene.now },
    final: true,
    sender: SIGNER,
    currency: COIN,
    recipient: 'till',
    moved,
  });

  beforeEach(async () => {
    await earn(1);
  });

  it('takes all that was paid off what is owed, and lets nothing of it be claimed again', async () => {
    await markRestored(scene.store, scene.now);
    await claim({ amount: PART });
    scene.origin.paid.set(LEG, payment(EARNED - GAS));
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: EARNED - GAS });
    expect([await owed(), await underWay(), await reserved()]).toEqual([0n, 0n, 0n]);
    expect(await offerFees(scene.context, { ...ASK, amount: PART })).toMatchObject({ code: 'tooMuch' });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('takes no other claim before it knows what the one before came to', async () => {
    await markRestored(scene.store, scene.now);
    await claim({ amount: PART });
    expect(await offerFees(scene.context, { ...ASK, amount: PART })).toMatchObject({ code: 'unavailable' });
    await scene.settles(scene.origin);
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'bound' });
    expect(await offerFees(scene.context, { ...ASK, amount: PART })).toMatchObject({ code: 'unavailable' });
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true });
    await scene.tracks(scene.origin);
    expect((await claim({ amount: PART })).outcome).toMatchObject({ state: 'accepted' });
  });

  it('takes another claim after one that is held with nothing known to be paid, and none after one whose payout nobody can read', async () => {
    await markRestored(scene.store, scene.now);
    await claim({ amount: PART });
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect((await claim({ amount: PART })).outcome).toMatchObject({ state: 'accepted' });
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'no' });
    for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
    expect(await scene.leg(SECOND)).toMatchObject({ state: 'held', reason: 'ORDER_ALREADY_FILLED' });
    expect(await offerFees(scene.context, ASK)).toMatchObject({ code: 'unavailable' });
  });

  it('neither pays nor takes a second claim before its lanes were compared with their chain', async () => {
    scene.uncompared.add(ORIGIN);
    await claim({ amount: PART });
    expect(await offerFees(scene.context, { ...ASK, amount: PART })).toMatchObject({ code: 'unavailable' });
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    scene.uncompared.delete(ORIGIN);
    scene.now += 2_000;
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
    // Nothing is lost: claims need not wait for each other.
    expect((await claim({ amount: PART })).outcome).toMatchObject({ state: 'accepted' });
  });

  it('looks for each of them as far back as the last claim that it is certain of', async () => {
    const asked: number[] = [];
    const paidBy: ChainAdapter['paidBy'] = async (_leg, since) => {
      asked.push(since);
      return undefined;
    };
    Object.assign(scene.origin, { paidBy });
    const settled = async (key: number): Promise<void> => {
      for (let round = 0; round < 3; round += 1) await scene.settles(scene.origin);
      scene.origin.lands(`${SIGNER}:${key}`, 120 + key, { final: true });
      await scene.tracks(scene.origin);
    };
    await claim({ amount: 1_000n });
    const certain = scene.now;
    await settled(0);
    scene.now += 30 * 86_400_000;
    await markRestored(scene.store, scene.now);
    for (const key of [1, 2]) {
      await claim({ amount: 1_000n });
      await settled(key);
      scene.now += 30 * 86_400_000;
    }
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked)).toEqual(new Set([certain - 86_400_000]));
  });
});

it('wallets are accounts of the solver’s chain, wherever their fees were earned', async () => {
  const elsewhere = { ...ASK, chainId: DESTINATION, currency: `coin-${DESTINATION}` };
  scene.destination.parseAddress = (text) =>
    text === 'shop' ? ({ ok: false, reason: 'no' } as never) : { ok: true, value: text };
  expect(await offerFees(scene.context, elsewhere)).toMatchObject({ code: 'tooLow' });
  scene.origin.parseAddress = scene.destination.parseAddress;
  expect(await offerFees(scene.context, elsewhere)).toMatchObject({ code: 'invalid', field: 'wallet' });
});
