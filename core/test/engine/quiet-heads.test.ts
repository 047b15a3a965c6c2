import { afterEach, describe, expect, it } from 'vitest';
import { DESTINATION, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;
afterEach(() => scene.close());

/** Chains that a step wakes. */
async function wokenBy(step: () => Promise<void>): Promise<readonly number[]> {
  scene.woken.length = 0;
  await step();
  return [...new Set(scene.woken)].sort();
}

const BOTH = [DESTINATION, ORIGIN].sort();

describe('whom a head wakes', () => {
  it('its own chain alone, where it brings nothing', async () => {
    scene = await Scene.open();
    await scene.sees([]);
    expect(await wokenBy(() => scene.sees([]))).toEqual([ORIGIN]);
    expect(await wokenBy(() => scene.head(500))).toEqual([DESTINATION]);
  });

  it('every chain, where it brings a transfer, or makes one deep enough or final', async () => {
    scene = await Scene.open();
    const body = await scene.quoteOf(1);
    scene.origin.depth = 3;
    expect(await wokenBy(() => scene.sees([scene.deposit(body, '0xaa')]))).toEqual(BOTH);
    expect(await wokenBy(() => scene.sees([]))).toEqual([ORIGIN]);
    expect(await scene.store.legs([`fill:${body.orderId}`])).toEqual([]);
    await scene.sees([]);
    // What was not deep enough is looked at again after a second.
    scene.now += 1_000;
    expect(await wokenBy(() => scene.sees([]))).toEqual(BOTH);
    expect(await scene.store.legs([`fill:${body.orderId}`])).toHaveLength(1);
    expect(await wokenBy(() => scene.finalises(101))).toEqual(BOTH);
  });

  it('every chain, where it brings what cannot be read, or takes blocks back', async () => {
    scene = await Scene.open();
    await scene.sees([]);
    const unread = [{ transactionHash: '0xbb', block: { height: 2, id: 'a-2', timestamp: scene.now }, why: 'cut' }];
    expect(await wokenBy(() => scene.seesUnread(unread))).toEqual(BOTH);
    expect(await wokenBy(() => scene.sees([], { rewoundTo: 1 }))).toEqual(BOTH);
  });
});
