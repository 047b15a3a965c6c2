import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { Scene } from './support/scene.js';
import type { ScriptedChain } from './support/scripted-chain.js';

let scene: Scene;
let bodies: QuoteBody[];
let chain: ScriptedChain;

beforeEach(async () => {
  scene = await Scene.open();
  chain = scene.destination;
  chain.batches = { most: 3, gatherMs: 2_000 };
  bodies = [];
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const NAMES = ['a', 'b', 'c', 'd', 'e'];

async function funded(count: number, deadlines: readonly number[] = []): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const deadline = deadlines[n];
    bodies.push(await scene.quote(n + 1, deadline === undefined ? {} : { deadlineAt: deadline }));
  }
  await scene.sees(bodies.map((body, n) => scene.deposit(body, NAMES[n] ?? '')));
}

const fillOf = (n: number): string => legId.fill(bodies[n]?.orderId ?? '');
const refundOf = (n: number): string => legId.refund(`901:${NAMES[n]}:0`);
const carried = (): string[][] => chain.prepared.map(({ legs }) => legs.map((leg) => leg.legId));
const statuses = () => Promise.all(bodies.map(async (body) => (await scene.request(body)).status));

async function settled(): Promise<void> {
  scene.now += 2_000;
  await scene.settles(chain);
}

describe('fills that are due together', () => {
  it('share transactions and their keys, as many as one takes', async () => {
    await funded(5);
    await scene.settles(chain);
    expect(carried()).toEqual([
      [fillOf(0), fillOf(1), fillOf(2)],
      [fillOf(3), fillOf(4)],
    ]);
    expect(chain.sent).toHaveLength(2);
    expect((await scene.store.lane(902, 'filler'))?.position).toBe('2');
    expect(await statuses()).toEqual(Array(5).fill('submitted'));
    const open = await scene.store.openKeys(902, 'filler', 10);
    expect(open.map(({ legs }) => legs.map(({ key }) => key))).toEqual([Array(3).fill(KEY), Array(2).fill('filler:1')]);
    chain.lands(KEY, 501, { final: true });
    chain.lands('filler:1', 501, { final: true });
    await scene.tracks(chain);
    expect(await statuses()).toEqual(Array(5).fill('success'));
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(1_000_000n - 5n * 99_000n - 2n * 7n);
    expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(0n);
  });

  it('wait for others, but no longer than the chain says', async () => {
    await funded(2);
    await scene.settles(chain);
    expect(carried()).toEqual([]);
    scene.now += 1_999;
    await scene.settles(chain);
    expect(carried()).toEqual([]);
    scene.now += 1;
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0), fillOf(1)]]);
  });

  it('that find no room stay due', async () => {
    await funded(3);
    chain.room = 2;
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0), fillOf(1)]]);
    expect((await scene.leg(fillOf(2)))?.state).toBe('owed');
    await settled();
    expect(carried().at(-1)).toEqual([fillOf(2)]);
    expect((await scene.leg(fillOf(2)))?.key).toBe('filler:1');
  });

  it('do not keep each other from being sent: one that cannot be built is put on hold', async () => {
    await funded(3);
    chain.bad = fillOf(1);
    for (let n = 0; n < 3; n += 1) await settled();
    expect(carried().flat().sort()).toEqual([fillOf(0), fillOf(2)].sort());
    expect((await scene.leg(fillOf(1)))?.state).toBe('owed');
    expect(scene.alerts.has(`poison:${fillOf(1)}`)).toBe(true);
    scene.errors.length = 0;
  });
});

describe('a lane whose transaction before is under way', () => {
  it('asks the chain about nothing that it could not sign, and abandons what is too late', async () => {
    await funded(3, [scene.now + 630_000, scene.now + 60_000]);
    let asked = 0;
    chain.checkAnswer = () => {
      asked += 1;
      return { ok: true, plan: '{}' };
    };
    chain.busy = true;
    await scene.settles(chain);
    scene.now += 70_000;
    await scene.settles(chain);
    expect([asked, chain.prepared.length]).toEqual([0, 0]);
    expect((await scene.leg(fillOf(1)))?.state).toBe('void');
    chain.busy = false;
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0), fillOf(2)]]);
  });
});

