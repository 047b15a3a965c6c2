import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hex, LegCheck } from '../../src/contract/index.js';
import { account } from '../../src/domain/accounts.js';
import { feeClaimId, payoutId } from '../../src/domain/fee-claim.js';
import { claimFees } from '../../src/engine/app-fees/claim-fees.js';
import { ClaimableView } from '../../src/engine/app-fees/claimable.js';
import { offerFees } from '../../src/engine/app-fees/offer.js';
import type { FeeClaimAsk } from '../../src/engine/app-fees/outcomes.js';
import { DESTINATION, NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER, signed } from './support/scripted-chain.js';
import { ASK, COIN, claimLeg, EARNED, GAS, Shop } from './support/shop.js';

let scene: Scene;
let shop: Shop;

const LEG = claimLeg(0);
const ACCOUNT = { service: 'solver', chainId: ORIGIN, wallet: 'shop', currency: COIN };

beforeEach(async () => {
  scene = await Scene.open();
  shop = new Shop(scene);
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

describe('app fees that are claimed', () => {
  it('reduce what is owed at once, and pay the recipient less the network fee', async () => {
    await shop.earn(1);
    expect(await shop.owed()).toBe(EARNED);
    const { claimId, outcome } = await shop.claim();
    expect(outcome).toEqual({ ok: true, state: 'accepted', claimId });
    expect(await shop.books()).toEqual([0n, EARNED, EARNED - GAS]);
    expect(scene.woken).toContain(ORIGIN);
    await scene.settles(scene.origin);
    const id = payoutId(ACCOUNT, 0n);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([
      { kind: 'fill', orderId: id, recipient: 'till', amount: EARNED - GAS, legId: LEG },
    ]);
    scene.origin.lands(`${SIGNER}:0`, 120, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', kind: 'claim', requestId: null });
    expect(await shop.books()).toEqual([0n, 0n, 0n]);
    const [view] = await scene.store.feeClaims(['shop'], 5);
    expect(view).toMatchObject({ claim: { id: claimId, amount: EARNED }, hash: scene.origin.hashUnder(`${SIGNER}:0`) });
  });

  it('are paid once, however often the claim is repeated', async () => {
    await shop.earn(1);
    const { claimId } = await shop.claim();
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
    await shop.earn(1);
    const asks = ['till', 'safe'].map((recipient) => ({ ...ASK, recipient, amount: EARNED }));
    const offers = await Promise.all(asks.map((ask) => shop.offered(ask)));
    const outcomes = await Promise.all(
      asks.map((ask, n) => {
        const id = offers[n]?.claimId as Hex;
        return claimFees(scene.context, ask, id, signed('shop', id));
      }),
    );
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect((await shop.books()).slice(0, 2)).toEqual([0n, EARNED]);
  });

  it('in parts go one after the other, each under an id of its own', async () => {
    await shop.earn(1);
    const first = await shop.claim({ amount: 4_000n });
    const underWay = { ok: false, code: 'underWay' };
    expect(await shop.offerFees({ ...ASK, amount: 6_000n })).toMatchObject(underWay);
    await scene.settles(scene.origin);
    // A reorg may still drop it.
    await shop.paidUnder(0, { final: false });
    expect(await shop.offerFees({ ...ASK, amount: 6_000n })).toMatchObject(underWay);
    const next = feeClaimId({ ...ACCOUNT, before: 1n, recipient: 'till', amount: 6_000n });
    expect(await claimFees(scene.context, { ...ASK, amount: 6_000n }, next, signed('shop', next))).toMatchObject(
      underWay,
    );
    const again = claimFees(scene.context, { ...ASK, amount: 4_000n }, first.claimId, signed('shop', first.claimId));
    expect(await again).toMatchObject({ state: 'acceptedBefore' });
    await shop.paidUnder(0);
    expect((await shop.claim({ amount: 6_000n })).outcome).toMatchObject({ state: 'accepted' });
    await scene.settles(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0])).toMatchObject([
      { legId: LEG, orderId: payoutId(ACCOUNT, 0n), amount: 4_000n - GAS },
      { legId: claimLeg(1), orderId: payoutId(ACCOUNT, 1n), amount: 6_000n - GAS },
    ]);
    await shop.paidUnder(1);
    expect(await shop.offerFees(ASK)).toMatchObject({ ok: false, code: 'tooLow' });
  });
});

describe('a claim is refused', () => {
  beforeEach(() => shop.earn(1));

  it('without the signature of the wallet, and for what the wallet did not sign', async () => {
    const { claimId } = await shop.offered();
    const said = { ...ASK, amount: EARNED };
    for (const text of ['nonsense', signed('thief', claimId), signed('shop', `${claimId}0`)])
      expect(await claimFees(scene.context, said, claimId, text)).toMatchObject({ code: 'notSigned' });
    for (const change of [{ recipient: 'thief' }, { amount: 1_000n }]) {
      const outcome = await claimFees(scene.context, { ...said, ...change }, claimId, signed('shop', claimId));
      expect(outcome).toMatchObject({ ok: false, code: 'stale' });
    }
    expect(await shop.books()).toEqual([EARNED, 0n, 0n]);
  });

  it('above what is owed, and where the network fee takes all of it', async () => {
    expect(await shop.offerFees({ ...ASK, amount: EARNED + 1n })).toMatchObject({ code: 'tooMuch' });
    expect(await shop.offerFees({ ...ASK, amount: GAS })).toMatchObject({ code: 'tooLow' });
    expect(await shop.offerFees({ ...ASK, wallet: 'nobody' })).toMatchObject({ code: 'tooLow' });
    expect(await shop.offerFees({ ...ASK, amount: 0n })).toMatchObject({ code: 'tooLow' });
  });

  it('to contracts of the service, in currencies and on chains that are not served, and while its chain is paused', async () => {
    const refused = async (change: Partial<FeeClaimAsk>) => shop.offerFees({ ...ASK, ...change });
    expect(await refused({ recipient: `depository-${ORIGIN}` })).toMatchObject({ code: 'invalid', field: 'recipient' });
    expect(await refused({ currency: 'other' })).toMatchObject({ code: 'currency', field: 'currency' });
    expect(await refused({ chainId: 5 })).toMatchObject({ code: 'invalid', field: 'chainId' });
    scene.context.pauses.set(`chain:${ORIGIN}`, null);
    expect(await refused({})).toMatchObject({ code: 'paused' });
  });

  it('while the lane holds too little, and leaves nothing behind', async () => {
    const { claimId } = await shop.offered();
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
    expect(await shop.books()).toEqual([EARNED, 0n, 0n]);
  });
});

describe('what fills earned that may still be undone', () => {
  it('is owed, and cannot be claimed until they are final', async () => {
    await shop.earn(1, false);
    expect(await shop.owed()).toBe(EARNED);
    const until = NOW + scene.destination.facts.finalityMs;
    const balance = () => new ClaimableView().of(scene.context, ACCOUNT);
    expect(await balance()).toEqual({ claimable: 0n, pending: EARNED, until });
    const message = expect.stringContaining(`${EARNED} (`);
    const pending = { amount: EARNED, until };
    expect(await shop.offerFees(ASK)).toMatchObject({ code: 'tooLow', message, pending });
    expect(await shop.offerFees({ ...ASK, amount: 1_000n })).toMatchObject({ code: 'tooMuch', message, pending });
    scene.destination.lands(`${SIGNER}:0`, 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await shop.offered()).amount).toBe(EARNED);
    expect(await balance()).toEqual({ claimable: EARNED, pending: 0n, until: null });
    await shop.earn(2, false);
    expect(await balance()).toMatchObject({ claimable: EARNED, pending: EARNED });
    expect(await shop.offerFees({ ...ASK, amount: EARNED + 1n })).toMatchObject({ code: 'tooMuch', pending });
  });

  it('is named where the chain pays out no such small amount', async () => {
    await shop.earn(1);
    await shop.earn(2, false);
    Object.assign(scene.origin, { refuseFill: () => ({ why: 'amount', message: 'is dust' }) });
    const pending = { amount: EARNED, until: NOW + scene.destination.facts.finalityMs };
    expect(await shop.offerFees(ASK)).toMatchObject({
      ...{ code: 'tooLow', field: 'amount', pending },
      message: expect.stringMatching(new RegExp(`^is dust; ${EARNED} \\(.*once the fills that earned it are final`)),
    });
  });
});

