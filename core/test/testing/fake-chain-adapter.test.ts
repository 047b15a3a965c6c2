import { describe, expect, it } from 'vitest';
import { byPosition } from '../../src/testing/chain/chain-tools.js';
import type { FakeFault } from '../../src/testing/fake-chain/fake-chain-types.js';
import { orderId } from '../../src/testing/store-fixtures.js';
import { fillLeg, follow, look, position, scene, sign, USER } from './support/fake-scene.js';

describe('faults between a process and its providers', () => {
  const LOST: readonly (readonly [FakeFault, boolean])[] = [
    [{ kind: 'dropBefore', ms: 50 }, false],
    [{ kind: 'dropAfter', ms: 50 }, true],
    [{ kind: 'oddError', message: 'code -32099' }, false],
    [{ kind: 'oddReply', message: 'code -32099' }, true],
  ];

  it.each(LOST)('leave a send ambiguous: %o', async (fault, arrived) => {
    const s = await scene();
    const { transaction } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    s.chain.faults = ({ method }) => (method === 'send' ? fault : undefined);
    const sending = s.adapter.send(transaction);
    await s.clock.advance(500);
    expect((await sending).outcome).toBe('ambiguous');
    expect(s.chain.pool().includes(transaction.hash)).toBe(arrived);
    s.chain.faults = undefined;
    await s.clock.advance(20_000);
    expect((await s.adapter.send(transaction)).outcome).toBe(arrived ? 'known' : 'accepted');
  });

  it('offer the bytes to the next provider when one leaves doubt, and doubt no refusal of one alone', async () => {
    const s = await scene();
    const { transaction } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    s.chain.faults = ({ method, provider }) =>
      method === 'send' && provider === 0 ? { kind: 'oddError', message: 'code -32099' } : undefined;
    expect((await s.adapter.send(transaction)).outcome).toBe('accepted');
    expect(s.chain.pool()).toEqual([transaction.hash]);
    await s.mine();
    const late = await sign(s.adapter, fillLeg(s, 2), '0');
    // One provider reports a spent key, the other nothing: ambiguous.
    expect((await s.adapter.send(late.transaction)).outcome).toBe('ambiguous');
    s.chain.faults = undefined;
    expect(await s.adapter.send(late.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
  });

  it('deliver a call that was delayed although its process is gone', async () => {
    const s = await scene();
    const { transaction } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    s.chain.faults = ({ method }) => (method === 'send' ? { kind: 'delayed', ms: 1_000 } : undefined);
    void s.adapter.send(transaction);
    await s.clock.advance(10);
    s.end.abort();
    expect(s.chain.pool()).toEqual([]);
    await s.clock.advance(1_000);
    expect(s.chain.pool()).toEqual([transaction.hash]);
  });

  it('let nothing leave a process that has ended', async () => {
    const s = await scene();
    const { transaction } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    s.end.abort();
    expect((await s.adapter.send(transaction)).outcome).toBe('ambiguous');
    expect(s.chain.pool()).toEqual([]);
    const before = s.chain.calls;
    await s.mine(3);
    expect(s.chain.calls).toBe(before);
  });

  it('fail over to the next provider, and come back', async () => {
    const s = await scene();
    const [first, second] = s.chain.providers;
    if (!first || !second) throw new Error('two providers');
    first.down = true;
    await s.mine();
    expect(s.adapter.status().head?.value).toBe(s.chain.core.head.height);
    expect(s.adapter.status().healthy).toBe(true);
    second.down = true;
    await s.mine();
    await s.clock.advance(500);
    expect(s.adapter.status().healthy).toBe(false);
    first.down = false;
    await s.clock.advance(15_000);
    expect(s.adapter.status()).toMatchObject({ healthy: true, head: { value: s.chain.core.head.height } });
  });
});

describe('what a provider shows', () => {
  it('proves nothing while it lags behind what was seen before', async () => {
    const s = await scene();
    const { transaction, view } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    await s.adapter.send(transaction);
    await s.mine();
    expect((await look(s.adapter, view)).state).toBe('spent');
    const [first] = s.chain.providers;
    if (!first) throw new Error('a provider');
    first.lag = 2;
    await s.clock.advance(100);
    expect((await look(s.adapter, view)).state).toBe('unknown');
    first.lag = 0;
    await s.clock.advance(100);
    expect((await look(s.adapter, view)).state).toBe('spent');
  });

  it('does not report where a lane stands while all who answer lag behind', async () => {
    const s = await scene();
    const before = await position(s.adapter);
    const { transaction } = await sign(s.adapter, fillLeg(s, 1), before);
    await s.adapter.send(transaction);
    await s.mine();
    const after = await position(s.adapter);
    expect(byPosition(s.adapter).positionAhead(after, before)).toBe(true);
    const [first, ...others] = s.chain.providers;
    if (!first) throw new Error('a provider');
    for (const other of others) other.lag = 2;
    await s.clock.advance(100);
    expect(await position(s.adapter)).toBe(after);
    first.lag = 2;
    await s.clock.advance(100);
    await expect(position(s.adapter)).rejects.toThrow('up to date');
  });

  it('reports where a lane stands although blocks come while it is asked', async () => {
    const s = await scene();
    s.chain.faults = ({ method }) => (method === 'state' ? { kind: 'slow', ms: 1_000 } : undefined);
    const reported = position(s.adapter);
    for (const _ of s.chain.providers) {
      await s.clock.advance(500);
      await s.mine();
      await s.clock.advance(300);
    }
    await s.clock.advance(1_000);
    expect(await reported).toBe('0');
  });

  it('does not make a landed transaction look foreign when its receipts come late', async () => {
    const s = await scene();
    const { transaction, view } = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    const [first, second] = s.chain.providers;
    if (!first || !second) throw new Error('two providers');
    first.receiptsLate = 3;
    await s.adapter.send(transaction);
    await s.mine();
    expect((await look(s.adapter, view)).state).toBe('unknown');
    second.receiptsLate = 3;
    expect(await look(s.adapter, view)).toEqual({ state: 'spentByOther', final: false });
    // Kept above final blocks, which would prove a falsehood.
    first.receiptsLate = 100;
    second.receiptsLate = 100;
    await s.mine(10);
    expect(await look(s.adapter, view)).toMatchObject({ state: 'spent', ok: true, final: true });
  });

  it('loses no deposit whose event comes later than its block', async () => {
    const s = await scene();
    const watch = follow(s);
    for (const provider of s.chain.providers) provider.eventsLate = 2;
    const { fundingKeys } = s.deposit(1);
    await s.mine();
    await s.clock.advance(1_000);
    expect(watch.state(fundingKeys[0])).toBeUndefined();
    await s.mine(2);
    expect(watch.state(fundingKeys[0])).toBe('included');
    await s.mine(8);
    for (const provider of s.chain.providers) provider.eventsLate = 0;
    await s.clock.advance(500);
    expect(watch.batches.at(-1)?.head.height).toBe(s.chain.core.head.height);
  });

  it('takes back what one provider alone had shown, and a quorum does not confirm it', async () => {
    const s = await scene('nonce', { quorum: { aboveMicroUsd: 10n, providers: 2 } });
    const watch = follow(s);
    await s.mine();
    const [first] = s.chain.providers;
    first?.diverge(2, [{ from: USER, currency: 'USDF', amount: 77n, orderId: orderId(9) }]);
    await s.mine();
    const phantom = watch.batches.flatMap(({ deposits }) => deposits).find(({ amount }) => amount === 77n);
    if (!phantom?.block) throw new Error('the phantom was not observed');
    const sighting = { ...phantom, block: phantom.block, providers: s.adapter.quorum(100n) };
    expect(await s.adapter.witness([sighting])).toEqual([false]);
    expect(await s.adapter.witness([{ ...sighting, providers: 1 }])).toEqual([false]);
    first?.rejoin();
    await s.mine();
    expect(watch.state(phantom.fundingKey)).toBe('vanished');

    const { fundingKeys } = s.deposit(1);
    await s.mine();
    const real = watch.batches.flatMap(({ deposits }) => deposits).find((one) => one.fundingKey === fundingKeys[0]);
    if (!real?.block) throw new Error('the deposit was not observed');
    expect(await s.adapter.witness([{ ...real, block: real.block, providers: 2 }])).toEqual([true]);
  });

  it('gives the same observations from every cursor, whatever happened in between', async () => {
    const s = await scene();
    const watch = follow(s);
    for (let n = 1; n <= 12; n += 1) {
      s.deposit(n);
      await s.mine();
      if (n % 4 === 0) {
        s.chain.reorg(3, { empty: 2, drop: n === 4 ? 'all' : [] });
        await s.clock.advance(100);
      }
      if (n === 9) s.chain.providers[0]?.diverge(1);
      if (n === 10) s.chain.providers[0]?.rejoin();
    }
    await s.mine(8);
    const truth = s.chain.history().deposits.map(({ fundingKey }) => fundingKey);
    expect(truth).toHaveLength(9);
    expect(watch.present()).toEqual([...truth].sort());
    expect(watch.batches.some(({ rewoundTo }) => rewoundTo !== undefined)).toBe(true);
    watch.stop.abort();
    for (const [n, { cursor }] of watch.batches.entries()) {
      const replay = follow(s, cursor, watch.after[n]);
      await s.mine();
      expect(replay.present()).toEqual([...truth].sort());
      replay.stop.abort();
    }
    const lost = s.adapter.watchDeposits('nonsense', new AbortController().signal)[Symbol.asyncIterator]();
    await expect(lost.next()).rejects.toThrow(/cursor/);
  });
});

describe('a public pool', () => {
  it('shows a deposit before its block, and that it is gone once a block has a rival of it', async () => {
    const s = await scene('utxo');
    const watch = follow(s);
    await s.mine();
    const paid = s.deposit(1);
    await s.clock.advance(100);
    expect(watch.state(paid.fundingKeys[0])).toBe('mempool');
    const rival = s.chain.replaceDeposit(paid.hash, { currency: 'USDF', amount: 3n, orderId: orderId(2) });
    await s.clock.advance(100);
    expect([watch.state(paid.fundingKeys[0]), watch.state(rival?.fundingKeys[0])]).toEqual(['mempool', 'mempool']);
    await s.mine();
    expect([watch.state(paid.fundingKeys[0]), watch.state(rival?.fundingKeys[0])]).toEqual(['vanished', 'included']);
    const reported = () => watch.batches.flatMap(({ deposits }) => deposits).filter((one) => one.rival !== undefined);
    expect(reported().map((one) => [one.fundingKey, one.rival?.hash])).toEqual([[paid.fundingKeys[0], rival?.hash]]);
    const { cursor } = watch.batches.at(-1) ?? { cursor: '' };
    s.chain.reorg(1, { empty: 2 });
    await s.clock.advance(100);
    expect(watch.state(rival?.fundingKeys[0])).toBe('mempool');
    // A process that slept gets the same result.
    const other = follow(s, cursor);
    await s.clock.advance(100);
    expect(other.state(rival?.fundingKeys[0])).toBe('mempool');
    await s.mine();
    // Reported again for another block.
    expect(reported().map((one) => one.rival?.hash)).toEqual([rival?.hash, rival?.hash]);
    expect(new Set(reported().map((one) => one.rival?.block.id)).size).toBe(2);
  });

  it('reports a raised fee of the same order when it is in a block', async () => {
    const s = await scene('utxo');
    const watch = follow(s);
    await s.mine();
    const paid = s.deposit(1);
    await s.clock.advance(100);
    const rival = s.chain.replaceDeposit(paid.hash, { currency: 'USDF', amount: 3n, orderId: orderId(1) });
    await s.clock.advance(100);
    expect(watch.state(rival?.fundingKeys[0])).toBeUndefined();
    await s.mine();
    expect(watch.batches.at(-1)?.deposits.map(({ state }) => state)).toEqual(['vanished', 'included']);
  });

  it('reports nothing of one that the pool forgot, until it lands', async () => {
    const s = await scene('utxo');
    const watch = follow(s);
    await s.mine();
    const paid = s.deposit(1);
    await s.clock.advance(100);
    const { cursor } = watch.batches.at(-1) ?? { cursor: '' };
    watch.stop.abort();
    expect(s.chain.evict(paid.hash)).toBe(true);
    const again = follow(s, cursor);
    await s.mine();
    expect(again.state(paid.fundingKeys[0])).toBeUndefined();
    expect(s.chain.rebroadcast(paid.hash)).toBe(true);
    await s.mine();
    expect(again.state(paid.fundingKeys[0])).toBe('included');
  });

  it('knows that one is gone with the transaction that it descends from', async () => {
    const s = await scene('utxo');
    const watch = follow(s);
    await s.mine();
    const parent = s.chain.prepay(USER);
    const paid = s.chain.deposit({ from: USER, currency: 'USDF', amount: 5n, orderId: orderId(1), parent });
    await s.clock.advance(100);
    expect(watch.state(paid.fundingKeys[0])).toBe('mempool');
    expect(s.chain.replaceDeposit(parent, null)).toBeDefined();
    expect(s.chain.pool()).not.toContain(paid.hash);
    await s.mine();
    expect(watch.state(paid.fundingKeys[0])).toBe('vanished');
  });

  it('includes one with the transaction that it descends from', async () => {
    const s = await scene('utxo');
    const watch = follow(s);
    await s.mine();
    const parent = s.chain.prepay(USER);
    const paid = s.chain.deposit({ from: USER, currency: 'USDF', amount: 5n, orderId: orderId(1), parent });
    await s.mine();
    expect(watch.state(paid.fundingKeys[0])).toBe('included');
    expect(s.chain.coin(paid.fundingKeys[0] ?? '')).toBe(5n);
  });
});
