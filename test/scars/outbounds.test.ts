import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../core/src/domain/accounts.js';
import type { QuoteBody } from '../../core/src/domain/quote.js';
import { audit } from '../../core/src/engine/operator/audit.js';
import { Scene } from '../../core/test/engine/support/scene.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const REFUND = legId.refund('901:a:0');

async function owesRefund(): Promise<void> {
  await scene.sees([scene.deposit(body, 'a', { amount: 50_000n })]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
}

describe('lost outbounds', () => {
  it('thorchain-2596: the audit reports a payout that the ledger calls done and the chain does not contain', async () => {
    await owesRefund();
    const pot = () =>
      audit(scene.context).then(({ pots }) => pots.find(({ account }) => account === 'depository:901:coin-901'));
    scene.origin.depositoryBalance = await scene.pot('depository:901:coin-901');
    expect(await pot()).toMatchObject({ difference: '0' });
    scene.origin.lands(KEY, 151, { final: true });
    await scene.tracks(scene.origin);
    // Booked as sent, but not sent.
    expect(await pot()).toMatchObject({ difference: '49990', drift: expect.stringMatching(/\w/) });
    expect((await audit(scene.context)).balanced).toBe(false);
  });

  it('thorchain-2596: a deposit without fill and refund is listed as unsettled', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await audit(scene.context)).unsettled).toBe(1);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    expect((await audit(scene.context)).unsettled).toBe(0);
  });

  it('thorchain-2716: a payout dropped by a reorg or the mempool is sent again automatically, once', async () => {
    await owesRefund();
    scene.origin.lands(KEY, 151);
    await scene.tracks(scene.origin);
    scene.origin.evidence.set(KEY, { state: 'unspent', inPool: false });
    await scene.tracks(scene.origin);
    scene.now += 2_000;
    await scene.tracks(scene.origin);
    expect(new Set(scene.origin.sent).size).toBe(1);
    expect(scene.origin.sent).toHaveLength(2);
    scene.origin.lands(KEY, 153, { final: true });
    await scene.tracks(scene.origin);
    expect((await scene.requestOf({ fundingKey: '901:a:0' })).status).toBe('refund');
    expect((await scene.leg(REFUND))?.state).toBe('done');
  });

  it('thorchain-3151: a refund goes to the refund address of the order, not to the sender of the transaction', async () => {
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n, depositor: 'a-router-contract' })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ kind: 'refund', recipient: 'refund-recipient' }]);
  });

  it('connext-5211: an order that cannot be filled is refunded at its deadline, with a reason', async () => {
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'error' });
    await scene.sees([scene.deposit(body, 'a')]);
    for (scene.now += 1_000; scene.now < body.deadlineAt; scene.now += 60_000) await scene.settles(scene.destination);
    scene.now = body.deadlineAt;
    await scene.settles(scene.destination);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    scene.origin.lands(KEY, 151, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.request(body)).toMatchObject({ status: 'refund', failReason: 'PROTOCOL_DEADLINE_EXPIRED' });
    expect(scene.destination.prepared).toEqual([]);
  });

  it('lifi-widget-717: an amount that cannot be transferred is held, and nothing is sent', async () => {
    scene.origin.gasCost = 50_000n;
    await owesRefund();
    expect(await scene.store.holds('open')).toMatchObject([{ amount: 50_000n, reason: 'AMOUNT_TOO_LOW_TO_REFUND' }]);
    expect((await scene.requestOf({ fundingKey: '901:a:0' })).refundFailReason).toBe('AMOUNT_TOO_LOW_TO_REFUND');
    expect(scene.origin.prepared).toEqual([]);
  });
});

describe('push, not poll', () => {
  it('requestnetwork-1295+pos-portal-117: every status change writes its event in the same change set, in order and exactly once', async () => {
    const statuses: string[] = [];
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = async (set) => {
      const before = (await scene.store.request(body.requestId))?.status;
      const outcome = await apply(set);
      const after = (await scene.store.request(body.requestId))?.status;
      if (after !== undefined && after !== before) {
        statuses.push(after);
        const events = await scene.store.events(0, 100);
        expect(JSON.parse(events.at(-1)?.payload ?? '{}')).toMatchObject({ data: { status: after } });
      }
      return outcome;
    };
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false, final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    scene.origin.lands(KEY, 151, { final: true });
    await scene.tracks(scene.origin);
    const events = await scene.store.events(0, 100);
    const reported = events.map(({ payload }) => (JSON.parse(payload) as { data: { status: string } }).data.status);
    expect(reported).toEqual(statuses);
    expect(reported.at(-1)).toBe('refund');
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });
});
