import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { audit } from '../../src/engine/operator/audit.js';
import { refundRequest } from '../../src/engine/operator/refund-request.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { matchLane } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

const UNPAID = 'no deposit of this request was seen: nothing is owed';
const REFUND = legId.refund('901:a:0');
const give = (id: `0x${string}` = body.requestId) => refundRequest(scene.context, id);

/** Seen, final, fill unsigned: the chain is unreachable. */
async function waits(): Promise<void> {
  scene.destination.checkAnswer = () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'later' });
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.finalises(150);
  await scene.settles(scene.destination);
}

describe('an operator who refunds a request', () => {
  it('owes its deposit back once, however often it is said', async () => {
    await waits();
    expect(await give()).toMatchObject({ ok: true, state: 'owed', legId: REFUND });
    expect(await give()).toMatchObject({ ok: true, state: 'inProgress' });
    expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason: 'MANUAL_ADMIN_REFUND' });
    await scene.pays(scene.origin);
    scene.origin.lands('filler:0', 151, { final: true });
    await scene.tracks(scene.origin);
    expect(await give()).toMatchObject({ ok: true, state: 'alreadyDone' });
    expect((await scene.request(body)).status).toBe('refund');
    scene.now += 60_000;
    scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    await scene.idle();
  });

  it('twice at once owes it once', async () => {
    await waits();
    const both = await Promise.all([give(), give()]);
    expect(both.map((one) => one.ok && one.state).sort()).toEqual(['inProgress', 'owed']);
  });

  it('may do so for a deposit that nothing was decided about', async () => {
    scene.origin.depth = 1_000;
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await give()).toMatchObject({ ok: false, code: 'notSafe' });
    scene.origin.providersAsked = 2;
    await scene.finalises(150);
    expect(await give()).toMatchObject({ ok: false, code: 'notSafe' });
    scene.origin.providersAsked = 1;
    expect(await give()).toMatchObject({ ok: true, state: 'owed' });
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'owed', recipient: body.refundRecipient });
  });

  it('is refused once a fill was signed, which may land whatever the result of its send', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.finalises(150);
    scene.destination.sendAnswer = { outcome: 'rejected', meaning: 'invalid', message: 'no' };
    await scene.settles(scene.destination);
    expect(await give()).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await scene.leg(REFUND)).toBeUndefined();
  });

  it('is refused while the deposit may vanish, and while a halted lane may have filled it', async () => {
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'later' });
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await give()).toMatchObject({ ok: false, code: 'notSafe' });
    await scene.finalises(150);
    scene.destination.position = '3';
    await openLane(scene.context, scene.destination, SIGNER);
    scene.errors.length = 0;
    expect(await give()).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await scene.leg(REFUND)).toBeUndefined();
  });

  it('is informed of a request that is not there, and of one that was filled', async () => {
    expect(await give(`0x${'77'.repeat(32)}`)).toMatchObject({ ok: false, code: 'notFound' });
    expect(await give()).toMatchObject({ ok: false, code: 'notApplicable', message: UNPAID });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await give()).toMatchObject({ ok: false, code: 'notApplicable' });
  });
});

