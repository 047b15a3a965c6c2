import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counter, legId } from '../../src/domain/accounts.js';
import { InventoryView } from '../../src/engine/books/inventory.js';
import { NOW } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open({
    limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: 250_000n, dustMicroUsd: 0n },
  });
});

afterEach(async () => {
  await scene.close();
});

const DAY_MS = 86_400_000;
const KEY = 'filler:0';
const volume = () => scene.pot(counter.volume(NOW));

describe('the volume of a day is given back', () => {
  it('by a fill that the chain refuses', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await volume()).toBe(100_000n);
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    await scene.pays(scene.destination);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'void', claimedAt: null });
    expect(await volume()).toBe(0n);
  });

  it('by one that reverts, on the day that it was claimed on', async () => {
    const body = await scene.quote(1, { deadlineAt: NOW + 2 * DAY_MS });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    scene.now += DAY_MS;
    scene.destination.lands(KEY, 501, { final: true, ok: false });
    await scene.tracks(scene.destination);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'closed', claimedAt: null });
    expect(await volume()).toBe(0n);
    expect(await scene.pot(counter.volume(scene.now))).toBe(0n);
  });

  it('by one whose deposit vanished, and taken back when that returns', async () => {
    const body = await scene.quote(1);
    const deposit = scene.deposit(body, 'a');
    await scene.sees([deposit]);
    await scene.sees([], { rewoundTo: 100 });
    expect(await volume()).toBe(0n);
    await scene.sees([deposit]);
    expect(await volume()).toBe(100_000n);
    expect((await scene.leg(legId.fill(body.orderId)))?.claimedAt).toBe(scene.now);
  });

  it('and never charged for what was paid on top, which is refunded', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a', { amount: 100_000_000n })]);
    expect((await scene.leg(legId.fill(body.orderId)))?.covers).toBe(100_000n);
    expect(await volume()).toBe(100_000n);
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    await scene.pays(scene.destination);
    expect(await volume()).toBe(0n);
  });

  it('by none that delivered, or may have', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await volume()).toBe(100_000n);
  });
});

it('refused fills leave the day to others', async () => {
  scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
  for (let n = 1; n <= 5; n += 1) {
    await scene.sees([scene.deposit(await scene.quote(n), `thief-${n}`)]);
    await scene.pays(scene.destination);
  }
  scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
  const honest = await scene.quote(6);
  await scene.sees([scene.deposit(honest, 'honest')]);
  await scene.pays(scene.destination);
  expect(await scene.leg(legId.fill(honest.orderId))).toMatchObject({ state: 'bound' });
});

it('quotes know how much of the day is left', async () => {
  const view = new InventoryView();
  await view.refresh(scene.context);
  expect(view.volumeLeft(scene.context)).toBe(250_000n);
  await scene.sees([scene.deposit(await scene.quote(1), 'a'), scene.deposit(await scene.quote(2), 'b')]);
  await view.refresh(scene.context);
  expect(view.volumeLeft(scene.context)).toBe(50_000n);
  scene.now += DAY_MS;
  expect(view.volumeLeft(scene.context)).toBe(250_000n);
});

describe('a fill that its signer cannot pay for', () => {
  /** The first of two fills exceeds the inventory. */
  async function largeAndSmall() {
    const [large, small] = [await scene.quote(1, { amountOut: '99001' }), await scene.quote(2)];
    await scene.sees([scene.deposit(large, 'a'), scene.deposit(small, 'b')]);
    const { prepare } = scene.destination;
    scene.destination.prepare = async (input) =>
      input.legs.some(({ leg }) => leg.amount === 99_001n)
        ? { ok: false, why: 'noGas', message: 'too expensive' }
        : prepare.call(scene.destination, input);
    return { large: legId.fill(large.orderId), small: legId.fill(small.orderId) };
  }

  it('lets the ones behind it go first', async () => {
    const { large, small } = await largeAndSmall();
    await scene.pays(scene.destination);
    expect(await scene.leg(small)).toMatchObject({ state: 'bound' });
    expect(await scene.leg(large)).toMatchObject({ state: 'owed' });
    expect((await scene.leg(large))?.dueAt).toBeGreaterThan(scene.now);
  });

  it('waits longer the older it is, and is paid once there is enough', async () => {
    const { large } = await largeAndSmall();
    const pauses: number[] = [];
    for (let n = 0; n < 40; n += 1) {
      await scene.settles(scene.destination);
      pauses.push(((await scene.leg(large))?.dueAt ?? 0) - scene.now);
      scene.now += 5_000;
    }
    expect(Math.max(...pauses.slice(-5))).toBeGreaterThan(Math.max(...pauses.slice(0, 5)));
    delete (scene.destination as { prepare?: unknown }).prepare;
    scene.now += 20_000;
    await scene.settles(scene.destination);
    expect(await scene.leg(large)).toMatchObject({ state: 'bound' });
  });

  it('is not claimed for where its own greatest fee is not left', async () => {
    const body = await scene.quote(1);
    Object.assign(scene.destination, { legCost: () => ({ native: 10n, at: scene.now, most: 1_000_000n - 98_999n }) });
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({
      state: 'short',
      reason: 'SOLVER_BALANCE_TOO_LOW',
    });
  });
});
