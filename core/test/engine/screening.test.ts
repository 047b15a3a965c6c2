import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Party } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { refundRequest } from '../../src/engine/operator/refund-request.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { DESTINATION, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { claimLeg, EARNED, Shop } from './support/shop.js';
import { withTopUp } from './support/top-ups.js';

let scene: Scene;
let body: QuoteBody;
let asked: Party[];
const blocked = new Set<string>();
let isDown = false;

const FILL = () => legId.fill(body.orderId);
const REFUND = legId.refund('901:a:0');

beforeEach(async () => {
  blocked.clear();
  isDown = false;
  asked = [];
  const screener = {
    id: 'list',
    screen: async (parties: readonly Party[]) => {
      if (isDown) throw new Error('down');
      asked.push(...parties);
      return parties.map(({ address }) =>
        blocked.has(address) ? { blocked: true as const, reason: 'listed' } : { blocked: false as const },
      );
    },
  };
  scene = await Scene.open({}, [screener]);
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

async function paidIn(change: { readonly isFinal?: boolean } = {}): Promise<void> {
  await scene.sees([scene.deposit(body, 'a')]);
  if (change.isFinal !== false) await scene.finalises(150);
}

const hold = async () => (await scene.store.holds('open'))[0];
const sentTo = (chain: 'origin' | 'destination') =>
  scene[chain].prepared.flatMap(({ legs }) => legs.map(({ recipient }) => recipient));

describe('a fill', () => {
  it('is sent once everyone who has a part in it was cleared', async () => {
    await paidIn();
    await scene.pays(scene.destination);
    expect(sentTo('destination')).toEqual(['recipient']);
    expect(asked).toEqual([
      { chainId: DESTINATION, address: 'recipient', role: 'recipient' },
      { chainId: ORIGIN, address: 'depositor', role: 'depositor' },
      { chainId: ORIGIN, address: 'user', role: 'user' },
    ]);
  });

  it('asks nothing of a depositor that is no address: a screener that refuses the text would stop the payment', async () => {
    scene.origin.parseAddress = (text) =>
      text === 'depositor' ? ({ ok: false, reason: 'no address' } as never) : { ok: true, value: text };
    await paidIn();
    await scene.pays(scene.destination);
    expect(sentTo('destination')).toEqual(['recipient']);
    expect(asked.map(({ role }) => role)).toEqual(['recipient', 'user']);
  });

  it.each(['recipient', 'depositor', 'user'])(
    'is not sent where its %s is blocked by then: the deposit is held',
    async (who) => {
      await paidIn();
      blocked.add(who);
      await scene.pays(scene.destination);
      expect(await scene.leg(FILL())).toMatchObject({ state: 'void', reason: 'BLOCKED_WALLET' });
      expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason: 'BLOCKED_WALLET' });
      await scene.pays(scene.origin);
      expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'blocked' });
      expect(await scene.request(body)).toMatchObject({
        status: 'failure',
        failReason: 'BLOCKED_WALLET',
        refundFailReason: 'MANUAL_REFUND_REQUIRED',
      });
      expect(await hold()).toMatchObject({ amount: 100_000n, reason: 'MANUAL_REFUND_REQUIRED', chainId: ORIGIN });
      expect([...sentTo('origin'), ...sentTo('destination')]).toEqual([]);
      await scene.idle();
    },
  );

  it.each([
    ['callee', 'held'],
    ['shop', 'paid back'],
  ])('is not sent where its order names a %s that is blocked by then: what was paid in is %s', async (who, state) => {
    const terms = { ...quoteBody(7).terms, appFees: [{ recipient: 'shop', bps: 100 }] };
    body = await scene.quote(7, { callees: ['callee'], terms });
    await paidIn();
    blocked.add(who);
    await scene.pays(scene.destination);
    expect(asked).toContainEqual({ chainId: DESTINATION, address: 'callee', role: 'callee' });
    expect(asked.find(({ role }) => role === 'appFee')).toMatchObject({ address: 'shop' });
    expect(await scene.leg(FILL())).toMatchObject({ state: 'void', reason: 'BLOCKED_WALLET' });
    expect(sentTo('destination')).toEqual([]);
    await scene.pays(scene.origin);
    // A refund earns no app fees; a blocked party's part is never refunded automatically.
    if (state === 'held') expect(await scene.leg(REFUND)).toMatchObject({ state, reason: 'blocked' });
    else expect(sentTo('origin')).toEqual(['refund-recipient']);
  });

  it('that is held for it is paid by an operator alone, who names whom, once', async () => {
    await paidIn();
    blocked.add('recipient');
    await scene.pays(scene.destination);
    await scene.pays(scene.origin);
    const { id = '' } = (await hold()) ?? {};
    blocked.clear();
    await scene.pays(scene.origin);
    expect(sentTo('origin')).toEqual([]);
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    blocked.add('refund-recipient');
    expect(await releaseHold(scene.context, id, 'refund-recipient')).toMatchObject({ ok: true, state: 'owed' });
    await scene.pays(scene.origin);
    expect(sentTo('origin')).toEqual(['refund-recipient']);
    scene.origin.lands('filler:0', 151, { final: true });
    await scene.tracks(scene.origin);
    expect((await scene.request(body)).status).toBe('refund');
    expect(await releaseHold(scene.context, id, 'refund-recipient')).toMatchObject({ state: 'alreadyDone' });
  });

  it('whose bytes are signed goes on', async () => {
    await paidIn();
    scene.destination.sendAnswer = { outcome: 'ambiguous', message: 'lost' };
    await scene.pays(scene.destination);
    blocked.add('recipient');
    await scene.tracks(scene.destination);
    expect(await scene.leg(FILL())).toMatchObject({ state: 'bound' });
  });

  it('waits for its deposit to be final before that is held', async () => {
    await paidIn({ isFinal: false });
    blocked.add('depositor');
    await scene.pays(scene.destination);
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'blocked' });
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'blocked' });
  });

  it('is refunded by itself where no one is blocked any more by then', async () => {
    await paidIn({ isFinal: false });
    blocked.add('recipient');
    await scene.pays(scene.destination);
    blocked.clear();
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(sentTo('origin')).toEqual(['refund-recipient']);
  });
});

