import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { Scene } from './support/scene.js';

/** The deposit whose recipient fails a transaction bears its cost. */
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const REFUND = legId.refund('901:a:0');

describe('the gas of what failed', () => {
  it('is taken off the refund: that of the fill at the prices of both chains, and that of the refund itself', async () => {
    Object.assign(scene.context, {
      prices: { price: ({ chainId }: { chainId: number }) => ({ ok: true, usd: chainId === 901 ? '1' : '3', at: 0 }) },
    });
    const terms = { ...(await scene.quoteOf(1)).terms, outUsd: '3' };
    const body = await scene.quote(2, { terms, amountOut: '33000', minimumAmount: '32000' });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    scene.destination.lands('filler:0', 501, { ok: false, final: true });
    await scene.tracks(scene.destination);
    expect((await scene.leg(legId.fill(body.orderId)))?.spent).toBe(7n);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    // 10 for its gas, and 7 of a coin worth three times as much.
    expect(scene.origin.prepared.at(-1)?.legs[0]?.amount).toBe(100_000n - 10n - 21n);
    scene.origin.lands('filler:0', 160, { ok: false, final: true });
    await scene.tracks(scene.origin);
    scene.now += 10_000;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs[0]?.amount).toBe(100_000n - 10n - 21n - 7n);
    expect((await scene.leg(REFUND))?.spent).toBe(7n);
  });

  it('is shared by the legs of one transaction, and a fill that is made after all costs its recipient nothing', async () => {
    scene.destination.batches = { most: 2, gatherMs: 0 };
    const [one, two] = [await scene.quote(1), await scene.quote(2)];
    await scene.sees([scene.deposit(one, 'a'), scene.deposit(two, 'b')]);
    await scene.pays(scene.destination);
    scene.destination.lands('filler:0', 501, { ok: false, final: true });
    await scene.tracks(scene.destination);
    for (const body of [one, two])
      expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed', spent: 4n, amount: 99_000n });
  });

  it('of what ran out is none', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    scene.destination.evidence.set('filler:0', { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect((await scene.leg(legId.fill(body.orderId)))?.spent).toBe(0n);
  });
});

it('the gas of a refund is that of its own deposit, whose payer may have chosen what it costs to spend', async () => {
  const asked: unknown[] = [];
  scene.origin.legCost = (...[kind, , , fundingKey]: readonly (string | undefined)[]) => {
    if (kind === 'refund') asked.push(fundingKey);
    return { native: fundingKey === '901:a:0' ? 40n : 10n, at: 0 };
  };
  await scene.sees([scene.deposit(null, 'a', { amount: 5_000n })]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect(new Set(asked)).toEqual(new Set(['901:a:0']));
  expect(scene.origin.prepared.at(-1)?.legs[0]?.amount).toBe(5_000n - 40n);
});

describe('the work of a transaction', () => {
  it('is bounded by what the quote charged for a fill, and by what is withheld for a refund', async () => {
    const body = await scene.quote(1, { fillWork: '90000' });
    scene.origin.work = 70_000n;
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared[0]?.legs[0]?.work).toBe(90_000n);
    scene.destination.lands('filler:0', 501, { ok: false, final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared[0]?.legs[0]?.work).toBe(70_000n);
    expect((await scene.leg(REFUND))?.work).toBe(70_000n);
  });
});