describe('an operator who releases a hold', () => {
  /** A refund below its gas cost. */
  async function held(): Promise<string> {
    scene.origin.gasCost = 200_000n;
    await scene.sees([scene.deposit(body, 'a', { amount: 1_000n })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    const [hold] = await scene.store.holds('open');
    if (!hold) throw new Error('nothing is held');
    return hold.id;
  }

  async function paid(position: number): Promise<void> {
    await scene.pays(scene.origin);
    scene.origin.lands(`filler:${position}`, 160 + position, { final: true });
    await scene.tracks(scene.origin);
  }

  it('pays all of it, once, to the recipient that was fixed', async () => {
    const id = await held();
    const unpaid = await releaseHold(scene.context, id, undefined, true);
    expect(unpaid).toMatchObject({ ok: false, code: 'notApplicable' });
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: true, state: 'owed', legId: REFUND });
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: true, state: 'inProgress' });
    await paid(0);
    expect(scene.origin.prepared).toHaveLength(1);
    expect(scene.origin.prepared[0]?.legs).toMatchObject([
      { legId: REFUND, amount: 1_000n, recipient: body.refundRecipient },
    ]);
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: true, state: 'alreadyDone' });
    expect((await scene.requestOf({ fundingKey: '901:a:0' })).status).toBe('refund');
    expect(await scene.store.holds('open')).toEqual([]);
    expect(await scene.pot('held:901:coin-901')).toBe(0n);
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    await scene.idle();
  });

  it('to another recipient pays that one, under the same once-only use', async () => {
    const id = await held();
    await releaseHold(scene.context, id, 'somebody');
    await paid(0);
    expect(scene.origin.prepared[0]?.legs).toMatchObject([
      { recipient: 'somebody', useKey: scene.origin.useKey('901:a:0', 'refund') },
    ]);
  });

  it('that fails again is held again, as a hold of its own', async () => {
    const id = await held();
    await releaseHold(scene.context, id);
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'UNKNOWN', message: 'no' });
    await scene.pays(scene.origin);
    const [again] = await scene.store.holds('open');
    expect(again?.id).not.toBe(id);
    expect(await releaseHold(scene.context, again?.id ?? '')).toMatchObject({ ok: true, state: 'owed' });
    scene.origin.checkAnswer = () => ({ ok: true, plan: '{}' });
    await paid(0);
    expect((await scene.leg(REFUND))?.state).toBe('done');
  });

  it('must name a recipient where no one knows who paid, whatever it was held for', async () => {
    scene.origin.gasCost = 200_000n;
    await scene.sees([scene.deposit(null, 'a', { depositor: 'many' })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    const [hold] = await scene.store.holds('open');
    expect(hold).toMatchObject({ reason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    const id = hold?.id ?? '';
    const refusal = await releaseHold(scene.context, id);
    expect(refusal).toMatchObject({ ok: false, code: 'notSafe', message: expect.stringContaining('many owns it') });
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', releasedBy: null });
    expect(await releaseHold(scene.context, id, 'payer')).toMatchObject({ ok: true, state: 'owed', legId: REFUND });
    await paid(0);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'done', recipient: 'payer', releasedBy: 'operator' });
  });

  it('need not where the chain names the payer', async () => {
    scene.origin.facts = { ...scene.origin.facts, namesDepositors: true };
    scene.origin.gasCost = 200_000n;
    await scene.sees([scene.deposit(null, 'a')]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    const [hold] = await scene.store.holds('open');
    expect(await releaseHold(scene.context, hold?.id ?? '')).toMatchObject({ ok: true, state: 'owed' });
  });

  it('must name a recipient where the order was filled by something else', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.finalises(150);
    scene.destination.checkAnswer = () => ({
      ok: false,
      kind: 'refused',
      reason: 'ORDER_ALREADY_FILLED',
      message: 'AlreadyFilled()',
    });
    await scene.settles(scene.destination);
    const [hold] = await scene.store.holds('open');
    const id = hold?.id ?? '';
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, id, SIGNER)).toMatchObject({ ok: true, state: 'owed', legId: REFUND });
    expect(await releaseHold(scene.context, id, 'another')).toMatchObject({ ok: true, state: 'inProgress' });
    await paid(0);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.recipient)).toEqual([SIGNER]);
  });

  it('pays a refund that was held because the lost part of a ledger filled its order', async () => {
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
    scene.destination.position = '1';
    await openLane(scene.context, scene.destination, SIGNER);
    scene.destination.spenders.set(`${SIGNER}:0`, { hash: '0xlost', final: true, filled: [body.orderId] });
    await matchLane(scene.context, scene.destination, SIGNER);
    await scene.pays(scene.origin);
    const [hold] = await scene.store.holds('open');
    const id = hold?.id ?? '';
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, id, SIGNER)).toMatchObject({ ok: true, state: 'owed', legId: REFUND });
    await paid(0);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'done', recipient: SIGNER });
    expect(await scene.store.holds('open')).toEqual([]);
    scene.errors.length = 0;
  });

  it('is informed of what is not there, and of what is no address', async () => {
    expect(await releaseHold(scene.context, 'hold:nothing:1')).toMatchObject({ ok: false, code: 'notFound' });
    const id = await held();
    scene.origin.parseAddress = (() => ({ ok: false, reason: 'too short' })) as never;
    expect(await releaseHold(scene.context, id, '?')).toMatchObject({ ok: false, code: 'invalid' });
  });
});

describe('the audit', () => {
  it('says of each request what it waits for, and names what no configured lane can move', async () => {
    await waits();
    const [request] = (await audit(scene.context)).requests;
    expect(request).toMatchObject({ id: body.requestId, status: 'pending', why: 'its fill is due' });
    const chains = new Map(scene.context.chains);
    chains.delete(902);
    const without = await audit({ ...scene.context, chains });
    expect(without.requests[0]?.why).toContain('not configured');
    expect(without.orphans).toEqual([{ what: 'open fill legs of lane 902:filler, which is not configured', count: 1 }]);
  });

  it('distinguishes a surplus that is not booked yet from a deficit', async () => {
    const depository = 'depository:901:coin-901';
    await scene.sees([scene.deposit(await scene.quote(7), 'b')]);
    const books = await scene.pot(depository);
    const look = async (holds: bigint) => {
      scene.origin.depositoryBalance = holds;
      const { balanced, covered, pots } = await audit(scene.context);
      return { balanced, covered, drift: pots.find(({ account }) => account === depository)?.drift };
    };
    expect(await look(books)).toEqual({ balanced: true, covered: true, drift: null });
    expect(await look(books + 1n)).toEqual({ balanced: false, covered: true, drift: 'unrecordedInflow' });
    expect(await look(books - 1n)).toEqual({ balanced: false, covered: false, drift: 'unrecordedOutflow' });
  });

  it('names a drift that a halted lane explains, and a chain that does not answer', async () => {
    scene.destination.position = '1';
    scene.destination.balance = 5n;
    await openLane(scene.context, scene.destination, SIGNER);
    scene.errors.length = 0;
    scene.origin.potBalance = async () => Promise.reject(new Error('no provider'));
    const report = await audit(scene.context);
    const drifts = Object.fromEntries(report.pots.map(({ account, drift }) => [account, drift]));
    expect(drifts['inventory:902:filler:coin-902']).toBe('laneHalted');
    expect(drifts['inventory:901:filler:coin-901']).toBe('chainUnreachable');
    expect(report.balanced).toBe(false);
    expect(report.lanes.map(({ id, halted }) => [id, halted !== null])).toContainEqual(['902:filler', true]);
  });
});
