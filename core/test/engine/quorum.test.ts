import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sighting } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { decideNow } from '../../src/engine/deposits/ingest.js';
import { WatchSession } from '../../src/engine/deposits/watch-session.js';
import { askWitnesses } from '../../src/engine/deposits/witness.js';
import { Scene } from './support/scene.js';

let scene: Scene;
let body: QuoteBody;
let session: WatchSession;

beforeEach(async () => {
  scene = await Scene.open();
  session = new WatchSession(scene.context.clock);
  body = await scene.quote(1);
  scene.origin.providersAsked = 2;
  scene.origin.witnessed = () => false;
});

afterEach(async () => {
  await scene.close();
});

const fill = () => scene.leg(legId.fill(body.orderId));

async function asks(): Promise<void> {
  await decideNow(scene.context, 901, await askWitnesses(scene.context, scene.origin, session.patience), session);
  scene.now += 1_000;
}

describe('a deposit that one provider alone reports', () => {
  it('waits, however deep and final it is, and neither fill nor refund follows', async () => {
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(null, 'orphan')]);
    await scene.finalises(200);
    await asks();
    await scene.finalises(250);
    for (const name of ['a', 'orphan'])
      expect(await scene.depositRow({ fundingKey: `901:${name}:0` })).toMatchObject({
        state: 'final',
        decision: 'waiting',
        witnessed: null,
      });
    expect(await fill()).toBeUndefined();
  });

  it('raises an alert after some time, which ends when others report it too', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await asks();
    expect(scene.alerts.has('unwitnessed:901')).toBe(false);
    scene.now += 61_000;
    await asks();
    expect(scene.alerts.has('unwitnessed:901')).toBe(true);
    scene.origin.witnessed = () => true;
    await asks();
    expect(scene.alerts.has('unwitnessed:901')).toBe(false);
  });

  it('is decided as soon as enough of them do', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await asks();
    scene.origin.witnessed = () => true;
    await asks();
    expect((await fill())?.state).toBe('owed');
  });

  it('is asked about as what the first provider reported, block and all', async () => {
    const asked: Sighting[] = [];
    scene.origin.witnessed = (sighting) => asked.push(sighting) < 0;
    await scene.sees([scene.deposit(body, 'a')]);
    await asks();
    expect(asked).toEqual([
      {
        fundingKey: '901:a:0',
        transactionHash: 'a',
        currency: 'coin-901',
        amount: 100_000n,
        depositor: 'depositor',
        orderId: body.orderId,
        block: { height: 101, id: 'a-101' },
        providers: 2,
      },
    ]);
  });
});

describe('a deposit that enough providers report', () => {
  it('must be reported again in another block', async () => {
    scene.origin.depth = 5;
    scene.origin.witnessed = () => true;
    await scene.sees([scene.deposit(body, 'a')]);
    await asks();
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).witnessed).toBe('a-101');
    scene.origin.witnessed = () => false;
    const moved = { block: { height: 102, id: 'other', timestamp: scene.now } };
    await scene.sees([scene.deposit(body, 'a', moved)], { rewoundTo: 100 });
    for (let n = 0; n < 8; n += 1) await scene.sees([]);
    expect(await fill()).toBeUndefined();
    scene.origin.witnessed = () => true;
    await asks();
    expect((await fill())?.state).toBe('owed');
  });

  it('that moved while the others were asked does not count as the one they reported', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    const { origin } = scene;
    const witness = origin.witness.bind(origin);
    origin.witness = async (sightings) => {
      const moved = { block: { height: 102, id: 'other', timestamp: scene.now } };
      await scene.sees([scene.deposit(body, 'a', moved)], { rewoundTo: 100 });
      return (await witness(sightings)).map(() => true);
    };
    await asks();
    expect(await fill()).toBeUndefined();
  });
});

describe('a deposit of a currency that has no price now', () => {
  it('counts as worth anything', async () => {
    scene.origin.quorum = (value?: bigint) => ((value ?? 0n) > 1_000_000_000n ? 2 : 1);
    const { prices } = scene.context;
    prices.price = () => ({ ok: false, why: 'stale' });
    await scene.sees([scene.deposit(null, 'orphan')]);
    expect((await scene.depositRow({ fundingKey: '901:orphan:0' })).decision).toBe('waiting');
  });
});
