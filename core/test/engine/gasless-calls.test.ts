import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CALL_LIFE_MS } from '../../src/capabilities/gasless/accept-call.js';
import { CallLanes } from '../../src/capabilities/gasless/call-lanes.js';
import type { Party } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { requestId } from '../../src/testing/store-fixtures.js';
import { accept, BALANCE, EXECUTOR, free, MAX_COST, passedOver, withExecutor } from './support/calls.js';
import { Scene } from './support/scene.js';

let scene: Scene;
const blocked = new Set<string>();
const KEY = `${EXECUTOR}:0`;
const LEG = legId.call(requestId(1));
const PAID_BY_EXECUTOR = { feePaidBy: { pot: 'lane', owner: EXECUTOR } } as const;

beforeEach(async () => {
  blocked.clear();
  const screener = {
    id: 'list',
    screen: async (parties: readonly Party[]) =>
      parties.map(({ address }) =>
        blocked.has(address) ? { blocked: true as const, reason: 'listed' } : { blocked: false as const },
      ),
  };
  scene = await Scene.open({}, [screener]);
  await withExecutor(scene);
});

afterEach(async () => {
  await scene.close();
});

const settles = () => scene.settles(scene.destination, EXECUTOR);
const tracks = () => scene.tracks(scene.destination, EXECUTOR);
const request = () => scene.request({ requestId: requestId(1) });

