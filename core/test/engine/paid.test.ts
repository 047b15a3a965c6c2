import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck, LegPaid } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { InflowWatch } from '../../src/engine/pots/inflows.js';
import { matchLane } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

const FILL = () => legId.fill(body.orderId);
const REFUND = legId.refund('901:a:0');
const USED: LegCheck = { ok: false, kind: 'refused', reason: 'INVALID_NONCE', message: 'KeyUsed()' };
const FILLED: LegCheck = { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'AlreadyFilled()' };

function paid(chain: ScriptedChain, leg: string, change: Partial<LegPaid>): void {
  chain.paid.set(leg, {
    hash: '0xlost',
    block: { height: 140, id: 'b140', timestamp: scene.now },
    final: true,
    sender: SIGNER,
    currency: chain.coin,
    recipient: 'nobody',
    moved: 0n,
    ...change,
  });
}

describe('a refund whose once-only use is spent', () => {
  beforeEach(async () => {
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
    scene.origin.checkAnswer = () => USED;
  });

  it('was paid: the request ends as refunded, with the transaction that did it', async () => {
    paid(scene.origin, REFUND, { recipient: body.refundRecipient, moved: 99_990n });
    await scene.pays(scene.origin);
    expect((await scene.request(body)).status).toBe('refund');
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'done', amount: 99_990n });
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.transactions.at(-1)).toMatchObject({ role: 'refund', hash: '0xlost', block: 140 });
    expect(await scene.pot('depository:901:coin-901')).toBe(10n);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(10n);
    expect(await scene.store.holds('open')).toEqual([]);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('waits while the payment is not final', async () => {
    paid(scene.origin, REFUND, { recipient: body.refundRecipient, moved: 99_990n, final: false });
    await scene.pays(scene.origin);
    expect((await scene.leg(REFUND))?.state).toBe('owed');
    paid(scene.origin, REFUND, { recipient: body.refundRecipient, moved: 99_990n });
    scene.now += 2_000;
    await scene.pays(scene.origin);
    expect((await scene.leg(REFUND))?.state).toBe('done');
  });

  it('is held where no payment of it is found', async () => {
    await scene.pays(scene.origin);
    expect((await scene.leg(REFUND))?.state).toBe('held');
  });
});

describe('a fill whose order is filled', () => {
  beforeEach(async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    scene.destination.checkAnswer = () => FILLED;
  });

  it('by one of our lanes, to the right recipient, is a success', async () => {
    paid(scene.destination, FILL(), { recipient: body.recipient, moved: 99_000n });
    await scene.settles(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
    expect((await scene.leg(FILL()))?.state).toBe('done');
    await scene.finalises(150);
    await scene.idle();
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(100_000n);
  });

  it.each<[string, Partial<LegPaid>]>([
    ['another sender', { sender: 'stranger', recipient: 'user', moved: 99_000n }],
    ['us for less than is owed', { recipient: 'user', moved: 98_999n }],
    ['the solver to another recipient', { recipient: 'thief', moved: 99_000n }],
    ['us as far as a name goes that fits others', { recipient: 'user', moved: 99_000n, doubtful: true }],
    ['us in another currency', { recipient: 'user', moved: 99_000n, currency: 'junk' }],
  ])('by %s is held', async (_, change) => {
    const recipient = change.recipient === 'user' ? body.recipient : change.recipient;
    paid(scene.destination, FILL(), { ...change, ...(recipient === undefined ? {} : { recipient }) });
    await scene.settles(scene.destination);
    expect((await scene.leg(FILL()))?.state).toBe('held');
  });
});

describe('a deposit that the lost part of a ledger refunded', () => {
  beforeEach(async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.finalises(150);
    // The origin's lane sent that refund.
    scene.origin.position = '1';
    await openLane(scene.context, scene.origin, SIGNER);
    scene.origin.spenders.set(`${SIGNER}:0`, { hash: '0xlost', final: true, filled: [] });
    paid(scene.origin, REFUND, { recipient: body.refundRecipient, moved: 99_990n });
    scene.origin.checkAnswer = () => USED;
  });

  it('is not filled: not while that lane is halted, nor when it goes on', async () => {
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    expect((await matchLane(scene.context, scene.origin, SIGNER)).ok).toBe(true);
    for (let n = 0; n < 3; n += 1) {
      scene.now += 2_500;
      await scene.pays(scene.destination);
      await scene.pays(scene.origin);
    }
    expect(scene.destination.prepared).toEqual([]);
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.request(body)).toMatchObject({ status: 'refund' });
    await scene.idle();
  });

  it('is filled when it turns out that it was another one', async () => {
    scene.origin.paid.clear();
    await matchLane(scene.context, scene.origin, SIGNER);
    scene.now += 2_500;
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
  });
});

describe('a collect that the lost part of a ledger made', () => {
  let collect: string;

  beforeEach(async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    await collectChain(scene.context, scene.origin);
    collect = (await scene.store.claimDue(901, SIGNER, scene.now, 10))[0]?.id ?? '';
  });

  const wasMade = () => {
    scene.origin.position = '1';
    scene.origin.balance += 100_000n;
    paid(scene.origin, collect, { recipient: SIGNER, moved: 100_000n });
    scene.origin.checkAnswer = () => USED;
  };

  const isCountedOnce = async () => {
    expect((await scene.leg(collect))?.state).toBe('done');
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(scene.origin.balance);
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    await scene.books();
  };

  it('is done, and its inventory is counted once', async () => {
    // The collect was lost, and the lane resumed with its income.
    wasMade();
    await openLane(scene.context, scene.origin, SIGNER);
    scene.origin.spenders.set(`${SIGNER}:0`, { hash: '0xlost', final: true, filled: [] });
    await matchLane(scene.context, scene.origin, SIGNER);
    await scene.settles(scene.origin);
    await isCountedOnce();
  });

  it.each(['before', 'after'])('is counted once where its sum is found %s it', async (when) => {
    // Only its replacement was lost: no position is unknown, so this looks like a top-up.
    await scene.settles(scene.origin);
    wasMade();
    scene.origin.evidence.set(`${SIGNER}:0`, { state: 'spentByOther', final: true });
    await scene.tracks(scene.origin);
    expect((await scene.leg(collect))?.state).toBe('owed');
    scene.now += 5_000;
    if (when === 'after') await scene.settles(scene.origin);
    const inflows = new InflowWatch();
    for (let n = 0; n < 3; n += 1) await inflows.check(scene.context, scene.origin, SIGNER);
    if (when === 'before') await scene.settles(scene.origin);
    await isCountedOnce();
  });
});

describe('two deposits for one order that the lost part of a ledger filled', () => {
  it.each(['a', 'b'])('leave it one of them: %s was refunded, the other one is held', async (name) => {
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(body, 'b')]);
    await scene.finalises(150);
    scene.destination.position = '1';
    await openLane(scene.context, scene.destination, SIGNER);
    scene.destination.spenders.set(`${SIGNER}:0`, { hash: '0xlost', final: true, filled: [body.orderId] });
    await matchLane(scene.context, scene.destination, SIGNER);
    scene.destination.checkAnswer = () => FILLED;
    paid(scene.origin, legId.refund(`901:${name}:0`), { recipient: body.refundRecipient, moved: 99_990n });
    for (let n = 0; n < 3; n += 1) {
      scene.now += 2_500;
      await scene.pays(scene.destination);
      await scene.pays(scene.origin);
    }
    expect(scene.origin.prepared).toEqual([]);
    expect(scene.destination.prepared).toEqual([]);
  });
});