describe('while a screener does not answer', () => {
  it('nothing is paid, nothing is abandoned, and it is paid afterwards', async () => {
    isDown = true;
    await paidIn();
    await scene.pays(scene.destination);
    expect(await scene.leg(FILL())).toMatchObject({ state: 'owed', key: null });
    expect(sentTo('destination')).toEqual([]);
    expect(scene.alerts.has('screener:list')).toBe(true);
    isDown = false;
    await scene.pays(scene.destination);
    expect(sentTo('destination')).toEqual([]);
    scene.now += 31_000;
    await scene.head(520);
    await scene.pays(scene.destination);
    expect(sentTo('destination')).toEqual(['recipient']);
    expect(scene.alerts.has('screener:list')).toBe(false);
  });
});

describe('a refund', () => {
  it.each(['refund-recipient', 'depositor', 'user', 'recipient'])('is held where its %s is blocked', async (who) => {
    await paidIn();
    await refundRequest(scene.context, body.requestId);
    blocked.add(who);
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'blocked' });
    expect(sentTo('origin')).toEqual([]);
  });

  it('of what was paid on top is held by itself, and its fill stays a success', async () => {
    await scene.sees([scene.deposit(body, 'a', { amount: 150_000n })]);
    await scene.finalises(150);
    await scene.pays(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    blocked.add('refund-recipient');
    await scene.pays(scene.origin);
    expect(await scene.leg(legId.excess('901:a:0'))).toMatchObject({ state: 'held', reason: 'blocked' });
    expect((await scene.request(body)).status).toBe('success');
    expect(await hold()).toMatchObject({ amount: 50_000n });
  });

  it('without an order is held where its depositor is blocked', async () => {
    blocked.add('depositor');
    await scene.sees([scene.deposit(null, 'a')]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'blocked' });
  });
});

it('coin in addition to an output is held where its recipient is blocked once the output was paid', async () => {
  body = await scene.quote(2, withTopUp(2));
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.finalises(150);
  await scene.pays(scene.destination);
  scene.destination.lands('filler:0', 501, { final: true });
  await scene.tracks(scene.destination);
  blocked.add('recipient');
  scene.now += 6_000;
  await scene.pays(scene.destination);
  expect(await scene.leg(legId.topUp(body.orderId))).toMatchObject({ state: 'held', reason: 'blocked' });
  expect((await scene.request(body)).status).toBe('success');
  expect(sentTo('destination')).toEqual(['recipient']);
});

describe('app fees', () => {
  it.each(['shop', 'till'])('stay owed where %s is blocked, and are paid when it is not', async (who) => {
    const shop = new Shop(scene);
    await shop.earn(2);
    blocked.add(who);
    expect((await shop.claim()).outcome).toMatchObject({ ok: true });
    await scene.settles(scene.origin);
    expect(await scene.leg(claimLeg(0))).toMatchObject({ state: 'void', reason: 'blocked' });
    expect(await shop.owed()).toBe(EARNED);
    expect(scene.origin.prepared).toEqual([]);
    blocked.clear();
    expect((await shop.claim()).outcome).toMatchObject({ ok: true });
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
    scene.errors.length = 0;
  });
});
