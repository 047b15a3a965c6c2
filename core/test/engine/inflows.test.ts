import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InflowWatch } from '../../src/engine/pots/inflows.js';
import { Scene } from './support/scene.js';

let scene: Scene;
let watch: InflowWatch;
let pot: string;

beforeEach(async () => {
  scene = await Scene.open();
  watch = new InflowWatch();
  const { destination } = scene;
  pot = `inventory:${destination.facts.id}:${destination.lanes[0]?.signer}:${destination.facts.currency.address}`;
});

afterEach(async () => {
  await scene.close();
});

const check = () => watch.check(scene.context, scene.destination, scene.destination.lanes[0]?.signer ?? '');

async function setHalt(halted: string | null): Promise<void> {
  const lane = await scene.store.lane(scene.destination.facts.id, scene.destination.lanes[0]?.signer ?? '');
  if (!lane) throw new Error('the lane is open');
  const { id, version } = lane;
  await scene.store.apply({
    name: 'halt',
    changes: [{ op: 'update', table: 'lanes', key: { id }, version, set: { halted } }],
  });
}

describe('funds that come into a lane from outside', () => {
  it('become inventory once two rounds agree on them, and only once', async () => {
    const before = await scene.pot(pot);
    scene.destination.balance = before + 500n;
    await check();
    expect(await scene.pot(pot)).toBe(before);
    await check();
    expect(await scene.pot(pot)).toBe(before + 500n);
    await check();
    await check();
    expect(await scene.pot(pot)).toBe(before + 500n);
  });

  it('are believed up to what two passes found, whatever third parties send or take back in between', async () => {
    const before = await scene.pot(pot);
    const booked: bigint[] = [];
    for (const more of [500n, 501n, 503n, 400n, 506n, 506n]) {
      scene.destination.balance = before + more;
      await check();
      booked.push((await scene.pot(pot)) - before);
    }
    expect(booked).toEqual([0n, 500n, 501n, 501n, 501n, 506n]);
  });

  it('are not distinguished from what the lane itself has on its way', async () => {
    const before = await scene.pot(pot);
    await scene.sees([scene.deposit(await scene.quote(1), 'd1')]);
    await scene.settles(scene.destination);
    scene.destination.balance = before + 500n;
    await check();
    await check();
    expect(await scene.pot(pot)).toBe(before);
  });

  it('are not believed while the lane is halted: a restored database may have forgotten where they come from', async () => {
    const before = await scene.pot(pot);
    await setHalt('ahead');
    scene.destination.balance = before + 500n;
    await check();
    await check();
    await check();
    expect(await scene.pot(pot)).toBe(before);
    // Two rounds after the halt they are booked normally.
    await setHalt(null);
    await check();
    expect(await scene.pot(pot)).toBe(before);
    await check();
    expect(await scene.pot(pot)).toBe(before + 500n);
  });

  it('that are missing are never booked', async () => {
    const before = await scene.pot(pot);
    scene.destination.balance = before - 1n;
    await check();
    await check();
    expect(await scene.pot(pot)).toBe(before);
    expect(scene.alerts.has(`shortfall:${pot}`)).toBe(true);
  });
});