describe('a call for others', () => {
  it('is owed with its whole possible fee reserved', async () => {
    expect(await accept(scene)).toEqual({ ok: true, requestId: requestId(1) });
    expect(await free(scene)).toBe(BALANCE - MAX_COST);
    expect(await request()).toMatchObject({ status: 'pending', requestType: 'Call', user: 'target' });
    expect(await scene.leg(LEG)).toMatchObject({ state: 'owed', signer: EXECUTOR, amount: 0n, work: 100n });
    expect(scene.woken).toEqual([scene.destination.facts.id]);
  });

  it('is refused where the balance is short, and nothing is owed', async () => {
    for (let n = 1; n <= 16; n += 1) expect(await accept(scene, n)).toMatchObject({ ok: true });
    expect(await accept(scene, 17)).toEqual({ ok: false, why: 'balance' });
    expect(await scene.leg(legId.call(requestId(17)))).toBeUndefined();
    expect(await free(scene)).toBe(BALANCE - 16n * MAX_COST);
  });

  it('is owed once under its id', async () => {
    await accept(scene);
    expect(await accept(scene)).toEqual({ ok: false, why: 'conflict' });
    expect(await free(scene)).toBe(BALANCE - MAX_COST);
  });

  it('goes out with its data and its bound, from the executor', async () => {
    await accept(scene, 1, { call: { to: 'target', data: '0x12', authorizations: ['0xaa'] } });
    await settles();
    expect(scene.destination.prepared).toMatchObject([
      {
        key: KEY,
        legs: [{ kind: 'call', recipient: 'target', data: '0x12', authorizations: ['0xaa'], work: 100n, amount: 0n }],
      },
    ]);
    expect(await request()).toMatchObject({ status: 'submitted' });
  });

  it('takes what it burnt once it is final, and returns the rest', async () => {
    await accept(scene);
    await settles();
    scene.destination.lands(KEY, 501, { fee: 25n, ...PAID_BY_EXECUTOR });
    await tracks();
    expect(await request()).toMatchObject({ status: 'success' });
    expect(await free(scene)).toBe(BALANCE - MAX_COST);
    scene.destination.lands(KEY, 501, { fee: 25n, final: true, ...PAID_BY_EXECUTOR });
    await tracks();
    expect(await free(scene)).toBe(BALANCE - 25n);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done' });
  });

  it('takes no more than was reserved', async () => {
    await accept(scene);
    await settles();
    scene.destination.lands(KEY, 501, { fee: 900n, final: true, ...PAID_BY_EXECUTOR });
    await tracks();
    expect(await free(scene)).toBe(BALANCE - MAX_COST);
    const { call } = JSON.parse((await request()).body) as QuoteBody;
    expect(call?.settled).toEqual({ units: MAX_COST.toString(), microUsd: MAX_COST.toString() });
  });

  it('takes what was reserved where its coin has no price at the end', async () => {
    await accept(scene);
    await settles();
    scene.destination.lands(KEY, 501, { fee: 25n, ...PAID_BY_EXECUTOR });
    await tracks();
    Object.assign(scene.context, { prices: { price: () => ({ ok: false, why: 'unknown' }) } });
    scene.destination.lands(KEY, 501, { fee: 25n, final: true, ...PAID_BY_EXECUTOR });
    await tracks();
    expect(await free(scene)).toBe(BALANCE - MAX_COST);
  });

  it('is not accepted while its coin has no price', async () => {
    Object.assign(scene.context, { prices: { price: () => ({ ok: false, why: 'unknown' }) } });
    expect(await accept(scene)).toEqual({ ok: false, why: 'price' });
    expect(await free(scene)).toBe(BALANCE);
  });

  it('that reverts is a failure, paid for and never made again', async () => {
    await accept(scene);
    await settles();
    scene.destination.lands(KEY, 501, { fee: 25n, ok: false, final: true, ...PAID_BY_EXECUTOR });
    await tracks();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'EXECUTION_REVERTED' });
    expect(JSON.parse((await request()).failed ?? '{}')).toMatchObject({ block: 501, call: { to: 'router' } });
    expect(await free(scene)).toBe(BALANCE - 25n);
    scene.now += 60_000;
    await settles();
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('whose authorization was passed over is no success', async () => {
    await accept(scene);
    await settles();
    passedOver(scene, KEY, LEG, 501);
    await tracks();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'INVALID_NONCE' });
    expect(await free(scene)).toBe(BALANCE - 9n);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'closed' });
  });

  it('that a reorg takes back and another transaction replaces costs nothing', async () => {
    await accept(scene);
    await settles();
    scene.destination.lands(KEY, 501, { fee: 25n, ...PAID_BY_EXECUTOR });
    await tracks();
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    await tracks();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'TRANSACTION_NOT_INCLUDED' });
    expect(await free(scene)).toBe(BALANCE);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'closed' });
  });

  it('that its chain refuses before it is signed ends, and takes nothing', async () => {
    await accept(scene);
    const failedCallData = { from: EXECUTOR, to: 'target', data: '0x1234', value: '0' };
    const refused = { ok: false, kind: 'refused', reason: 'INVALID_SIGNATURE', message: 'no' } as const;
    scene.destination.checkAnswer = () => ({ ...refused, failedCallData });
    await settles();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'INVALID_SIGNATURE', details: 'no' });
    expect(JSON.parse((await request()).failed ?? '{}')).toEqual({ call: failedCallData });
    expect(await free(scene)).toBe(BALANCE);
    expect(scene.destination.prepared).toEqual([]);
  });

  it('waits for its chain, and is given up when it is late', async () => {
    await accept(scene);
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'silent' });
    await settles();
    expect(await request()).toMatchObject({ status: 'pending' });
    scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
    scene.now += CALL_LIFE_MS + 1;
    await settles();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'TRANSACTION_SUBMISSION_FAILED' });
    expect(await free(scene)).toBe(BALANCE);
    expect(scene.destination.prepared).toEqual([]);
  });

  it('with a party that is blocked meanwhile is not made', async () => {
    await accept(scene, 1, { callees: ['delegate'] });
    blocked.add('delegate');
    await settles();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'BLOCKED_WALLET' });
    expect(await free(scene)).toBe(BALANCE);
    expect(scene.destination.prepared).toEqual([]);
  });

  it.each([
    ['in time', 1_000],
    ['late', CALL_LIFE_MS + 1],
  ])('that a lost part of the ledger may have sent is not made again, %s', async (_, ms) => {
    await accept(scene);
    scene.now += ms;
    await markRestored(scene.store, scene.now);
    await settles();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'UNKNOWN' });
    expect(scene.destination.prepared).toEqual([]);
    scene.now += 1_000;
    expect(await accept(scene, 2)).toMatchObject({ ok: true });
    await settles();
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('whose nonce a lost part of the ledger may have used for it is neither made again nor said not to be made', async () => {
    await accept(scene);
    await settles();
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    await tracks();
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'UNKNOWN' });
    expect(await free(scene)).toBe(BALANCE);
    expect(scene.destination.prepared).toHaveLength(1);
  });

  describe('through a pool', () => {
    const OTHER = 'executor-2';
    let pool: CallLanes;
    const chosen = async () => (await pool.of(scene.destination))[0];

    beforeEach(async () => {
      scene.destination.lanes = [...scene.destination.lanes, { signer: OTHER, sends: ['call'] }];
      await openLane(scene.context, scene.destination, OTHER);
      pool = new CallLanes(scene.context);
    });

    it('goes by the lane with least to do, so a stuck transaction holds up its own lane alone', async () => {
      for (let n = 1; n <= 3; n += 1) await accept(scene, n, { signer: EXECUTOR });
      await settles();
      const signers = [];
      for (let n = 4; n <= 12; n += 1) {
        const signer = (await chosen()) ?? '';
        signers.push(signer);
        await accept(scene, n, { signer });
        await scene.settles(scene.destination, OTHER);
        scene.destination.lands(`${OTHER}:${n - 4}`, 501, { feePaidBy: { pot: 'lane', owner: OTHER } });
        await scene.tracks(scene.destination, OTHER);
        scene.now += 1_000;
      }
      expect(signers).toEqual(Array.from({ length: 9 }, () => OTHER));
      for (let n = 4; n <= 12; n += 1)
        expect(await scene.request({ requestId: requestId(n) })).toMatchObject({ status: 'success' });
      expect(await request()).toMatchObject({ status: 'submitted' });
    });

    it('is spread while nothing is counted again', async () => {
      const signers = [];
      for (let n = 0; n < 6; n += 1) signers.push(await chosen());
      expect(signers.filter((signer) => signer === OTHER)).toHaveLength(3);
    });

    it('passes over lanes that are halted or cannot pay, and moves on from one that is empty now', async () => {
      Object.assign(scene.destination, { workCost: (work: bigint) => work });
      scene.destination.balances.set(EXECUTOR, 0n);
      scene.destination.balances.set(OTHER, 10_000_000n);
      expect(await pool.of(scene.destination)).toEqual([OTHER]);
      await accept(scene, 1, { signer: EXECUTOR });
      await settles();
      expect(await scene.leg(LEG)).toMatchObject({ state: 'owed', signer: OTHER });
      await scene.settles(scene.destination, OTHER);
      expect(await scene.leg(LEG)).toMatchObject({ state: 'bound', signer: OTHER });
      scene.destination.balances.set(OTHER, 0n);
      expect(await pool.of(scene.destination)).toEqual([]);
      scene.destination.balances.set(OTHER, 10_000_000n);
      const lane = await scene.store.lane(scene.destination.facts.id, OTHER);
      const change = { op: 'update', table: 'lanes', key: { id: lane?.id ?? '' }, set: { halted: 'used' } } as const;
      await scene.store.apply({ name: 'halt', changes: [{ ...change, version: lane?.version ?? 0 }] });
      scene.now += 1_000;
      expect(await pool.of(scene.destination)).toEqual([]);
    });
  });

  it('is not accepted while nothing is sent from its lane', async () => {
    const lane = await scene.store.lane(scene.destination.facts.id, EXECUTOR);
    const change = { op: 'update', table: 'lanes', key: { id: lane?.id ?? '' }, set: { halted: 'used' } } as const;
    await scene.store.apply({ name: 'halt', changes: [{ ...change, version: lane?.version ?? 0 }] });
    expect(await accept(scene)).toEqual({ ok: false, why: 'halted' });
    expect(await free(scene)).toBe(BALANCE);
  });
});
