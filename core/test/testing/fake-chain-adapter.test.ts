import { describe, expect, it } from 'vitest';
import type { DepositBatch, DepositObservation, FillLeg, KeyEvidence, KeyView } from '../../src/contract/index.js';
import { fakeAddress } from '../../src/testing/fake-chain/cheap-hash.js';
import { fakeChain } from '../../src/testing/fake-chain/fake-chain.js';
import type {
  FakeAdapter,
  FakeChainOptions,
  FakeFault,
  FakeProfileName,
} from '../../src/testing/fake-chain/fake-chain-types.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { orderId } from '../../src/testing/store-fixtures.js';

const USER = fakeAddress('user');
const RECIPIENT = fakeAddress('recipient');

/** One process on a chain that makes blocks only when told to. */
async function scene(profile: FakeProfileName = 'nonce', options: Partial<FakeChainOptions> = {}) {
  const random = new SeededRandom('adapter');
  const clock = new SimClock(random);
  const chain = fakeChain({ id: 7, profile, clock, random, ...options });
  chain.mine(10);
  const end = new AbortController();
  const adapter = chain.adapter({ clock: clock.process(), random, signal: end.signal });
  await clock.advance(100);
  const deposit = (n: number, amount = 100n) =>
    chain.deposit({ from: USER, currency: 'USDF', amount, orderId: orderId(n) });
  const mine = async (blocks = 1) => {
    chain.mine(blocks);
    await clock.advance(200);
  };
  return { chain, clock, adapter, deposit, mine, end };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Observations as a service applies them. */
function follow({ adapter }: Scene, from?: string, known?: ReadonlyMap<string, DepositObservation>) {
  const stop = new AbortController();
  const batches: DepositBatch[] = [];
  const after: ReadonlyMap<string, DepositObservation>[] = [];
  const seen = new Map<string, DepositObservation>(known);
  void (async () => {
    for await (const batch of adapter.watchDeposits(from, stop.signal)) {
      batches.push(batch);
      if (batch.rewoundTo !== undefined) {
        for (const [key, one] of seen) {
          if (one.state === 'included' && (one.block?.height ?? 0) > batch.rewoundTo)
            seen.set(key, { ...one, state: 'vanished', block: null });
        }
      }
      for (const one of batch.deposits) seen.set(one.fundingKey, one);
      after.push(new Map(seen));
    }
  })();
  const present = () =>
    [...seen.values()]
      .filter(({ state }) => state === 'included' || state === 'final')
      .map(({ fundingKey }) => fundingKey)
      .sort();
  return { batches, after, stop, present, state: (key: string | undefined) => seen.get(key ?? '')?.state };
}

const fillLeg = ({ chain }: Scene, n: number, seconds = 3_600): FillLeg => ({
  kind: 'fill',
  legId: `fill:${n}`,
  currency: chain.currencyOf('USDF'),
  amount: 5n,
  recipient: RECIPIENT,
  orderId: orderId(n),
  deadline: Math.ceil(chain.now() / 1000) + seconds,
});

/** Signs one leg at a position. */
async function sign(adapter: FakeAdapter, leg: FillLeg, position: string) {
  const signer = adapter.lanes[0]?.signer ?? '';
  const outcome = await adapter.prepare({ lane: { signer, position }, legs: [{ leg, plan: '{}' }] });
  if (!outcome.ok) throw new Error(outcome.message);
  const transaction = await adapter.sign(outcome.prepared, signer);
  const view: KeyView = { key: outcome.prepared.key, signer, attempts: [{ hash: transaction.hash, legs: [leg] }] };
  return { prepared: outcome.prepared, transaction, view };
}

async function look(adapter: FakeAdapter, view: KeyView): Promise<KeyEvidence> {
  const [evidence] = await adapter.look([view]);
  if (evidence === undefined) throw new Error('no answer');
  return evidence;
}

async function position(adapter: FakeAdapter): Promise<string> {
  return adapter.lanePosition(adapter.lanes[0]?.signer ?? '');
}

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
    // One says that the key is spent, the other nothing: that is doubt.
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
    // Never down to final blocks: then it would prove a falsehood.
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
  it('shows a deposit before its block, and that it went away when a rival took its input', async () => {
    const s = await scene('utxo');
    const watch = follow(s);
    await s.mine();
    const paid = s.deposit(1);
    await s.clock.advance(100);
    expect(watch.state(paid.fundingKeys[0])).toBe('mempool');
    const rival = s.chain.replaceDeposit(paid.hash, { currency: 'USDF', amount: 3n, orderId: orderId(1) });
    await s.clock.advance(100);
    expect([watch.state(paid.fundingKeys[0]), watch.state(rival?.fundingKeys[0])]).toEqual(['vanished', 'mempool']);
    await s.mine();
    expect(watch.state(rival?.fundingKeys[0])).toBe('included');
    const { cursor } = watch.batches.at(-1) ?? { cursor: '' };
    s.chain.reorg(1, { empty: 2 });
    await s.clock.advance(100);
    expect(watch.state(rival?.fundingKeys[0])).toBe('mempool');
    // A process that slept through it comes to the same.
    const other = follow(s, cursor);
    await s.clock.advance(100);
    expect(other.state(rival?.fundingKeys[0])).toBe('mempool');
  });

  it('tells of a spend that went away while the process was down', async () => {
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
    expect(again.state(paid.fundingKeys[0])).toBe('vanished');
  });
});

