import type { Clock, IsPromised } from '@causeway/core';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { type Asked, answer, asked, type FakeNode, type FakeTransaction, timeAt } from './support/fake-ledger.js';
import { addressOf, fakeTransaction, idOf, signatureOf, type Wish } from './support/fake-transactions.js';
import { type Applied, CHAIN, fakeWatch, VAULT } from './support/fake-watch.js';
import { lookedAt, services } from './support/services.js';

// Anyone may touch the vault any number of times for fees.

const START = 200_000;
const AWAY = 2_000;
const CURSOR = JSON.stringify({ v: 1, settled: START - AWAY, seen: START - AWAY });
const MAX_CONCURRENCY = 16;

function chain(wishes: readonly Omit<Wish, 'touches'>[], more: Partial<FakeNode> = {}) {
  const landed = new Map<string, FakeTransaction>();
  const add = (wish: Omit<Wish, 'touches'>): void => {
    const [signature, transaction] = fakeTransaction({ touches: [VAULT], ...wish });
    landed.set(signature, transaction);
  };
  for (const wish of [...wishes].sort((a, b) => a.slot - b.slot)) add(wish);
  const node: FakeNode = { head: START, oldest: START - 100_000, landed, ...more };
  return { node, add, ...asked((method, params) => answer(node, method, params)) };
}

const spam = (count: number, from: number, to: number, more: Partial<Wish> = {}): readonly Omit<Wish, 'touches'>[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ name: `spam ${from} ${n}`, slot: from + Math.floor((n * (to - from)) / count) },
    ...more,
  }));

const deposit = (name: string, slot: number): Omit<Wish, 'touches'> => ({
  ...{ name, slot, memo: idOf(name), lamports: 5_000n, payer: addressOf(name) },
});

const promising =
  (...names: readonly string[]): IsPromised =>
  async (ids) =>
    new Set(ids.filter((id) => names.some((name) => idOf(name) === id)));

const from = (cursor: string = CURSOR): Applied => ({ cursor, seen: new Map() });
const ordersIn = ({ seen }: Applied) =>
  [...seen.values()].filter(({ state }) => state !== 'vanished').flatMap(({ orderId }) => orderId ?? []);
const settledOf = ({ cursor }: Applied): number => JSON.parse(cursor ?? '{}').settled;
const looks = ({ calls }: Pick<Asked, 'calls'>): number =>
  calls.filter(({ method, params: [account, options = {}] }) => {
    const isNewest = !Object.keys(options as object).some((key) => key === 'before' || key === 'minContextSlot');
    return method === 'getSignaturesForAddress' && account === VAULT && isNewest;
  }).length;
const reads = ({ calls }: Pick<Asked, 'calls'>): readonly string[] =>
  calls.filter(({ method }) => method === 'getTransaction').map(({ params: [signature] }) => String(signature));
const readsOf = (one: Pick<Asked, 'calls'>, name: string): number =>
  reads(one).filter((signature) => signature === signatureOf(name)).length;

