import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import { Scene } from './support/scene.js';

const FUNDING = '901:a:0';
const KEY = 'filler:0';
const OTHER = '901:b:0';
const SWAP = {
  side: { chainId: 901, currency: 'gov', symbol: 'GOV', decimals: 6 },
  ...{ usd: '1', amount: '101000', least: '99000', most: '101000', source: 'pools', rules: {}, work: '100' },
};

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.close());

// A new deposit for a vanished one is served, whatever a reorg changed before.
it.each([[[]], [[99_500n]], [[50_000n]]])(
  'another deposit takes the place of one that is gone, reincluded as %s',
  async (amounts) => {
    const body = await scene.quote(1, { swapIn: SWAP });
    let height = 101;
    const brings = (tx: string, amount: bigint): DepositObservation =>
      scene.deposit(body, tx, { amount, block: { height, id: `b-${height}-${amount}`, timestamp: scene.now } });
    await scene.sees([brings('a', 100_000n)]);
    for (const amount of amounts) {
      height += 1;
      await scene.sees([brings('a', amount)], { rewoundTo: 100 });
    }
    await scene.sees([], { rewoundTo: 100 });
    height += 1;
    await scene.sees([brings('b', 100_000n)]);
    expect(await scene.depositRow({ fundingKey: FUNDING })).toMatchObject({ state: 'vanished' });
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({
      state: 'owed',
      fundingKey: OTHER,
      covers: 100_000n,
    });
    expect(await scene.request(body)).toMatchObject({ status: 'pending', fundingKey: OTHER });
    expect(await scene.pot('depository:901:coin-901')).toBe(100_000n);
    // The first one returns as a duplicate and is fully refunded.
    height += 1;
    await scene.sees([brings('a', 99_700n)]);
    expect(await scene.leg(legId.refund(FUNDING))).toMatchObject({
      state: 'blocked',
      amount: 99_700n,
      covers: 99_700n,
    });
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed', fundingKey: OTHER });
    expect(await scene.pot('owed:901:coin-901')).toBe(-199_700n);
    await scene.pays(scene.destination);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(200);
    for (let round = 0; round < 3; round += 1) await scene.pays(scene.origin);
    expect(scene.destination.prepared).toHaveLength(1);
    expect(scene.origin.prepared).toHaveLength(1);
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ covers: 99_700n });
  },
);
