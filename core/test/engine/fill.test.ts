import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectChain } from '../../src/engine/pots/collect.js';
import { quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const RESERVED = '#reserved:902:filler:coin-902';
const INVENTORY = 'inventory:902:filler:coin-902';

describe('a deposit of the quoted amount', () => {
  it('is filled, watched to finality, and collected', async () => {
    const body = await scene.quote(1);
    const deposit = scene.deposit(body, 'a');
    await scene.sees([deposit]);
    expect((await scene.request(body)).status).toBe('pending');
    expect(await scene.pot(RESERVED)).toBe(99_000n);
    expect(await scene.pot('#unfinal:901:coin-901')).toBe(100_000n);

    await scene.settles(scene.destination);
    expect((await scene.request(body)).status).toBe('submitted');
    expect(scene.destination.prepared[0]?.legs[0]).toMatchObject({ amount: 99_000n, recipient: 'recipient' });

    scene.destination.lands(KEY, 501);
    await scene.head(501);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
    expect(await scene.pot(RESERVED)).toBe(0n);
    expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 99_000n - 7n);
    expect(await scene.pot('earned:901:coin-901')).toBe(-100_000n);

    expect(await collectChain(scene.context, scene.origin)).toBe(false);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await collectChain(scene.context, scene.origin)).toBe(false);
    await scene.finalises(101);
    await scene.idle();

    expect(await collectChain(scene.context, scene.origin)).toBe(true);
    expect(await collectChain(scene.context, scene.origin)).toBe(false);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ kind: 'collect', amount: 100_000n, recipient: 'filler' });
    scene.origin.lands(KEY, 110, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    expect(await scene.pot('owed:901:coin-901')).toBe(0n);
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(1_000_000n + 100_000n - 7n);
  });

  it('is searched by what its quote and its fill decided', async () => {
    const { fees, terms } = quoteBody(1);
    const promised = { features: ['app_fees', 'deposit_address'], fees: { ...fees, app: '500' } };
    const body = await scene.quote(1, { ...promised, terms: { ...terms, inUsd: '2' } });
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.request(body)).toMatchObject({ features: 32 + 64, appFeesUsd: 1_000, fillTimeMs: null });
    await scene.settles(scene.destination);
    scene.now += 1_500;
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).fillTimeMs).toBe(1_500);
  });

  it('owes integrators their fees, in the books, until a reorg takes the fill back', async () => {
    const terms = {
      ...quoteBody(1).terms,
      appFees: [
        { recipient: 'app', bps: 50 },
        { recipient: 'other', bps: 25 },
      ],
    };
    const body = await scene.quote(1, { terms, amountOut: '98250' });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    expect(await scene.pot('appFees:901:app:coin-901')).toBe(-500n);
    expect(await scene.pot('appFees:901:other:coin-901')).toBe(-250n);
    expect(await scene.pot('earned:901:coin-901')).toBe(-99_250n);
    scene.destination.evidence.delete(KEY);
    await scene.tracks(scene.destination);
    expect(await scene.pot('appFees:901:app:coin-901')).toBe(0n);
    expect(await scene.pot('earned:901:coin-901')).toBe(0n);
  });

  it('is collected whichever of fill and deposit becomes final last', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    await scene.finalises(101);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
    expect(await collectChain(scene.context, scene.origin)).toBe(true);
  });

  it('is a success though the chain that proves it is ahead of the watcher', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.head(500);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
  });

  it('is replayed without effect', async () => {
    const body = await scene.quote(1);
    const deposit = scene.deposit(body, 'a');
    await scene.sees([deposit]);
    await scene.sees([deposit]);
    await scene.settles(scene.destination);
    await scene.sees([deposit]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
    expect(await scene.pot(RESERVED)).toBe(99_000n);
    expect(await scene.pot('depository:901:coin-901')).toBe(100_000n);
  });
});

describe('a fill whose confirmations are more than one', () => {
  it('is a success at that depth, and the no-op that closes a key never is one', async () => {
    await scene.close();
    scene = await Scene.open({ fillConfirmations: 3 });
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501);
    await scene.head(502);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('submitted');
    await scene.head(503);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
  });

  it('is not claimed for a no-op', async () => {
    await scene.close();
    scene = await Scene.open({ fillConfirmations: 3 });
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.head(500);
    await scene.settles(scene.destination);
    scene.now += 21_000;
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared.at(-1)).toEqual({ key: KEY, legs: [] });
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    await scene.head(510);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('submitted');
  });

  it('is a success when it is final, however deep', async () => {
    await scene.close();
    scene = await Scene.open({ fillConfirmations: 3 });
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { final: true });
    await scene.head(501);
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('success');
  });
});

describe('a fill that a reorg drops', () => {
  it('goes back in the books, is sent again as the same bytes, and lands in another block', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501);
    await scene.head(501);
    await scene.tracks(scene.destination);

    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    await scene.tracks(scene.destination);
    expect(await scene.pot(INVENTORY)).toBe(1_000_000n);
    expect(await scene.pot(RESERVED)).toBe(99_000n);
    expect((await scene.request(body)).status).toBe('success');

    scene.now += 5_000;
    await scene.tracks(scene.destination);
    const [first] = scene.destination.sent;
    expect(scene.destination.sent).toEqual([first, first]);

    for (const block of ['x', 'y', 'z']) {
      scene.destination.lands(KEY, 502, { block });
      await scene.tracks(scene.destination);
      expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 99_000n - 7n);
      expect(await scene.pot(RESERVED)).toBe(0n);
    }
    scene.destination.lands(KEY, 502, { block: 'z', final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(101);
    await scene.idle();
    expect(scene.destination.prepared).toHaveLength(1);
  });
});
