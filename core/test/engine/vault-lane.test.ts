import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PotRef } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import { solverCoinInDepository } from '../../src/engine/books/solver-coin-in-depository.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { InflowWatch } from '../../src/engine/pots/inflows.js';
import { matchLane, waitsForOwn } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { checkGas } from '../../src/engine/rounds/gas-alerts.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

// An account depository that refunds and collects under its own nonces.

const VAULT = 'depository-901';
const POT = 'depository:901:coin-901';
const INVENTORY = `inventory:901:${SIGNER}:coin-901`;
const feePaidBy: PotRef = { pot: 'depository', owner: VAULT };

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
  scene.origin.lanes = [
    { signer: SIGNER, sends: ['fill'] },
    { signer: VAULT, sends: ['refund', 'excess', 'collect'], pot: 'depository' },
  ];
  await openLane(scene.context, scene.origin, VAULT);
});

afterEach(async () => {
  await scene.close();
});

const own = () => solverCoinInDepository(scene.context, scene.origin);
const collects = () => collectChain(scene.context, scene.origin);
const laneOf = async (signer: string) => (await scene.store.lane(901, signer)) ?? expect.fail(`no lane of ${signer}`);

/** Filled and final: the deposit belongs to the solver. */
async function settled(n: number): Promise<void> {
  const body = await scene.quote(n);
  const position = scene.destination.prepared.length;
  await scene.sees([scene.deposit(body, `d${n}`, { block: { height: 100 + n, id: `a${n}`, timestamp: scene.now } })]);
  await scene.settles(scene.destination);
  scene.destination.lands(`${SIGNER}:${position}`, 500 + n, { final: true });
  await scene.tracks(scene.destination);
  await scene.finalises(100 + n);
}

/** Underpaid and fully refundable. @returns the refund's id. */
async function tooLittle(n: number): Promise<string> {
  const seen = scene.deposit(await scene.quote(n), `d${n}`, {
    amount: 50_000n,
    block: { height: 100 + n, id: `a${n}`, timestamp: scene.now },
  });
  await scene.sees([seen]);
  await scene.finalises(100 + n);
  return legId.refund(seen.fundingKey);
}

describe('a lane whose signer is the account of the depository', () => {
  it('has no inventory: what it holds is in the books once', async () => {
    const accounts = (await scene.store.pots('inventory:901:')).map(({ account }) => account);
    expect(accounts).toEqual([INVENTORY]);
    scene.origin.balance += 500n;
    const watch = new InflowWatch();
    for (let n = 0; n < 3; n += 1) await watch.check(scene.context, scene.origin, SIGNER);
    expect((await scene.store.pots('inventory:901:')).map(({ account }) => account)).toEqual([INVENTORY]);
  });

  it('collects into the lane that fills, and leaves what its own fee takes', async () => {
    const before = await scene.pot(INVENTORY);
    await settled(1);
    expect(await collects()).toBe(true);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    await scene.settles(scene.origin, VAULT);
    expect(scene.origin.prepared).toMatchObject([
      { key: `${VAULT}:0`, legs: [{ kind: 'collect', amount: 99_990n, recipient: SIGNER }] },
    ]);
    expect(await own()).toBe(0n);
    scene.origin.lands(`${VAULT}:0`, 110, { feePaidBy });
    await scene.tracks(scene.origin, VAULT);
    expect(await scene.pot(INVENTORY)).toBe(before + 99_990n);
    expect(await scene.pot(POT)).toBe(100_000n - 99_990n - 7n);
    expect(await scene.pot('gas:901:coin-901')).toBe(7n);
    expect(await own()).toBe(3n);
    // A reorg removes everything.
    scene.origin.evidence.set(`${VAULT}:0`, { state: 'unspent', inPool: true });
    await scene.tracks(scene.origin, VAULT);
    expect(await scene.pot(INVENTORY)).toBe(before);
    expect(await scene.pot(POT)).toBe(100_000n);
  });

  it('refunds, and the fee comes out of what was withheld for it', async () => {
    const refund = await tooLittle(1);
    expect(await own()).toBe(0n);
    await scene.settles(scene.origin, VAULT);
    await scene.settles(scene.origin, VAULT);
    expect(scene.origin.prepared).toMatchObject([{ key: `${VAULT}:0`, legs: [{ kind: 'refund', amount: 49_990n }] }]);
    expect(await own()).toBe(0n);
    scene.origin.lands(`${VAULT}:0`, 110, { final: true, feePaidBy });
    await scene.tracks(scene.origin, VAULT);
    expect((await scene.leg(refund))?.state).toBe('done');
    expect(await scene.pot(POT)).toBe(3n);
    expect(await scene.pot('owed:901:coin-901')).toBe(0n);
  });

  it('pays no fee out of what other deposits are owed, and says what it lacks', async () => {
    const refund = await tooLittle(1);
    await tooLittle(2);
    scene.origin.maxFee = 11n;
    await scene.settles(scene.origin, VAULT);
    await scene.settles(scene.origin, VAULT);
    expect(scene.origin.sent).toEqual([]);
    expect((await scene.leg(refund))?.state).toBe('owed');
    expect((await laneOf(VAULT)).position).toBe('0');
    expect([...scene.alerts]).toContain(`gas:901:${VAULT}`);
    // Money of a filled order is free.
    await settled(3);
    scene.origin.maxFee = 60_000n;
    for (let n = 1; n <= 2; n += 1) {
      scene.now += 60_000;
      await scene.settles(scene.origin, VAULT);
    }
    expect(scene.origin.sent).toHaveLength(2);
    // Only what it holds, with the ten withheld.
    scene.origin.maxFee = 100_011n;
    await tooLittle(4);
    scene.now += 60_000;
    await scene.settles(scene.origin, VAULT);
    await scene.settles(scene.origin, VAULT);
    expect(scene.origin.sent).toHaveLength(2);
  });

  it('refunds in smaller groups where its own coins are too few for the fee of a large one, down to one', async () => {
    scene.origin.batches = { most: 8, gatherMs: 0 };
    // Each leg costs more than it withholds: the depository's own money covers two.
    const prepare = scene.origin.prepare.bind(scene.origin);
    scene.origin.prepare = async (input) => {
      scene.origin.maxFee = 40_010n * BigInt(input.legs.length);
      return prepare(input);
    };
    await settled(1);
    const refunds = [];
    for (let n = 2; n <= 7; n += 1) refunds.push(await tooLittle(n));
    await scene.settles(scene.origin, VAULT);
    await scene.settles(scene.origin, VAULT);
    const signed = (await scene.store.openKeys(901, VAULT, 10)).map(({ legs }) => legs.length);
    expect(signed).toEqual([2]);
    expect(scene.origin.sent).toHaveLength(1);
    // The rest covers no further leg: each waits unsigned.
    const legs = await Promise.all(refunds.map((refund) => scene.leg(refund)));
    expect(legs.map((leg) => leg?.state)).toEqual(['bound', 'bound', 'owed', 'owed', 'owed', 'owed']);
    expect(legs.slice(2).every((leg) => (leg?.dueAt ?? 0) > scene.now)).toBe(true);
  });

  it('is short of gas when nothing in it is its own, however much others have there', async () => {
    const policy = { ...scene.context.policy, gasReserveFills: 2 };
    await tooLittle(1);
    for (const lane of scene.origin.lanes) await checkGas({ ...scene.context, policy }, scene.origin, lane);
    expect([...scene.alerts]).toContain(`gas-low:901:${VAULT}`);
    expect([...scene.alerts]).not.toContain(`gas-low:901:${SIGNER}`);
    await settled(2);
    for (const lane of scene.origin.lanes) await checkGas({ ...scene.context, policy }, scene.origin, lane);
    expect([...scene.alerts]).not.toContain(`gas-low:901:${VAULT}`);
  });
});

