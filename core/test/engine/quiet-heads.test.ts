import { afterEach, describe, expect, it } from 'vitest';
import { WatchSession } from '../../src/engine/deposits/watch-session.js';
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
    // Retried after a second for depth.
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

describe('the cursor of a head that brought nothing', () => {
  const cursorNow = async () => (await scene.store.cursor(ORIGIN))?.headHeight;

  const open = async () => {
    scene = await Scene.open();
    watchAgain();
  };
  /** Writes quiet heads every half second. */
  const watchAgain = () => {
    scene.session = new WatchSession(scene.context.clock, 500);
  };

  it('waits for half a second, and no longer', async () => {
    await open();
    await scene.sees([]);
    const first = await cursorNow();
    expect(first).toBeDefined();
    scene.now += 499;
    await scene.sees([]);
    expect(await cursorNow()).toBe(first);
    scene.now += 1;
    await scene.sees([]);
    expect(await cursorNow()).toBe((first ?? 0) + 2);
  });

  it('is written at once with whatever came, or left', async () => {
    await open();
    const body = await scene.quoteOf(1);
    await scene.sees([]);
    const first = (await cursorNow()) ?? 0;
    await scene.sees([scene.deposit(body, '0xaa')]);
    expect(await cursorNow()).toBe(first + 1);
    const unread = [{ transactionHash: '0xbb', block: { height: 2, id: 'a-2', timestamp: scene.now }, why: 'cut' }];
    await scene.seesUnread(unread);
    expect(await cursorNow()).toBe(first + 2);
    await scene.sees([], { rewoundTo: 1 });
    expect(await cursorNow()).toBe(first + 3);
  });

  it('is written again at once by who watches again, or after one that did not become durable', async () => {
    await open();
    await scene.sees([]);
    const first = (await cursorNow()) ?? 0;
    watchAgain();
    await scene.sees([]);
    expect(await cursorNow()).toBe(first + 1);
    scene.now += 500;
    scene.held = false;
    await scene.overtaken();
    await expect(scene.sees([])).rejects.toThrow('fenced off');
    expect(scene.session.isCursorDue).toBe(true);
  });
});
