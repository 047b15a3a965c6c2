import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { moveRequest } from '../../src/engine/books/requests.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

/** Something happens right after the fill's bytes became durable. */
async function settlesWhile(happens: () => void): Promise<void> {
  const { tenure } = scene.context;
  const watching = {
    ...tenure,
    held: () => tenure.held(),
    apply: async (set: Parameters<typeof tenure.apply>[0]) => {
      const outcome = await tenure.apply(set);
      if (set.name === 'engine.settle.sign') happens();
      return outcome;
    },
  };
  await scene.round(scene.destination, { ...scene.context, tenure: watching });
}

describe('bytes that are durable', () => {
  it.each([
    ['stops', () => scene.over.abort()],
    [
      'loses its lease',
      () => {
        scene.held = false;
      },
    ],
  ])('are not sent by an engine that %s in between', async (_, happens) => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await settlesWhile(happens);
    expect(scene.destination.prepared).toHaveLength(1);
    expect((await scene.leg(`fill:${body.orderId}`))?.state).toBe('bound');
    expect(scene.destination.sent).toEqual([]);
  });
});

describe('a status', () => {
  it('stays where the table has no way on, and the bug is logged', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    const unit = new UnitOfWork();
    unit.load('requests', await scene.request(body));
    moveRequest(scene.context, unit, body.requestId, 'refundFinal', {}, { guard: 'no such guard' });
    moveRequest(scene.context, unit, body.requestId, 'depositSeen', { details: 'kept' });
    expect(unit.get('requests', body.requestId)).toMatchObject({ status: 'pending', details: 'kept' });
    expect(unit.toChangeSet('test').changes.filter((change) => change.op === 'insert')).toEqual([]);
    expect(scene.errors.splice(0)).toEqual([
      expect.stringContaining('refused transition'),
      expect.stringContaining('refused transition'),
    ]);
  });
});
