import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { markRestored, restoredAt } from '../../src/engine/restored.js';
import { Scene } from './support/scene.js';

const ALREADY: LegCheck = { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'AlreadyFilled()' };
const ORPHAN = `0x${'99'.repeat(32)}` as const;

let scene: Scene;
let body: QuoteBody;

/** A ledger that was put back a second ago; its lanes stand where their chains do. */
beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  scene.now += 1_000;
  await markRestored(scene.store, scene.now);
});

afterEach(async () => {
  await scene.close();
});

const refund = (name: string) => scene.leg(legId.refund(`901:${name}:0`));
const blockAt = (timestamp: number) => ({ height: 101, id: 'late', timestamp });

describe('a ledger that was put back', () => {
  it.each([
    ['filled', 'held'],
    ['open', 'owed'],
    ['never', 'bound'],
  ])('pays back what was promised before by what the chain says of its order: %s', async (fate, state) => {
    await scene.sees([scene.deposit(body, 'a', { block: blockAt(body.deadlineAt + 1) })]);
    await scene.finalises(150);
    scene.destination.unfilled = fate === 'never';
    if (fate === 'filled') scene.destination.checkAnswer = () => ALREADY;
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state });
    expect(scene.origin.prepared).toHaveLength(state === 'bound' ? 1 : 0);
  });

  it('holds what was paid in before for an order that it does not have, and pays back what comes later', async () => {
    await scene.sees([scene.deposit(null, 'a', { orderId: ORPHAN })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'held' });
    await scene.sees([
      scene.deposit(null, 'b', { orderId: ORPHAN, block: { height: 151, id: 'b', timestamp: scene.now + 1 } }),
    ]);
    await scene.finalises(160);
    await scene.pays(scene.origin);
    expect(await refund('b')).toMatchObject({ state: 'bound' });
  });

  it('remembers the last time', async () => {
    await markRestored(scene.store, scene.now + 5);
    expect(await restoredAt(scene.store)).toBe(scene.now + 5);
  });
});
