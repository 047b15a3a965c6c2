import { describe, expect, it } from 'vitest';
import type { FillLeg } from '../../src/contract/index.js';
import { byHistory, byPosition } from '../../src/testing/chain/chain-tools.js';
import { fakeChain } from '../../src/testing/fake-chain/fake-chain.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { orderId } from '../../src/testing/store-fixtures.js';
import { fillLeg, look, position, RECIPIENT, scene, sign, USER } from './support/fake-scene.js';

describe('proof about keys and orders', () => {
  it('does not speak of effects that are on their way', async () => {
    const s = await scene('async');
    const { transaction, view } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    await s.adapter.send(transaction);
    await s.mine();
    expect(await look(s.adapter, view)).toEqual({ state: 'unknown', why: 'effects are on their way' });
    await s.mine(2);
    expect(await look(s.adapter, view)).toMatchObject({
      state: 'spent',
      ok: true,
      final: false,
      effects: [{ legId: 'fill:1', done: true, moved: 5n }],
    });
  });

  it('reports a leg that came back as not done', async () => {
    const s = await scene('async');
    const leg = fillLeg(s, 1);
    const { transaction, view } = await sign(s.adapter, leg, await position(s.adapter));
    await s.adapter.send(transaction);
    s.chain.block(RECIPIENT);
    await s.mine(3);
    expect(await look(s.adapter, view)).toMatchObject({ state: 'spent', effects: [{ done: false, moved: 0n }] });
  });

  it('gives a message up only when its last height is final', async () => {
    const s = await scene('expiring', { finalityDepth: 4 });
    const { view } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    await s.mine(20);
    expect((await look(s.adapter, view)).state).toBe('unspent');
    await s.mine(3);
    expect((await look(s.adapter, view)).state).toBe('unspent');
    await s.mine(1);
    expect(await look(s.adapter, view)).toEqual({ state: 'spentByOther', final: true });
  });

  it.each(['expiring', 'async', 'utxo'] as const)(
    'calls an order unfilled permanently on a chain without contracts (%s) only when nothing signed in time can land',
    async (profile) => {
      const s = await scene(profile, { finalityDepth: 3 });
      const leg = fillLeg(s, 1, 10);
      const signed = await sign(s.adapter, leg, await position(s.adapter));
      await s.clock.advance(12_000);
      await s.mine(5);
      expect(s.chain.core.finalized().timestamp / 1000).toBeGreaterThan(leg.deadline);
      // Signed in time, and no contract refuses it.
      expect(await s.adapter.unfilledForGood(leg.orderId, leg.deadline, 0)).toBe(false);
      if (profile === 'utxo') s.chain.useSignerElsewhere(USER, 'USDF', 1n);
      await s.clock.advance(120_000);
      await s.mine(30);
      expect(await s.adapter.unfilledForGood(leg.orderId, leg.deadline, 0)).toBe(true);
      const late = await s.adapter.send(signed.transaction);
      // Without a trial it is accepted with an unknown result.
      expect(late.outcome).toBe(profile === 'expiring' ? 'ambiguous' : 'rejected');
      await s.mine(3);
      expect(s.chain.history().fills).toEqual([]);
    },
  );

  it.each(['nonce', 'expiring', 'utxo', 'async'] as const)(
    'refuses what the chain shows to be done, and never calls it undone (%s)',
    async (profile) => {
      const s = await scene(profile, { finalityDepth: 3 });
      const leg = fillLeg(s, 1, 10);
      const { signer } = s.chain;
      expect(await s.adapter.check(leg, signer)).toMatchObject({ ok: true });
      expect(await s.adapter.paidBy(leg, 0)).toBeUndefined();
      const { transaction } = await sign(s.adapter, leg, await position(s.adapter));
      await s.adapter.send(transaction);
      await s.mine(5);
      // Without contracts, history refuses the second payment.
      const again = { kind: 'refused', reason: 'ORDER_ALREADY_FILLED' };
      expect(await s.adapter.check(leg, signer)).toMatchObject(profile === 'expiring' ? { ok: true } : again);
      expect(await s.adapter.paidBy(leg, 0)).toMatchObject({
        hash: transaction.hash,
        sender: signer,
        currency: leg.currency,
        recipient: RECIPIENT,
        moved: 5n,
      });
      await s.clock.advance(120_000);
      await s.mine(30);
      expect(await s.adapter.unfilledForGood(leg.orderId, leg.deadline, 0)).toBe(false);
    },
  );

  it('replaces a transaction whose predecessor was replaced, by spending what is there now', async () => {
    const s = await scene('utxo');
    const { signer } = s.chain;
    const first = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    expect((await s.adapter.send(first.transaction)).outcome).toBe('accepted');
    await s.mine();
    const second = await sign(s.adapter, fillLeg(s, 2), first.prepared.nextPosition);
    expect((await s.adapter.send(second.transaction)).outcome).toBe('accepted');
    s.chain.reorg(1, { drop: [first.transaction.hash] });
    await s.clock.advance(100);
    expect(s.chain.pool()).toEqual([]);
    expect(await s.adapter.send(second.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    const bump = async (of: typeof first, legs: FillLeg[]) => {
      const outcome = await s.adapter.replace?.({
        key: of.prepared.key,
        signer,
        previousFees: of.prepared.fees,
        legs: legs.map((leg) => ({ leg, plan: '{}' })),
      });
      if (!outcome?.ok) return outcome;
      return { ok: true as const, transaction: await s.adapter.sign(outcome.prepared, signer) };
    };
    const closed = await bump(first, []);
    if (!closed?.ok) throw new Error('not replaced');
    await s.adapter.send(closed.transaction);
    expect((await bump(second, [fillLeg(s, 2)]))?.ok).toBe(false);
    await s.mine(2);
    expect((await look(s.adapter, second.view)).state).toBe('unspent');
    const again = await bump(second, [fillLeg(s, 2)]);
    if (!again?.ok) throw new Error('not replaced');
    await s.adapter.send(again.transaction);
    await s.mine();
    expect(s.chain.history().fills.map((one) => one.orderId)).toEqual([orderId(2)]);
  });

  it.each(['nonce', 'utxo'] as const)('counts what waits in a pool only when asked to (%s)', async (profile) => {
    const s = await scene(profile);
    const { signer } = s.chain;
    let next = await position(s.adapter);
    for (let n = 0; n < (profile === 'nonce' ? 3 : 1); n += 1) {
      const { prepared, transaction } = await sign(s.adapter, fillLeg(s, n), next);
      await s.adapter.send(transaction);
      next = prepared.nextPosition;
    }
    expect(byPosition(s.adapter).positionAhead(await position(s.adapter), '0')).toBe(false);
    expect(await s.adapter.keys.lanePosition(signer, 'pool')).toBe(next);
    for (const provider of s.chain.providers) provider.poolBlind = true;
    expect(await s.adapter.keys.lanePosition(signer, 'pool')).toBe(await position(s.adapter));
    await s.mine(2);
    expect(await position(s.adapter)).toBe(next);
  });

  it('names what spent a key that the ledger does not know', async () => {
    const s = await scene();
    const before = await position(s.adapter);
    const foreign = s.chain.useSignerElsewhere(USER, 'USDF', 1n);
    const { transaction } = await sign(s.adapter, fillLeg(s, 1), '1');
    await s.adapter.send(transaction);
    await s.mine();
    const now = await position(s.adapter);
    const { positionAhead, keysBetween, spenderOf } = byPosition(s.adapter);
    expect(positionAhead(now, before)).toBe(true);
    const keys = keysBetween(s.chain.signer, before, now);
    expect(keys).toHaveLength(2);
    const spenders = await Promise.all(keys.map((key) => spenderOf(key, s.chain.signer)));
    expect(spenders).toEqual([
      { hash: foreign, final: false, filled: [] },
      { hash: transaction.hash, final: false, filled: [orderId(1)] },
    ]);
  });

  it('names it also where messages land in another order than they were signed in, and others run out', async () => {
    const s = await scene('expiring', { finalityDepth: 4 });
    const { signer } = s.chain;
    const since = (ledger: string, start = ledger) => byHistory(s.adapter).sentSince(signer, ledger, start);
    const before = await position(s.adapter);
    const dead = await sign(s.adapter, fillLeg(s, 4), before);
    const known = await sign(s.adapter, fillLeg(s, 1), dead.prepared.nextPosition);
    const lost = await sign(s.adapter, fillLeg(s, 2), known.prepared.nextPosition);
    const later = await sign(s.adapter, fillLeg(s, 3), lost.prepared.nextPosition);
    // The ledger's transaction lands last; one never does.
    for (const { transaction } of [lost, later, known]) {
      await s.adapter.send(transaction);
      await s.mine();
    }
    const ledger = known.prepared.nextPosition;
    const { sent, pending } = await since(ledger);
    expect(sent.map(({ filled }) => filled)).toEqual([[orderId(2)], [orderId(3)], [orderId(1)]]);
    expect(pending).toBe(true);
    await s.mine(40);
    const reported = await since(ledger);
    expect(reported.pending).toBe(false);
    expect(reported.sent.every(({ final }) => final)).toBe(true);
    expect((await since(reported.position)).sent).toEqual([]);
  });

  it('claims nothing while the only provider that answers lags behind', async () => {
    const s = await scene('expiring');
    const before = await position(s.adapter);
    for (const provider of s.chain.providers) provider.lag = 3;
    await expect(byHistory(s.adapter).sentSince(s.chain.signer, before, before)).rejects.toThrow('lags');
  });
});

describe('a run', () => {
  it('depends on its seed alone', async () => {
    const play = async (seed: string) => {
      const random = new SeededRandom(seed);
      const clock = new SimClock(random);
      const chain = fakeChain({ id: 7, clock, random });
      const end = new AbortController();
      chain.start(end.signal);
      const adapter = chain.adapter({ clock: clock.process(), random, signal: end.signal });
      let batches = 0;
      void (async () => {
        for await (const _ of adapter.watchDeposits(undefined, end.signal)) batches += 1;
      })();
      const users = random.fork('users');
      for (let n = 0; n < 30; n += 1) {
        chain.deposit({ from: USER, currency: 'USDF', amount: BigInt(users.between(1, 1_000)), orderId: orderId(n) });
        await clock.advance(users.between(100, 10_000));
        if (users.chance(0.2)) chain.reorg(users.between(1, 4), { empty: users.between(0, 2) });
      }
      end.abort();
      await clock.run();
      return { ids: chain.history().deposits.map(({ block }) => block.id), batches };
    };
    expect(await play('one')).toEqual(await play('one'));
    expect(await play('two')).not.toEqual(await play('one'));
  });
});