describe('a transaction of several fills that is replaced', () => {
  it('leaves out what is past its deadline, which is refunded once the others are final', async () => {
    await funded(3, [scene.now + 630_000, scene.now + 30_000]);
    await scene.settles(chain);
    scene.now += 10_000;
    await scene.head(501);
    scene.now += 21_000;
    // As long as the deadlines, so that it does not close the key.
    chain.facts = { ...chain.facts, inclusionWindowMs: 600_000 };
    await scene.head(502);
    await scene.tracks(chain);
    expect(carried().at(-1)).toEqual([fillOf(0), fillOf(2)]);
    expect((await scene.leg(fillOf(1)))?.state).toBe('bound');

    chain.lands(KEY, 503);
    await scene.tracks(chain);
    expect(await statuses()).toEqual(['success', 'submitted', 'success']);
    expect(await scene.leg(refundOf(1))).toBeUndefined();
    chain.lands(KEY, 503, { final: true });
    await scene.tracks(chain);
    expect((await scene.leg(fillOf(1)))?.state).toBe('closed');
    expect((await scene.leg(refundOf(1)))?.state).toBe('blocked');
    expect(await scene.leg(refundOf(0))).toBeUndefined();
  });

  it('leaves out what the chain refuses now, permanently', async () => {
    await funded(3);
    await scene.settles(chain);
    let refused: string | null = fillOf(2);
    chain.checkAnswer = ({ legId: id }) =>
      id === refused
        ? { ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED', message: 'blocked' }
        : { ok: true, plan: '{}' };
    await scene.head(504);
    await scene.tracks(chain);
    expect(carried().at(-1)).toEqual([fillOf(0), fillOf(1)]);
    refused = null;
    await scene.head(508);
    await scene.tracks(chain);
    expect(carried().at(-1)).toEqual([fillOf(0), fillOf(1)]);
  });

  it('and lands as it was first did everything', async () => {
    await funded(3, [scene.now + 630_000, scene.now + 30_000]);
    chain.facts = { ...chain.facts, inclusionWindowMs: 600_000 };
    await scene.settles(chain);
    chain.lands(KEY, 503, { final: true });
    const first = chain.evidence.get(KEY);
    chain.evidence.delete(KEY);
    scene.now += 31_000;
    await scene.head(502);
    await scene.tracks(chain);
    expect(carried()).toHaveLength(2);
    if (first) chain.evidence.set(KEY, first);
    await scene.tracks(chain);
    expect(await statuses()).toEqual(Array(3).fill('success'));
  });

  it('is closed as a whole once all of it is late', async () => {
    await funded(2, [scene.now + 30_000, scene.now + 20_000]);
    await settled();
    scene.now += 31_000;
    await scene.head(501);
    await scene.tracks(chain);
    expect(carried().at(-1)).toEqual([]);
    expect((await scene.store.openKeys(902, 'filler', 1))[0]?.key.closing).toBe(true);
  });
});

describe('a chain that gives a transaction longer than the service does', () => {
  it('has its keys closed only after that', async () => {
    chain.facts = { ...chain.facts, inclusionWindowMs: 60_000 };
    await funded(3);
    await scene.settles(chain);
    scene.now += 20_001;
    await scene.tracks(chain);
    expect(carried()).toHaveLength(1);
    scene.now += 40_000;
    await scene.tracks(chain);
    expect(carried().at(-1)).toEqual([]);
  });
});

describe('a collect', () => {
  it('names the deposits that it takes from', async () => {
    await funded(3);
    await scene.settles(chain);
    chain.lands(KEY, 501, { final: true });
    await scene.tracks(chain);
    await scene.finalises(150);
    expect(await collectChain(scene.context, scene.origin)).toBe(true);
    await scene.settles(scene.origin);
    const [leg] = scene.origin.prepared[0]?.legs ?? [];
    expect(leg).toMatchObject({ kind: 'collect', amount: 300_000n });
    expect(leg?.kind === 'collect' && [...(leg.fundingKeys ?? [])].sort()).toEqual(['901:a:0', '901:b:0', '901:c:0']);
  });
});

describe('a collect that is out, and that the chain refuses now, as when fees rose', () => {
  const [ORIGIN_KEY, AFTER] = ['filler:0', 4];
  let height: number;

  beforeEach(async () => {
    await funded(1);
    await settled();
    chain.lands(KEY, 501, { final: true });
    await scene.tracks(chain);
    await scene.finalises(150);
    await collectChain(scene.context, scene.origin);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.kind)).toEqual(['collect']);
    scene.origin.busy = true;
    scene.origin.checkAnswer = ({ kind }) =>
      kind === 'collect'
        ? { ok: false, kind: 'refused', reason: 'UNKNOWN', message: 'fees are high' }
        : { ok: true, plan: '{}' };
    height = 150;
  });

  async function blocks(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      height += 1;
      await scene.finalises(height);
    }
  }

  it('stays as it is while nothing waits for it', async () => {
    await blocks(AFTER);
    await scene.tracks(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
    expect((await scene.store.openKeys(901, 'filler', 1))[0]?.key.closing).toBe(false);
  });

  it('is cancelled for what waits for its lane', async () => {
    const body = await scene.quote(2);
    const late = { timestamp: body.deadlineAt + 1, height: 151, id: 'late' };
    await scene.sees([scene.deposit(body, 'b', { block: late })]);
    height = 160;
    await blocks(AFTER);
    await scene.settles(scene.origin);
    expect((await scene.leg(legId.refund('901:b:0')))?.state).toBe('owed');
    await scene.tracks(scene.origin);
    expect(scene.origin.prepared.slice(1)).toEqual([{ key: ORIGIN_KEY, legs: [] }]);
    expect((await scene.store.openKeys(901, 'filler', 1))[0]?.key.closing).toBe(true);
    // Nothing moved: owed again once final, then refunded.
    scene.origin.lands(ORIGIN_KEY, 165, { final: true });
    scene.origin.busy = false;
    await scene.tracks(scene.origin);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs.map((leg) => leg.kind)).toEqual(['refund']);
  });
});

describe('where refunds spend their deposits', () => {
  const REFUND_KEY = 'filler:0';

  it('what is withheld for gas goes to the lane, and nothing is left to collect', async () => {
    scene.origin.facts = { ...scene.origin.facts, refundsSpendDeposits: true };
    const body = await scene.quote(1);
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ kind: 'refund', amount: 99_990n, covers: 100_000n });
    const before = await scene.pot('inventory:901:filler:coin-901');
    scene.origin.lands(REFUND_KEY, 151);
    await scene.tracks(scene.origin);
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(before + 10n - 7n);
    scene.origin.evidence.delete(REFUND_KEY);
    await scene.tracks(scene.origin);
    expect(await scene.pot('depository:901:coin-901')).toBe(100_000n);
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(before);
    scene.origin.lands(REFUND_KEY, 152, { final: true });
    await scene.tracks(scene.origin);
    expect((await scene.request(body)).status).toBe('refund');
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(0n);
    expect(await scene.pot('owed:901:coin-901')).toBe(0n);
  });
});