describe('what is not final', () => {
  it('is read once for all who ask within its cache time, and again for anyone who claims', async () => {
    await shop.earn(1);
    let reads = 0;
    const store = new Proxy(scene.context.store, {
      get: (target, name) => {
        if (name === 'openKeys') reads += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const [context, view] = [{ ...scene.context, store }, new ClaimableView()];
    const first = await offerFees(context, view, ASK);
    const perReading = reads;
    expect(perReading).toBeGreaterThan(0);
    for (let n = 0; n < 20; n += 1) expect(await offerFees(context, view, ASK)).toEqual(first);
    expect(reads).toBe(perReading);
    // Unverified finality: not offered.
    await shop.earn(2, false);
    expect(await offerFees(context, view, ASK)).toEqual(first);
    scene.now += 2_000;
    expect(await offerFees(context, view, ASK)).toEqual(first);
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
    await shop.earn(1);
    await shop.claim();
  });

  const refuse = (reason: Extract<LegCheck, { ok: false }>['reason']) => {
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason, message: 'no' });
  };

  it('is owed to the wallet again, and can be claimed again under the next number', async () => {
    refuse('EXECUTION_REVERTED');
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'void', reason: 'EXECUTION_REVERTED' });
    expect(await shop.books()).toEqual([EARNED, 0n, 0n]);
    scene.origin.checkAnswer = () => ({ ok: true, plan: '{}' });
    await shop.claim({ recipient: 'safe' });
    await scene.settles(scene.origin);
    // The unpaid first id is used, so that a ledger that lost this claim finds its payment.
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([
      { recipient: 'safe', legId: claimLeg(1), orderId: payoutId(ACCOUNT, 0n) },
    ]);
  });

  it('bears what its reverts cost: a recipient that refuses burns its own fees', async () => {
    for (let key = 0; key < 3; key += 1) {
      scene.now += 120_000;
      await scene.settles(scene.origin);
      scene.origin.lands(`${SIGNER}:${key}`, 120 + key, { final: true, ok: false });
      await scene.tracks(scene.origin);
    }
    expect(await shop.books()).toEqual([0n, EARNED, EARNED - GAS]);
    scene.now += 120_000;
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'closed', reason: 'TRANSACTION_REVERTED' });
    expect(scene.origin.prepared).toHaveLength(3);
    expect(await shop.books()).toEqual([EARNED - 21n, 0n, 0n]);
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
    expect(await shop.owed()).toBe(EARNED - fee);
  });

  it('is held where its id was filled by nothing that this ledger knows', async () => {
    refuse('ORDER_ALREADY_FILLED');
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held', reason: 'ORDER_ALREADY_FILLED' });
    expect(await shop.books()).toEqual([0n, EARNED, 0n]);
    expect([...scene.alerts]).toContain(`claim:${LEG}`);
    await shop.earn(2);
    expect(await shop.offerFees(ASK)).toMatchObject({ code: 'unavailable' });
  });

  it('waits while nothing leaves its chain', async () => {
    scene.context.pauses.set(`chain:${ORIGIN}`, null);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'owed' });
  });
});