describe('a deposit that was promised', () => {
  it.each([
    ['before them', START - 1_900],
    ['among them', START - 700],
    ['after them', START - 2],
  ])(
    'is reported within two looks while thousands of others wait, %s',
    async (_, slot) => {
      const ledger = chain([...spam(6_000, START - 1_800, START - 40), deposit('honest', slot)]);
      const watch = fakeWatch(ledger.node, ledger.rpc, from(), { isPromised: promising('honest') });
      await watch.until((state) => ordersIn(state).includes(idOf('honest')));
      expect(looks(ledger)).toBeLessThanOrEqual(2);
      expect(reads(ledger).length).toBeLessThan(600);
      expect(ledger.most()).toBeLessThanOrEqual(MAX_CONCURRENCY);
      await watch.poll();
      expect(new Set(reads(ledger)).size).toBe(6_001);
      expect(reads(ledger).length).toBe(6_001);
      expect(ledger.most()).toBeLessThanOrEqual(MAX_CONCURRENCY);
      expect(settledOf(watch.state)).toBeGreaterThan(START - 80);
      await watch.end();
    },
    60_000,
  );

  it('is reported at once while a service that is running is spammed', async () => {
    const ledger = chain([]);
    const watch = fakeWatch(ledger.node, ledger.rpc, undefined, { isPromised: promising('honest') });
    await watch.poll();
    for (const wish of spam(5_000, START + 1, START + 12)) ledger.add(wish);
    ledger.add(deposit('honest', START + 12));
    ledger.node.head = START + 14;
    const before = looks(ledger);
    await watch.until((state) => ordersIn(state).includes(idOf('honest')));
    expect(looks(ledger) - before).toBeLessThanOrEqual(2);
    expect(reads(ledger).length).toBeLessThan(20);
    await watch.end();
  });

  it('is reported in its turn where others name its order, or promised ones of their own', async () => {
    const own = Array.from({ length: 40 }, (_, n) => `own ${n}`);
    const fakes = [
      ...spam(3_000, START - 1_900, START - 900, { memo: idOf('honest') }),
      ...own.flatMap((name, n) => spam(60, START - 800 + n, START - 700, { memo: idOf(name) })),
    ];
    const ledger = chain([...fakes, deposit('honest', START - 600), deposit('second', START - 500)]);
    const isPromised = promising('honest', 'second', ...own);
    const watch = fakeWatch(ledger.node, ledger.rpc, from(), { isPromised });
    await watch.until((state) => ordersIn(state).includes(idOf('second')));
    expect(looks(ledger)).toBeLessThanOrEqual(2);
    await watch.until((state) => ordersIn(state).includes(idOf('honest')));
    await watch.end();
  });

  it('is found out later where it was not known the first time', async () => {
    let known = false;
    let asks = 0;
    let now = 0;
    const clock = { ...services().clock, monotonic: () => now };
    const isPromised: IsPromised = async (ids) => {
      asks += 1;
      return known ? promising('honest')(ids) : new Set();
    };
    const others = spam(700, START - 1_800, START - 900).map((one) => ({ ...one, memo: idOf(one.name) }));
    const ledger = chain([...others, deposit('honest', START - 500)]);
    let isBusy = true;
    const { rpc, calls } = asked((method, params) => {
      if (isBusy && method === 'getTransaction') throw new TransportError('too many requests', 'rate');
      return answer(ledger.node, method, params);
    });
    const watch = fakeWatch(ledger.node, rpc, from(), { isPromised, clock });
    const first = watch.poll();
    while (asks < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    [known, now] = [true, now + 11_000];
    while (asks < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    isBusy = false;
    await first;
    const honest = reads({ calls }).lastIndexOf(signatureOf('honest'));
    expect(reads({ calls }).slice(honest).length).toBeGreaterThan(600);
    await watch.end();
  });
});

describe('a look that fails', () => {
  it('leaves what was listed and read as it is', async () => {
    const ledger = chain([...spam(4_000, START - 1_800, START - 40, { lamports: 1n }), deposit('honest', START - 20)]);
    let calls = 0;
    const failing = asked((method, params) => {
      calls += 1;
      // Spread out, so that no run reads all at once.
      if (calls % 37 === 0) throw new RpcError('not now', -32_000, null);
      return answer(ledger.node, method, params);
    });
    const watch = fakeWatch(ledger.node, failing.rpc, from(), {
      clock: lookedAt(50),
    });
    await watch.poll();
    while (watch.state.seen.size < 4_001) await watch.poll();
    const counts = new Map<string, number>();
    for (const signature of reads(failing)) counts.set(signature, (counts.get(signature) ?? 0) + 1);
    expect(reads(failing).length).toBeLessThan(4_001 * 1.06);
    const lists = failing.calls.filter(({ method }) => method === 'getSignaturesForAddress').length;
    expect(lists).toBeLessThan(150);
    await watch.end();
  }, 60_000);
});

describe('one transaction that cannot be read', () => {
  const quick = (): { readonly clock: Clock } => ({ clock: lookedAt(10_000) });

  it.each([
    ['of a version that is not served', 'refused'],
    ['that is not shown', 'lost'],
    ['at which the node fails', 'broken'],
  ] as const)(
    'keeps no other from being reported, and is dismissed where it paid nothing: one %s',
    async (_, shown) => {
      const wishes = [
        deposit('before', START - 300),
        { name: 'odd', slot: START - 200, shown },
        deposit('after', START - 100),
      ];
      const ledger = chain(wishes);
      const watch = fakeWatch(ledger.node, ledger.rpc, from(), quick());
      await watch.until((state) => ordersIn(state).length === 2);
      while (settledOf(watch.state) < START - 200) await watch.poll();
      expect(watch.unread).toEqual([]);
      expect(watch.reported.alerts.list()).toEqual([]);
      await watch.end();
    },
  );

  it('is read of any version that a node knows, and of the first where it takes no other wish', async () => {
    const ledger = chain([...spam(20, START - 300, START - 200), deposit('honest', START - 100)]);
    for (const most of [255, 0]) {
      const { rpc, calls } = asked((method, params) => {
        const { maxSupportedTransactionVersion: wish = 0 } = (params[1] ?? {}) as Record<string, number>;
        if (method === 'getTransaction' && wish > most) throw new RpcError('Invalid params: u8', -32_602, null);
        return answer(ledger.node, method, params);
      });
      const watch = fakeWatch(ledger.node, rpc, from());
      await watch.poll();
      expect(ordersIn(watch.state)).toEqual([idOf('honest')]);
      expect(watch.reported.alerts.list()).toEqual([]);
      expect(reads({ calls }).length).toBeLessThanOrEqual(most === 0 ? 21 + MAX_CONCURRENCY : 21);
      await watch.end();
    }
  });

  it('is dismissed also where its answer makes no sense', async () => {
    const ledger = chain([{ name: 'odd', slot: START - 200 }, deposit('after', START - 100)]);
    const odd = signatureOf('odd');
    const { rpc } = asked((method, params) => {
      if (method !== 'getTransaction' || params[0] !== odd) return answer(ledger.node, method, params);
      return { ...(answer(ledger.node, method, params) as object), meta: null };
    });
    const watch = fakeWatch(ledger.node, rpc, from(), quick());
    while (settledOf(watch.state) < START - 150) await watch.poll();
    expect(ordersIn(watch.state)).toEqual([idOf('after')]);
    expect(watch.unread).toEqual([]);
    await watch.end();
  });

  it('is reported to an operator once, where it paid something, and the cursor goes on', async () => {
    const wishes = [
      deposit('before', START - 300),
      { ...deposit('odd', START - 200), shown: 'refused' as const },
      deposit('after', START - 100),
    ];
    const ledger = chain(wishes);
    let now = 0;
    const clock = { ...services().clock, monotonic: () => now };
    const watch = fakeWatch(ledger.node, ledger.rpc, from(), { clock, isPromised: promising('odd') });
    await watch.poll();
    expect(ordersIn(watch.state).sort()).toEqual([idOf('before'), idOf('after')].sort());
    let tries = 0;
    for (; watch.unread.length === 0; tries += 1) {
      expect(tries).toBeLessThan(100);
      expect(settledOf(watch.state)).toBeLessThan(START - 200);
      now += 15_000;
      await watch.poll();
      if (tries === 2) expect(watch.reported.alerts.list()).toMatchObject([{ id: `unread-${CHAIN}` }]);
    }
    expect(now).toBeGreaterThan(5 * 60_000);
    expect(readsOf(ledger, 'odd')).toBeLessThan(30);
    expect(watch.unread).toMatchObject([
      { transactionHash: signatureOf('odd'), block: { height: START - 200, timestamp: timeAt(START - 200) * 1_000 } },
    ]);
    expect(watch.unread[0]?.why).toMatch(/not supported/);
    for (let n = 0; n < 5; n += 1) {
      now += 100_000;
      await watch.poll();
    }
    expect(watch.unread).toHaveLength(1);
    expect(settledOf(watch.state)).toBeGreaterThan(START - 100);
    expect(watch.reported.alerts.list()).toEqual([]);
    await watch.end();
  });

  it('is reported as a deposit where it can be read in time', async () => {
    const ledger = chain([{ ...deposit('odd', START - 200), shown: 'refused' as const }]);
    let isServed = false;
    const whole = fakeTransaction({ touches: [VAULT], ...deposit('odd', START - 200) })[1];
    const { rpc } = asked((method, params) => {
      if (isServed && method === 'getTransaction') return { ...(whole.shown as object), slot: whole.slot };
      return answer(ledger.node, method, params);
    });
    const watch = fakeWatch(ledger.node, rpc, from(), quick());
    await watch.poll();
    expect(ordersIn(watch.state)).toEqual([]);
    isServed = true;
    while (ordersIn(watch.state).length === 0) await watch.poll();
    expect(watch.unread).toEqual([]);
    await watch.end();
  });
});
