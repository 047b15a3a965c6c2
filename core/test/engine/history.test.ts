import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeySpender, LegPaid, SentSince } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { resumeLane } from '../../src/engine/operator/resume-lane.js';
import { type LaneContext, LaneStarts } from '../../src/engine/recovery/lane-starts.js';
import { matchLane } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER } from './support/scripted-chain.js';

/** Expiring messages: positions count nothing, history shows what landed. */
let scene: Scene;
let body: QuoteBody;
let reported: SentSince;
let starts: string[];
let process: LaneContext;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  reported = { sent: [], pending: false, position: 'after' };
  starts = [];
  process = { ...scene.context, starts: new LaneStarts() };
  scene.destination.reports(async (_signer, _ledger, start) => {
    starts.push(start);
    return reported;
  });
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

const ORPHAN = `0x${'99'.repeat(32)}` as const;
const FOREIGN: KeySpender = { hash: '0xforeign', final: true, filled: [ORPHAN] };
const lane = async () => scene.store.lane(902, SIGNER);
const open = () => openLane(process, scene.destination, SIGNER);
const match = () => matchLane(process, scene.destination, SIGNER);

async function signsOne(): Promise<KeySpender> {
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.settles(scene.destination);
  return { hash: scene.destination.hashUnder('filler:0'), final: true, filled: [body.orderId] };
}

describe('a ledger next to the history of its signer', () => {
  it('knows its own sends by their transactions, however many others ran out', async () => {
    const own = await signsOne();
    // Counts are meaningless here.
    scene.destination.position = '9';
    reported = { ...reported, sent: [own] };
    await open();
    expect((await lane())?.halted).toBeNull();
  });

  it('finds an unknown send also where one of its own ran out, and halts', async () => {
    await signsOne();
    // One landed, one signed: equal counts.
    scene.destination.position = '1';
    reported = { ...reported, sent: [FOREIGN] };
    await open();
    expect((await lane())?.halted).not.toBeNull();
    expect(scene.alerts.has(`halted:902:${SIGNER}`)).toBe(true);
  });

  it('goes on from where the chain was looked at, once all unknown sends are final', async () => {
    reported = { ...reported, sent: [{ ...FOREIGN, final: false }] };
    await open();
    expect((await match()).ok).toBe(false);
    reported = { ...reported, sent: [FOREIGN] };
    expect((await match()).ok).toBe(true);
    expect(await lane()).toMatchObject({ halted: null, position: 'after' });
    await scene.sees([scene.deposit(null, 'o', { orderId: ORPHAN })]);
    await scene.finalises(150);
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect((await scene.leg(legId.refund('901:o:0')))?.state).toBe('held');
  });
});

describe('what was signed before this process started', () => {
  it('may still land until it expires: until then nothing is filled, and no order of the lane is refunded', async () => {
    reported = { ...reported, pending: true };
    await open();
    expect((await lane())?.halted).not.toBeNull();
    expect(scene.alerts.has(`halted:902:${SIGNER}`)).toBe(false);
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    const other = await scene.quote(2);
    await scene.sees([scene.deposit(other, 'a'), scene.deposit(body, 'b', { block: late })]);
    await scene.finalises(150);
    await scene.settles(scene.destination);
    await scene.pays(scene.origin);
    expect([...scene.destination.prepared, ...scene.origin.prepared]).toEqual([]);
    reported = { ...reported, pending: false };
    await open();
    expect((await lane())?.halted).toBeNull();
    await scene.settles(scene.destination);
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect(scene.destination.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.fill(other.orderId)]);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:b:0')]);
  });

  it('is nothing where the ledger of the lane begins with the process', async () => {
    reported = { ...reported, pending: true };
    scene.destination.reports(async () => reported);
    await openLane(process, scene.destination, 'new');
    await openLane(process, scene.destination, 'new');
    expect((await scene.store.lane(902, 'new'))?.halted).toBeNull();
  });

  it('is counted from where the process first saw the lane, not from where its chain is now', async () => {
    scene.destination.position = 'early';
    await open();
    scene.destination.position = 'later';
    await open();
    await match();
    expect(new Set(starts)).toEqual(new Set(['early']));
  });

  it('keeps a lane with unknown sends halted, no matter who asks', async () => {
    reported = { ...reported, sent: [FOREIGN], pending: true };
    await open();
    expect((await match()).ok).toBe(false);
    expect(await resumeLane(process, 902, SIGNER)).toMatchObject({ ok: false, code: 'notSafe' });
    expect((await lane())?.halted).not.toBeNull();
  });
});

describe('a check that only tries the payment', () => {
  /** A lost send is final, and the compared lane resumed. */
  async function lost(chain: ScriptedChain, leg: string, paid: Partial<LegPaid>): Promise<void> {
    const { id } = chain.facts;
    chain.reports(async () => ({ ...reported, sent: [{ ...FOREIGN, filled: [] }] }));
    await openLane(process, chain, SIGNER);
    await matchLane(process, chain, SIGNER);
    expect((await scene.store.lane(id, SIGNER))?.halted).toBeNull();
    const block = { height: 90, id: 'block-90', timestamp: scene.now };
    const base = { hash: '0xlost', block, final: true, sender: SIGNER, currency: chain.coin };
    chain.paid.set(leg, { ...base, recipient: body.recipient, moved: 1n, ...paid });
  }

  it('does not refund once more what the lost part of the ledger refunded', async () => {
    await scene.sees([scene.deposit(null, 'o')]);
    await lost(scene.origin, legId.refund('901:o:0'), { moved: 1_000n });
    await scene.finalises(150);
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect((await scene.leg(legId.refund('901:o:0')))?.state).toBe('done');
  });

  it('does not fill once more what the lost part of the ledger filled', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    const fill = legId.fill(body.orderId);
    await lost(scene.destination, fill, {
      currency: body.destination.currency,
      moved: BigInt(body.amountOut),
    });
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    expect((await scene.leg(fill))?.state).toBe('done');
  });
});

describe('a key that ran out', () => {
  it('reports no one else: no orphan is held for it, and no one is warned', async () => {
    await signsOne();
    await scene.sees([scene.deposit(null, 'o', { orderId: ORPHAN })]);
    scene.destination.evidence.set('filler:0', { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect((await scene.leg(legId.refund('901:o:0')))?.state).toBe('bound');
    expect((await scene.leg(legId.refund('901:a:0')))?.state).toBe('bound');
    expect(scene.alerts.has(`foreign:902:${SIGNER}`)).toBe(false);
  });
});
