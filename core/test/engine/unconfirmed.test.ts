import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { NOW } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open({ confirmationTimeoutMs: 1_000_000 });
});

afterEach(async () => {
  await scene.close();
});

const waiting = { state: 'mempool' as const, block: null };
const at = (height: number, id = `a-${height}`) => ({ height, id, timestamp: NOW });
const gone = { state: 'vanished' as const, block: null, amount: 0n, currency: '', depositor: '', orderId: null };
/** A block includes a rival. */
const outspent = (height: number, id?: string) => ({ ...gone, rival: { hash: 'rival', block: at(height, id) } });
const A = { fundingKey: '901:a:0' };

type Body = Awaited<ReturnType<Scene['quote']>>;

/** Statuses sent to clients. */
async function reported(): Promise<string[]> {
  const rows = await scene.store.events(0, 100);
  return rows.map(({ payload }) => {
    const { status, failReason } = (JSON.parse(payload) as { data: { status: string; failReason: string } }).data;
    return failReason === 'N/A' ? status : `${status} ${failReason}`;
  });
}

async function entry(body: Body): Promise<string | undefined> {
  const [view] = await scene.store.views([body.requestId]);
  return view?.transactions.find(({ role }) => role === 'deposit')?.status;
}

async function sighted(): Promise<Body> {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a', waiting)]);
  return body;
}

/** Chain time after the sighting. */
async function passes(ms: number): Promise<void> {
  scene.now = NOW + ms;
  await scene.sees([]);
}

async function refunded(body: Body): Promise<void> {
  await scene.pays(scene.origin);
  scene.origin.lands('filler:0', 120, { final: true });
  await scene.tracks(scene.origin);
  expect(await scene.request(body)).toMatchObject({ status: 'refund' });
}

describe('a waiting deposit whose inputs are spent elsewhere', () => {
  it('keeps its request pending until that is final, and fails it then with proof', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', outspent(102))]);
    expect(await entry(body)).toBe('failure');
    await scene.finalises(101);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason: null });
    await scene.finalises(102);
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DOUBLE_SPEND' });
    expect(await scene.depositRow(A)).toMatchObject({ state: 'vanished', height: null, decision: 'waiting' });
    expect(await reported()).toEqual(['pending', 'failure DOUBLE_SPEND']);
    expect(await scene.store.legsOfRequests([body.requestId])).toEqual([]);
  });

  it('fails at once where the rival is final when it is reported', async () => {
    const body = await sighted();
    await scene.finalises(110, [scene.deposit(null, 'a', outspent(102))]);
    expect(await reported()).toEqual(['pending', 'failure DOUBLE_SPEND']);
    expect(await entry(body)).toBe('failure');
  });

  it('waits again where a reorg takes the rival, until another block has it', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', outspent(102))]);
    await scene.sees([], { rewoundTo: 101 });
    expect(await scene.depositRow(A)).toMatchObject({ state: 'mempool', rivalHeight: null, rivalBlockId: null });
    expect(await entry(body)).toBe('success');
    await scene.finalises(103);
    expect(await scene.request(body)).toMatchObject({ status: 'pending' });
    await scene.sees([scene.deposit(null, 'a', outspent(105, 'b-105'))]);
    await scene.finalises(104);
    expect(await scene.request(body)).toMatchObject({ status: 'pending' });
    await scene.finalises(105);
    expect(await reported()).toEqual(['pending', 'failure DOUBLE_SPEND']);
  });

  it('waits again where a pool shows it again', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', outspent(102))]);
    expect(await scene.depositRow(A)).toMatchObject({ height: null, rivalHeight: 102, rivalBlockId: 'a-102' });
    await scene.sees([scene.deposit(body, 'a', waiting)]);
    expect(await scene.depositRow(A)).toMatchObject({ state: 'mempool', rivalHeight: null, rivalBlockId: null });
    expect(await entry(body)).toBe('success');
    await scene.finalises(103);
    expect(await reported()).toEqual(['pending']);
  });

  it('is paid for where a reorg lets it win after all', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', outspent(102))]);
    await scene.sees([scene.deposit(body, 'a', { block: at(102, 'b-102') })], { rewoundTo: 101 });
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed', fundingKey: '901:a:0' });
    expect(await scene.depositRow(A)).toMatchObject({ height: 102, blockId: 'b-102', rivalHeight: null });
    expect(await entry(body)).toBe('success');
    expect(await reported()).toEqual(['pending']);
  });

  it('goes on where it comes back from deeper than finality', async () => {
    const body = await sighted();
    await scene.finalises(110, [scene.deposit(null, 'a', outspent(102))]);
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await reported()).toEqual(['pending', 'failure DOUBLE_SPEND', 'pending']);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed' });
  });

  it('leaves its order to any client that pays it later', async () => {
    const body = await sighted();
    await scene.finalises(110, [scene.deposit(null, 'a', outspent(102))]);
    const other = scene.deposit(body, 'b', { block: at(112) });
    await scene.sees([other]);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason: null, fundingKey: '901:b:0' });
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed', fundingKey: '901:b:0' });
  });

  it('does nothing to a request that another one owns', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'b')]);
    await scene.sees([scene.deposit(body, 'a', waiting)]);
    await scene.finalises(110, [scene.deposit(null, 'a', outspent(102))]);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', fundingKey: '901:b:0' });
    expect(await scene.requestOf(A)).toMatchObject({ status: 'failure', failReason: 'DOUBLE_SPEND' });
  });
});

