import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { FreshLegs } from '../../src/engine/base/fresh-legs.js';
import { LaneRounds, settleLane } from '../../src/engine/payouts/settle.js';
import { requestId } from '../../src/testing/store-fixtures.js';
import { accept, EXECUTOR, withExecutor } from './support/calls.js';
import { Scene } from './support/scene.js';

/** Legs that a lane is given by what committed them. */
let scene: Scene;
let rounds: LaneRounds;

beforeEach(async () => {
  scene = await Scene.open();
  await withExecutor(scene);
  rounds = new LaneRounds();
  scene.context.wakeLane = (_chainId, _signer, fresh) => fresh && rounds.fresh.give(fresh);
  await settles();
});

afterEach(() => scene.close());

const settles = () => settleLane(scene.context, scene.destination, EXECUTOR, rounds);
const keys = async () =>
  (await scene.store.openKeys(scene.destination.facts.id, EXECUTOR, 10)).map(({ key }) => key.key);

it('go out without being read, and their sends are noted without it', async () => {
  const [claims, views] = [vi.spyOn(scene.context.store, 'claimDue'), vi.spyOn(scene.context.store, 'views')];
  await accept(scene, 1);
  await settles();
  await rounds.sends.end();
  expect(claims).not.toHaveBeenCalled();
  expect(views).not.toHaveBeenCalled();
  expect(await scene.request({ requestId: requestId(1) })).toMatchObject({ status: 'submitted' });
  await scene.books();
});

it('are not read with their requests where a claim finds them unchanged', async () => {
  const [claims, views] = [vi.spyOn(scene.context.store, 'claimDue'), vi.spyOn(scene.context.store, 'views')];
  await accept(scene, 1);
  rounds.forget();
  await settles();
  await rounds.sends.end();
  expect([claims.mock.calls.length, views.mock.calls.length]).toEqual([1, 0]);
  await accept(scene, 2);
  const [fresh] = rounds.fresh.take(1);
  if (fresh === undefined) throw new Error('nothing was given');
  rounds.fresh.give(fresh);
  expect(rounds.fresh.claimed([{ ...fresh.leg, version: 2 }], [])).toEqual([]);
  rounds.fresh.give(fresh);
  expect(rounds.fresh.claimed([fresh.leg], [fresh])).toEqual([fresh]);
});

it('that changed since go out once, as they are now', async () => {
  await accept(scene, 1);
  await accept(scene, 2);
  const changed = legId.call(requestId(1));
  const { version = 0 } = (await scene.leg(changed)) ?? {};
  const set = { dueAt: scene.now };
  await scene.store.apply({
    name: 'other',
    changes: [{ op: 'update', table: 'legs', key: { id: changed }, version, set }],
  });
  await settles();
  expect(await keys()).toEqual([]);
  await settles();
  await settles();
  await rounds.sends.end();
  expect(await keys()).toEqual([`${EXECUTOR}:0`, `${EXECUTOR}:1`]);
  expect(scene.destination.sent).toHaveLength(2);
});

it('of a request that changed before the send is noted are noted as they are now', async () => {
  const { send } = scene.destination;
  scene.destination.send = async (transaction) => {
    const row = await scene.request({ requestId: requestId(1) });
    const change = { op: 'update', table: 'requests', key: { id: row.id }, version: row.version } as const;
    await scene.store.apply({ name: 'other', changes: [{ ...change, set: { details: 'changed' } }] });
    return send.call(scene.destination, transaction);
  };
  await accept(scene, 1);
  await settles();
  await rounds.sends.end();
  expect(await scene.request({ requestId: requestId(1) })).toMatchObject({ status: 'submitted', details: 'changed' });
});

it('are not given twice, and only so many are kept', async () => {
  await accept(scene, 1);
  const [fresh] = rounds.fresh.take(10);
  if (fresh === undefined) throw new Error('nothing was given');
  const legs = new FreshLegs();
  legs.claimed([fresh.leg], []);
  legs.give(fresh);
  expect(legs.take(10)).toEqual([]);
  legs.claimed([], []);
  for (let n = 0; n < 1_000; n += 1) legs.give(fresh);
  expect(legs.take(1_000)).toHaveLength(500);
});