describe('the costs of a payout that its recipient can raise', () => {
  const RENT = 2_000n;

  const sentRent = () => scene.origin.prepared.map(({ legs }) => (legs[0] as { mostRent?: bigint }).mostRent);

  beforeEach(() => shop.earn(1));

  it('are no rent of an account that was closed after the claim', async () => {
    scene.origin.rent = 0n;
    await shop.claim();
    expect(await shop.books()).toEqual([0n, EARNED, EARNED - GAS]);
    scene.origin.rent = RENT;
    const asked: (bigint | undefined)[] = [];
    scene.origin.checkAnswer = (leg) => {
      const { mostRent } = leg as { mostRent?: bigint };
      asked.push(mostRent);
      if (mostRent === undefined || mostRent >= RENT) return { ok: true, plan: '{}' };
      return { ok: false, kind: 'refused', reason: 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE', message: 'not charged' };
    };
    await scene.settles(scene.origin);
    expect(asked).toEqual([0n]);
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'void', reason: 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE' });
    expect(await shop.books()).toEqual([EARNED, 0n, 0n]);
    await shop.claim();
    expect(await shop.books()).toEqual([0n, EARNED, EARNED - GAS - RENT]);
    await scene.settles(scene.origin);
    expect(sentRent()).toEqual([RENT + RENT / 10n]);
  });
});

describe('a payout in a token that charges a fee on transfer', () => {
  /** Of what is sent, a tenth. */
  const fee = { arriving: (sent: bigint) => (sent * 9n) / 10n, sentFor: (amount: bigint) => (amount * 10n + 8n) / 9n };

  beforeEach(() => shop.earn(1));

  it('sends no more than what was claimed less the network fee: the claim bears what the token charges', async () => {
    scene.origin.transferFee = () => fee;
    const offer = await shop.offered();
    expect(offer).toMatchObject({ amount: EARNED, fee: EARNED - fee.arriving(EARNED - GAS) });
    await shop.claim();
    await scene.settles(scene.origin);
    const [paid] = scene.origin.prepared.at(-1)?.legs ?? [];
    expect(paid).toMatchObject({ kind: 'fill', amount: fee.arriving(EARNED - GAS) });
    expect(fee.sentFor(paid?.amount ?? 0n)).toBeLessThanOrEqual(EARNED - GAS);
  });

  it('is refused where the fees take all of it', async () => {
    scene.origin.transferFee = () => ({ ...fee, arriving: () => 0n });
    expect(await shop.offerFees(ASK)).toMatchObject({ ok: false, code: 'tooLow' });
  });
});

describe('a payout that a reorg drops', () => {
  it('is promised again, and its books go back', async () => {
    await shop.earn(1);
    await shop.claim();
    await scene.settles(scene.origin);
    scene.origin.lands(`${SIGNER}:0`, 120);
    await scene.tracks(scene.origin);
    expect(await shop.books()).toEqual([0n, 0n, 0n]);
    scene.origin.evidence.delete(`${SIGNER}:0`);
    await scene.tracks(scene.origin);
    expect(await shop.books()).toEqual([0n, EARNED, EARNED - GAS]);
    await shop.paidUnder(0);
    expect(await shop.books()).toEqual([0n, 0n, 0n]);
    scene.now += 1_000;
    await shop.earn(2);
    await shop.claim();
    expect(await scene.leg(claimLeg(1))).toMatchObject({ orderId: payoutId(ACCOUNT, 1n) });
  });
});

it('wallets are accounts of the solver’s chain, wherever their fees were earned', async () => {
  const elsewhere = { ...ASK, chainId: DESTINATION, currency: `coin-${DESTINATION}` };
  scene.destination.parseAddress = (text) =>
    text === 'shop' ? ({ ok: false, reason: 'no' } as never) : { ok: true, value: text };
  expect(await shop.offerFees(elsewhere)).toMatchObject({ code: 'tooLow' });
  scene.origin.parseAddress = scene.destination.parseAddress;
  expect(await shop.offerFees(elsewhere)).toMatchObject({ code: 'invalid', field: 'wallet' });
});