describe('a deposit that no one puts in a block', () => {
  it('is abandoned past the policy and past its deadline, by the clock of its chain', async () => {
    const body = await sighted();
    await passes(999_999);
    expect(await scene.request(body)).toMatchObject({ status: 'pending' });
    // The service's clock alone proves nothing while the chain is halted.
    scene.now = NOW + 5_000_000;
    await scene.settles(scene.origin);
    expect(await scene.request(body)).toMatchObject({ status: 'pending' });
    await passes(1_000_001);
    expect(await reported()).toEqual(['pending', 'failure DEPOSIT_CONFIRMATION_TIMEOUT']);
    await passes(9_000_000);
    expect(await reported()).toHaveLength(2);
  });

  it('is not abandoned while its order may be filled', async () => {
    const body = await scene.quote(1, { deadlineAt: NOW + 2_000_000 });
    await scene.sees([scene.deposit(body, 'a', waiting)]);
    await passes(1_999_999);
    expect(await scene.request(body)).toMatchObject({ status: 'pending' });
    await passes(2_000_001);
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_CONFIRMATION_TIMEOUT' });
  });

  it.each(['in time by its block', 'late'])(
    'is refunded and never filled when it lands after all (%s)',
    async (when) => {
      const body = await sighted();
      await passes(1_000_001);
      const timestamp = when === 'late' ? NOW + 1_000_002 : NOW;
      await scene.sees([scene.deposit(body, 'a', { block: { height: 110, id: 'a-110', timestamp } })]);
      expect(await scene.leg(legId.fill(body.orderId))).toBeUndefined();
      expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({
        state: 'blocked',
        reason: 'ORPHANED_DEPOSIT_REFUND',
        recipient: 'refund-recipient',
        covers: 100_000n,
      });
      expect(await entry(body)).toBe('success');
      await scene.finalises(110);
      await refunded(body);
      expect(await reported()).toEqual([
        'pending',
        'failure DEPOSIT_CONFIRMATION_TIMEOUT',
        'refund DEPOSIT_CONFIRMATION_TIMEOUT',
      ]);
      await scene.idle();
    },
  );

  it('is refunded also after a reorg took it and gave it back', async () => {
    const body = await sighted();
    await passes(1_000_001);
    const landed = scene.deposit(body, 'a', { block: at(110) });
    await scene.sees([landed]);
    await scene.sees([], { rewoundTo: 109 });
    expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({ state: 'suspended' });
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_CONFIRMATION_TIMEOUT' });
    await scene.sees([{ ...landed, block: at(111, 'b-111') }]);
    await scene.finalises(111);
    await refunded(body);
  });

  it('does not leave its order to another one, which is a duplicate', async () => {
    const body = await sighted();
    await passes(1_000_001);
    const other = scene.deposit(body, 'b', { block: at(110) });
    await scene.sees([other, scene.deposit(body, 'a', { block: at(110) })]);
    expect(await scene.leg(legId.refund('901:b:0'))).toMatchObject({ reason: 'DOUBLE_SPEND' });
    expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({ reason: 'ORPHANED_DEPOSIT_REFUND' });
    expect(await scene.leg(legId.fill(body.orderId))).toBeUndefined();
  });

  it('is abandoned at once where its watcher gives it up', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', gone)]);
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_CONFIRMATION_TIMEOUT' });
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({ reason: 'ORPHANED_DEPOSIT_REFUND' });
  });
});