describe('what another lane collects for a lane', () => {
  it('is no gift while it is on its way', async () => {
    const before = await scene.pot(INVENTORY);
    scene.origin.balance = before;
    await settled(1);
    await collects();
    await scene.settles(scene.origin, VAULT);
    scene.origin.balance = before + 99_990n;
    const watch = new InflowWatch();
    for (let n = 0; n < 3; n += 1) await watch.check(scene.context, scene.origin, SIGNER);
    scene.origin.lands(`${VAULT}:0`, 110, { final: true, feePaidBy });
    await scene.tracks(scene.origin, VAULT);
    for (let n = 0; n < 3; n += 1) await watch.check(scene.context, scene.origin, SIGNER);
    expect(await scene.pot(INVENTORY)).toBe(before + 99_990n);
  });

  it('keeps it from being resumed with a balance that may have it and may not', async () => {
    await settled(1);
    await collects();
    await scene.settles(scene.origin, VAULT);
    expect(await waitsForOwn(scene.context, await laneOf(SIGNER))).toMatchObject({
      why: expect.stringMatching(/1 collects of lane depository-901 for it are not settled yet/),
    });
    scene.origin.lands(`${VAULT}:0`, 110, { final: true, feePaidBy });
    await scene.tracks(scene.origin, VAULT);
    expect(await waitsForOwn(scene.context, await laneOf(SIGNER))).toBeUndefined();
  });

  it('does not come while the lane is halted, which is resumed with the balance that it has', async () => {
    await settled(1);
    await collects();
    scene.origin.position = '1';
    await openLane(scene.context, scene.origin, SIGNER);
    expect(scene.errors.splice(0)).toMatchObject([expect.stringMatching(/^lane halted/)]);
    await scene.settles(scene.origin, VAULT);
    expect(scene.origin.prepared).toEqual([]);
    scene.origin.spenders.set(`${SIGNER}:0`, { hash: 'lost', final: true, filled: [] });
    expect(await matchLane(scene.context, scene.origin, SIGNER)).toEqual({ ok: true });
    scene.now += 60_000;
    await scene.settles(scene.origin, VAULT);
    expect(scene.origin.prepared).toMatchObject([{ legs: [{ kind: 'collect' }] }]);
  });

  it('is no inventory of its sender when that is resumed', async () => {
    scene.origin.position = '1';
    await openLane(scene.context, scene.origin, VAULT);
    expect((await laneOf(VAULT)).halted).not.toBeNull();
    expect(scene.errors.splice(0)).toMatchObject([expect.stringMatching(/^lane halted/)]);
    scene.origin.spenders.set(`${VAULT}:0`, { hash: 'lost', final: true, filled: [] });
    expect(await matchLane(scene.context, scene.origin, VAULT)).toEqual({ ok: true });
    expect(await scene.pot(`inventory:901:${VAULT}:coin-901`)).toBe(0n);
    expect(await scene.pot('inflow:901:coin-901')).toBe(0n);
  });
});
