import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangeSet, CommitUnknownError } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { trackLane } from '../../src/engine/keys/track.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const REFUND = legId.refund('901:a:0');

/**
 * Worst interleaving: `first` reads and builds its change set, `second` completes, then the change set goes to the
 * store.
 */
async function overtaken(name: string, first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  const apply = scene.store.apply.bind(scene.store);
  let held = false;
  let running: Promise<unknown> | undefined;
  await new Promise<void>((resolve, reject) => {
    scene.store.apply = async (set: ChangeSet) => {
      if (!held && set.name === name) {
        held = true;
        await second().catch(reject);
        scene.store.apply = apply;
      }
      return apply(set);
    };
    running = first();
    running.then(() => resolve(), reject);
  });
  scene.store.apply = apply;
  expect(held, `${name} was never applied`).toBe(true);
  await scene.books();
}

const tracks = () => trackLane(scene.context, scene.destination, SIGNER);
const settles = () => scene.round(scene.destination);
const finalises = () => scene.finalises(150);

describe('a deposit that becomes final while its fill is abandoned', () => {
  it.each(['the tracker reads first', 'the watcher reads first'])('%s: the refund goes out', async (order) => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false, final: true });
    if (order === 'the tracker reads first') await overtaken('engine.track', tracks, finalises);
    else await overtaken('engine.ingest', finalises, tracks);
    expect((await scene.leg(REFUND))?.state).toBe('owed');
    await scene.idle();
  });

  it.each(['the lane reads first', 'the watcher reads first'])('%s: exposure is taken back once', async (order) => {
    await scene.sees([scene.deposit(body, 'a')]);
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'UNKNOWN', message: 'no' });
    if (order === 'the lane reads first') await overtaken('engine.refuse', settles, finalises);
    else await overtaken('engine.ingest', finalises, settles);
    expect((await scene.leg(REFUND))?.state).toBe('owed');
    await scene.idle();
  });
});

describe('a deposit that becomes final while its fill does', () => {
  it.each(['the tracker reads first', 'the watcher reads first'])('%s: its value is released', async (order) => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { final: true });
    if (order === 'the tracker reads first') await overtaken('engine.track', tracks, finalises);
    else await overtaken('engine.ingest', finalises, tracks);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(100_000n);
  });
});

describe('a deposit that becomes final while a short fill claims inventory', () => {
  it.each(['the lane reads first', 'the watcher reads first'])('%s: no exposure stays', async (order) => {
    await scene.close();
    scene = await Scene.open({
      limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: 150_000n, maxDailyMicroUsd: null, dustMicroUsd: 0n },
    });
    body = await scene.quote(1);
    const other = await scene.quote(2);
    await scene.sees([scene.deposit(other, 'b'), scene.deposit(body, 'a')]);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('short');
    await scene.sees([], { rewoundTo: 100 });
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('short');
    if (order === 'the lane reads first') await overtaken('engine.triage', settles, finalises);
    else await overtaken('engine.ingest', finalises, settles);
    await scene.pays(scene.destination);
    await scene.idle().catch(async (error: unknown) => {
      // Only the pending fill's reservation remains.
      expect(await scene.pot('#unfinal:901:coin-901')).toBe(0n);
      expect((await scene.leg(legId.fill(body.orderId)))?.state, String(error)).toBe('bound');
    });
  });
});

describe('a deposit that vanishes while its fill is being signed', () => {
  it('is not filled: what was signed is dropped unsent', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await overtaken('engine.settle.sign', settles, () => scene.sees([], { rewoundTo: 100 }));
    expect(scene.destination.sent).toEqual([]);
    expect(await scene.store.openKeys(902, SIGNER, 10)).toEqual([]);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('suspended');
    expect((await scene.store.lane(902, SIGNER))?.position).toBe('0');
  });
});

describe('the last two legs of a deposit that end at once on two chains', () => {
  it('release its value', async () => {
    await scene.sees([scene.deposit(body, 'a', { amount: 150_000n })]);
    await scene.finalises(150);
    await scene.settles(scene.destination);
    await scene.settles(scene.origin);
    scene.destination.lands(KEY, 501, { final: true });
    scene.origin.lands(KEY, 151, { final: true });
    await overtaken('engine.track', tracks, () => trackLane(scene.context, scene.origin, SIGNER));
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(100_000n + 10n);
    expect(await collectChain(scene.context, scene.origin)).toBe(true);
  });
});

describe('a send whose reply comes after the inclusion', () => {
  it('does not overwrite what the chain proved', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await overtaken('engine.send.record', settles, async () => {
      scene.destination.lands(KEY, 501, { ok: false });
      await tracks();
    });
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.transactions.at(-1)).toMatchObject({ role: 'failed', status: 'failure', block: 501 });
  });
});

describe('a commit of signed bytes whose outcome is not known', () => {
  async function unknown(committed: boolean): Promise<void> {
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = async (set: ChangeSet) => {
      if (set.name !== 'engine.settle.sign') return apply(set);
      scene.store.apply = apply;
      if (committed) await apply(set);
      throw new CommitUnknownError('lost');
    };
    await scene.settles(scene.destination);
    expect(scene.destination.sent).toEqual([]);
  }

  it('leads to the same bytes when they are durable', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await unknown(true);
    await scene.settles(scene.destination);
    scene.now += 1_000;
    await scene.tracks(scene.destination);
    expect(scene.destination.sent).toEqual([scene.destination.hashUnder(KEY)]);
    expect(scene.destination.prepared).toHaveLength(1);
    expect((await scene.request(body)).status).toBe('submitted');
  });

  it('leads to new bytes under the same key when they are not', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await unknown(false);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.map(({ key }) => key)).toEqual([KEY, KEY]);
    expect(scene.destination.sent).toHaveLength(1);
  });
});