describe('a rival under the same key', () => {
  it('takes the place of one that pays less by a tenth, and of no other', async () => {
    const s = await scene();
    const first = await sign(s.adapter, fillLeg(s, 1), await position(s.adapter));
    await s.adapter.send(first.transaction);
    const rival = await sign(s.adapter, fillLeg(s, 2), await position(s.adapter));
    expect(rival.prepared.key).toBe(first.prepared.key);
    expect(await s.adapter.send(rival.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'feeTooLow' });
    expect(s.chain.pool()).toEqual([first.transaction.hash]);
    s.chain.baseFee = 30n;
    await s.mine();
    const dearer = await sign(s.adapter, fillLeg(s, 3), await position(s.adapter));
    // The price rose by more than a tenth, the tip did not.
    expect(await s.adapter.send(dearer.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'feeTooLow' });
    expect(s.chain.pool()).toEqual([first.transaction.hash]);
  });
});

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

  it('tells of a leg that came back that it was not done', async () => {
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
    'calls an order unfilled for good on a chain without contracts (%s) only when nothing signed in time can land',
    async (profile) => {
      const s = await scene(profile, { finalityDepth: 3 });
      const leg = fillLeg(s, 1, 10);
      const signed = await sign(s.adapter, leg, await position(s.adapter));
      await s.clock.advance(12_000);
      await s.mine(5);
      expect(s.chain.core.finalized().timestamp / 1000).toBeGreaterThan(leg.deadline);
      // It was signed in time, and no contract will refuse it.
      expect(await s.adapter.unfilledForGood(leg.orderId, leg.deadline)).toBe(false);
      if (profile === 'utxo') s.chain.useSignerElsewhere(USER, 'USDF', 1n);
      await s.clock.advance(120_000);
      await s.mine(30);
      expect(await s.adapter.unfilledForGood(leg.orderId, leg.deadline)).toBe(true);
      const late = await s.adapter.send(signed.transaction);
      expect(late).toMatchObject({ outcome: 'rejected' });
    },
  );

  it.each(['nonce', 'expiring', 'utxo', 'async'] as const)(
    'refuses what the chain shows to be done, and never calls it undone (%s)',
    async (profile) => {
      const s = await scene(profile, { finalityDepth: 3 });
      const leg = fillLeg(s, 1, 10);
      const { signer } = s.chain;
      expect(await s.adapter.check(leg, signer)).toMatchObject({ ok: true });
      expect(await s.adapter.paidBy(leg)).toBeUndefined();
      const { transaction } = await sign(s.adapter, leg, await position(s.adapter));
      await s.adapter.send(transaction);
      await s.mine(5);
      expect(await s.adapter.check(leg, signer)).toMatchObject({ kind: 'refused', reason: 'ORDER_ALREADY_FILLED' });
      expect(await s.adapter.paidBy(leg)).toMatchObject({
        hash: transaction.hash,
        sender: signer,
        currency: leg.currency,
        recipient: RECIPIENT,
        moved: 5n,
      });
      await s.clock.advance(120_000);
      await s.mine(30);
      expect(await s.adapter.unfilledForGood(leg.orderId, leg.deadline)).toBe(false);
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
    expect(s.adapter.positionAhead(await position(s.adapter), '0')).toBe(false);
    expect(await s.adapter.lanePosition(signer, 'pool')).toBe(next);
    for (const provider of s.chain.providers) provider.poolBlind = true;
    expect(await s.adapter.lanePosition(signer, 'pool')).toBe(await position(s.adapter));
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
    expect(s.adapter.positionAhead(now, before)).toBe(true);
    const keys = s.adapter.keysBetween(s.chain.signer, before, now);
    expect(keys).toHaveLength(2);
    const spenders = await Promise.all(keys.map((key) => s.adapter.spenderOf(key, s.chain.signer)));
    expect(spenders).toEqual([
      { hash: foreign, final: false, filled: [] },
      { hash: transaction.hash, final: false, filled: [orderId(1)] },
    ]);
  });
});

describe('a run', () => {
  it('depends on its seed alone, and is quick', async () => {
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
    const before = performance.now();
    expect(await play('one')).toEqual(await play('one'));
    expect(await play('two')).not.toEqual(await play('one'));
    // Four runs of some three minutes of virtual time each: some 10 ms each on an idle machine.
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
