import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyEvidence, LegEffect } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { Scene } from './support/scene.js';
import type { ScriptedChain } from './support/scripted-chain.js';

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
const FILL = () => legId.fill(body.orderId);
const REFUND = legId.refund('901:a:0');
const ROUNDS = 12;

/** Final success with scripted effects. */
function succeeded(chain: ScriptedChain, height: number, effects: readonly LegEffect[]): void {
  chain.lands(KEY, height, { final: true });
  const landed = chain.evidence.get(KEY) as Extract<KeyEvidence, { state: 'spent' }>;
  chain.evidence.set(KEY, { ...landed, effects });
}

/** All retries. */
async function goesOn(): Promise<void> {
  for (let n = 0; n < ROUNDS; n += 1) {
    scene.now += 10_000;
    await scene.finalises(150 + n);
    await scene.pays(scene.origin);
    await scene.tracks(scene.origin);
    await scene.pays(scene.destination);
    await scene.tracks(scene.destination);
  }
}

describe.each([
  ['names another recipient', (id: string): LegEffect[] => [{ legId: id, done: false, moved: 0n }]],
  ['is left out', (): LegEffect[] => []],
])('a fill whose transaction succeeded, while what it did %s', (_, effects) => {
  beforeEach(async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    succeeded(scene.destination, 501, effects(FILL()));
    await scene.tracks(scene.destination);
  });

  it('is held with an alert, and neither refunded nor sent again', async () => {
    await goesOn();
    expect(scene.destination.prepared).toHaveLength(1);
    expect(scene.origin.prepared).toEqual([]);
    expect(await scene.leg(FILL())).toMatchObject({ state: 'held', reason: 'unread' });
    expect(await scene.leg(REFUND)).toBeUndefined();
    expect(scene.alerts).toContain(`unread:${FILL()}`);
    expect(await scene.request(body)).toMatchObject({
      status: 'failure',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
    });
    expect(await scene.store.holds('open')).toMatchObject([{ fundingKey: '901:a:0', amount: 100_000n }]);
    await scene.idle();
    scene.errors.length = 0;
  });

  it('is refunded only by an operator who names a recipient', async () => {
    const [hold] = await scene.store.holds('open');
    if (!hold) throw new Error('no hold');
    expect(await releaseHold(scene.context, hold.id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, hold.id, 'depositor')).toMatchObject({ ok: true, state: 'owed' });
    scene.errors.length = 0;
  });
});

it('a fill that came back, as a message that bounced, is refunded less what sending it took', async () => {
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.pays(scene.destination);
  succeeded(scene.destination, 501, [{ legId: FILL(), done: false, moved: 0n, returned: true }]);
  await scene.tracks(scene.destination);
  expect(await scene.leg(FILL())).toMatchObject({ state: 'closed', reason: 'TRANSACTION_REVERTED', spent: 7n });
  expect(await scene.leg(REFUND)).toMatchObject({ state: 'blocked' });
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect(scene.origin.prepared.at(-1)?.legs[0]?.amount).toBe(100_000n - 10n - 7n);
});

describe('a refund whose transaction succeeded without its effect being read', () => {
  beforeEach(async () => {
    await scene.sees([scene.deposit(null, 'a')]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    succeeded(scene.origin, 151, [{ legId: REFUND, done: false, moved: 0n }]);
    await scene.tracks(scene.origin);
    scene.errors.length = 0;
  });

  it('is not made again', async () => {
    await goesOn();
    expect(scene.origin.prepared).toHaveLength(1);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'unread' });
    expect(scene.alerts).toContain(`unread:${REFUND}`);
  });

  it('is released only to a recipient whom an operator names', async () => {
    const [hold] = await scene.store.holds('open');
    if (!hold) throw new Error('no hold');
    expect(await releaseHold(scene.context, hold.id)).toMatchObject({ ok: false, code: 'notSafe' });
  });
});

it('a collect whose transaction succeeded without its effect being read is not made again', async () => {
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.pays(scene.destination);
  scene.destination.lands(KEY, 501, { final: true });
  await scene.tracks(scene.destination);
  await scene.finalises(150);
  const { collectChain } = await import('../../src/engine/pots/collect.js');
  await collectChain(scene.context, scene.origin);
  await scene.pays(scene.origin);
  const id = scene.origin.prepared[0]?.legs[0]?.legId ?? '';
  succeeded(scene.origin, 151, []);
  await scene.tracks(scene.origin);
  await goesOn();
  expect(scene.origin.prepared).toHaveLength(1);
  expect(await scene.leg(id)).toMatchObject({ kind: 'collect', state: 'held', reason: 'unread' });
  expect(scene.alerts).toContain(`unread:${id}`);
  scene.errors.length = 0;
});
