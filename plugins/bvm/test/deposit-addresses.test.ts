import type { AddressRef, DepositObservation, Hex } from '@causeway/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressKeys } from '../src/address-keys.js';
import { encodeAddress, NATIVE } from '../src/addresses.js';
import { fundingKeyOf } from '../src/funding-key.js';
import { NETWORKS } from '../src/network.js';
import { TestBook } from './support/book.js';
import { pay, reorg, rivalOf, split, type WantedOutput } from './support/control.js';
import { lacks } from './support/have-node.js';
import {
  anyId,
  collectLeg,
  deposited,
  fillLeg,
  fundLane,
  type Keys,
  landed,
  lookAt,
  newKeys,
  refundLeg,
  type Solver,
  signed,
  startSolver,
} from './support/lane.js';
import { type LocalNode, startNode, until } from './support/node.js';
import { CHAIN, Following, type Saved } from './support/view.js';

const SECRET = '11'.repeat(32);
const SALT: Hex = `0x${'ab'.repeat(32)}`;

describe('keys of deposit addresses', () => {
  const network = NETWORKS['bitcoin-regtest'];
  const at = (salt = SALT, secret = SECRET, chain = CHAIN): string =>
    addressKeys(secret, chain, 'p2wpkh', network).signer(salt).address;

  it('are the same for ever, and differ by secret, chain and salt', () => {
    expect(at()).toBe('bcrt1q8930w8wtx0x7w48pxcflcf98avpjym0svmmsdu');
    expect(at(SALT.toUpperCase().replace('0X', '0x') as Hex)).toBe(at());
    const others = [at(`0x${'ab'.repeat(31)}ac`), at(SALT, '12'.repeat(32)), at(SALT, SECRET, CHAIN + 1)];
    expect(new Set([at(), ...others]).size).toBe(4);
    expect(addressKeys(SECRET, CHAIN, 'p2tr', network).signer(SALT).address).toMatch(/^bcrt1p/);
    expect(() => at('0xab')).toThrow('32 bytes');
    expect(() => at(SALT, 'nonsense')).toThrow(RangeError);
  });
});

describe.each([
  ['bitcoin', 'p2wpkh'],
  ['bitcoin', 'p2tr'],
  ['litecoin', 'p2wpkh'],
] as const)('deposit addresses on %s, %s', (kind, type) => {
  describe.skipIf(lacks(kind))('a real node', () => {
    let node: LocalNode;
    let keys: Keys;
    let solver: Solver;
    let book: TestBook;
    let purse: { readonly txid: string; readonly vout: number }[];
    let watch: Following;
    const opened: { stop(): Promise<void> }[] = [];

    beforeAll(async () => {
      node = await startNode(kind, { blocks: 60 });
      purse = [...(await split(node, 60, 2_000_000n))];
      // Not for the wallet's own payments.
      await node.rpc('lockunspent', [false, purse.map(({ txid, vout }) => ({ txid, vout }))]);
    });
    afterAll(() => node?.stop());
    afterEach(async () => {
      for (const one of opened.splice(0).reverse()) await one.stop();
    });

    async function begin(): Promise<void> {
      keys = newKeys(type);
      book = new TestBook();
      await process();
      await fundLane(node, solver, 2_000_000n);
    }

    async function process(from?: Saved): Promise<void> {
      solver = await startSolver(node, keys);
      opened.push(solver);
      const following = new Following(solver.view, from, async () => new Set(), book);
      watch = following;
      opened.push(following);
      book.known = () => following.known.values();
      await until('the first batch', () => from !== undefined || watch.batches.length > 0);
    }

    const fresh = (): AddressRef => {
      const salt = anyId();
      return { salt, address: solver.derive(salt) };
    };
    const handedOut = (): AddressRef => book.add(fresh());

    async function paid(...outputs: readonly WantedOutput[]): Promise<string> {
      const coin = purse.pop();
      if (coin === undefined) throw new Error('the purse is empty');
      return (await pay(node, { inputs: [coin], outputs })).txid;
    }

    const key = (txid: string, vout: number): string => fundingKeyOf(CHAIN, { txid, vout });
    const seen = (txid: string, vout: number): DepositObservation | undefined => {
      watch.state(txid);
      return watch.known.get(key(txid, vout));
    };
    const reach = (txid: string, vout: number, state: string): Promise<void> =>
      until(`${txid}:${vout} to be ${state}`, () => seen(txid, vout)?.state === state);
    const balance = (): Promise<bigint> => solver.view.balance(solver.depository);

    async function mined(...hold: readonly (readonly [string, number])[]): Promise<void> {
      await node.mine();
      for (const [txid, vout] of hold) await reach(txid, vout, 'included');
      await solver.caughtUp();
    }

    it('report each payment on its own, from the pool to its final block, and hold it for the depository', async () => {
      await begin();
      const [one, two] = [handedOut(), handedOut()];
      const first = await paid({ to: one.address, satoshis: 40_000n });
      await reach(first, 0, 'mempool');
      expect(seen(first, 0)).toMatchObject({
        ...{ currency: NATIVE, amount: 40_000n, orderId: null, depositAddress: one.address, block: null },
      });
      const order = anyId();
      const many = await paid(
        { to: two.address, satoshis: 21_000n },
        { to: solver.depository, satoshis: 50_000n },
        { data: order },
        { to: one.address, satoshis: 22_000n },
      );
      await reach(many, 3, 'mempool');
      expect(await balance()).toBe(0n);
      await mined([first, 0], [many, 3]);
      expect([0, 1, 3].map((vout) => [seen(many, vout)?.amount, seen(many, vout)?.orderId])).toEqual([
        [21_000n, null],
        [50_000n, order],
        [22_000n, null],
      ]);
      expect(await balance()).toBe(133_000n);
      expect(await solver.view.held([one.address, two.address])).toEqual([62_000n, 21_000n]);
      expect(await solver.view.held([fresh().address])).toEqual([undefined]);
      await node.mine(6);
      await reach(many, 3, 'final');
      expect(seen(first, 0)?.state).toBe('final');
    });

    it('sight only one of two payments that exclude each other, and the one that lands', async () => {
      await begin();
      const to = handedOut();
      const first = await paid({ to: to.address, satoshis: 40_000n });
      await reach(first, 0, 'mempool');
      const rival = await rivalOf(node, first, [{ to: to.address, satoshis: 1_900_000n }]);
      if (node.network.rbf) {
        await node.rpc('sendrawtransaction', [rival.hex]);
        await until('the pool', () => solver.view.pool.entries.has(rival.txid));
        const other = await paid({ to: to.address, satoshis: 30_000n });
        await reach(other, 0, 'mempool');
        expect(seen(rival.txid, 0)).toBeUndefined();
      }
      await node.mineOnly([rival.hex]);
      await reach(rival.txid, 0, 'included');
      expect(seen(first, 0)).toMatchObject({ state: 'vanished', rival: { hash: rival.txid } });
    });

    it('find what arrived before the address was known, once, also after a restart', async () => {
      await begin();
      const [early, other] = [fresh(), fresh()];
      const before = await paid({ to: early.address, satoshis: 45_000n }, { to: other.address, satoshis: 11_000n });
      await node.mine(7);
      const near = await paid({ to: early.address, satoshis: 46_000n });
      await node.mine();
      await solver.caughtUp();
      expect([await balance(), seen(before, 0)]).toEqual([0n, undefined]);
      book.add(early);
      await node.mine();
      await reach(before, 0, 'final');
      await reach(near, 0, 'included');
      expect(seen(near, 0)).toMatchObject({ depositAddress: early.address, amount: 46_000n, orderId: null });
      await until('the balance', async () => (await balance()) === 91_000n);
      expect(seen(before, 1)).toBeUndefined();

      const { newest } = watch;
      for (const one of opened.splice(0).reverse()) await one.stop();
      const away = await paid({ to: early.address, satoshis: 5_000n });
      book.add(other);
      await node.mine();
      await process(newest);
      await reach(away, 0, 'included');
      await reach(before, 1, 'final');
      await until('the balance', async () => (await balance()) === 107_000n);
      const reported = watch.batches.flatMap(({ deposits }) => deposits.map(({ fundingKey }) => fundingKey));
      expect(reported.sort()).toEqual([key(away, 0), key(before, 1)].sort());
      expect(await solver.view.coins.check()).toBe('same');
    });

    it('count what was found only once it is reported, so that it hides no loss', async () => {
      await begin();
      const early = fresh();
      const txid = await paid({ to: early.address, satoshis: 45_000n });
      await node.mine();
      await solver.caughtUp();
      await watch.stop();
      const stop = new AbortController();
      const batches = solver.view.watchDeposits(watch.newest.cursor, stop.signal, async () => new Set(), book);
      book.add(early);
      expect((await batches.next()).value?.deposits).toEqual([]);
      expect((await batches.next()).value?.deposits).toMatchObject([{ fundingKey: key(txid, 0), state: 'included' }]);
      expect(await balance()).toBe(0n);
      const last = batches.next();
      await until('the balance', async () => (await balance()) === 45_000n);
      stop.abort();
      await last;
    });

    it('make no crowd of the pool by one transaction, and are all paid by it in its block', async () => {
      await begin();
      const refs = Array.from({ length: 51 }, handedOut);
      const txid = await paid(...refs.map(({ address: to }) => ({ to, satoshis: 10_000n })));
      await until('the pool', () => solver.view.pool.entries.has(txid));
      const other = await paid({ to: refs[0]?.address ?? '', satoshis: 10_000n });
      await reach(other, 0, 'mempool');
      expect(seen(txid, 0)).toBeUndefined();
      await mined([txid, 0], [txid, 50]);
      expect(await balance()).toBe(520_000n);
    });

    it('are paid out of where the money is: refunds, what is left of them, and collects of several', async () => {
      await begin();
      const [one, two] = [handedOut(), handedOut()];
      const a = await paid({ to: one.address, satoshis: 100_000n });
      const b = await paid({ to: two.address, satoshis: 200_000n });
      await mined([a, 0], [b, 0]);
      const plain = await deposited(node, solver, 300_000n);
      expect(await balance()).toBe(600_000n);
      const at = { txid: a, vout: 0 };
      const before = await solver.view.balance(solver.address);
      const recipient = await node.address();
      const unknown = refundLeg(at, recipient, 59_000n, { covers: 60_000n });
      expect(await solver.lane.check(unknown)).toMatchObject({ ok: false, kind: 'unavailable' });
      expect(await solver.lane.check({ ...unknown, from: two })).toMatchObject({ ok: false, kind: 'unavailable' });
      const refund = { ...unknown, from: one };
      const first = await signed(solver, [refund]);
      await landed(node, solver, first);
      expect(await lookAt(solver, first)).toMatchObject({
        ...{ state: 'spent', ok: true, effects: [{ done: true, moved: 59_000n }] },
      });
      expect(await balance()).toBe(540_000n);
      // Sent legs do not say where their deposit was.
      expect(await solver.lane.paidBy(unknown, 0)).toMatchObject({ hash: first.transaction.hash, moved: 59_000n });
      expect(await solver.lane.check(refund)).toMatchObject({ ok: false, kind: 'refused', reason: 'INVALID_NONCE' });
      const second = { txid: b, vout: 0 };
      const excess = refundLeg(second, recipient, 29_000n, { covers: 30_000n, kind: 'excess', from: two });
      const collect = {
        ...collectLeg(solver, [at, plain], 40_000n + 300_000n),
        from: [{ ...one, fundingKey: key(a, 0) }],
      };
      const both = await signed(solver, [excess, collect]);
      await landed(node, solver, both);
      const looked = await lookAt(solver, both);
      expect(looked).toMatchObject({
        effects: [
          { done: true, moved: 29_000n },
          { done: true, moved: 340_000n },
        ],
      });
      expect(await balance()).toBe(170_000n);
      const rest = { ...collectLeg(solver, [second], 170_000n), from: [{ ...two, fundingKey: key(b, 0) }] };
      const last = await signed(solver, [rest]);
      await landed(node, solver, last);
      expect(await balance()).toBe(0n);
      const evidence = await Promise.all([first, both, last].map((attempt) => lookAt(solver, attempt)));
      const fees = evidence.reduce((sum, one) => sum + (one.state === 'spent' ? one.fee : 0n), 0n);
      const gained = 1_000n + 1_000n + 340_000n + 170_000n;
      expect(await solver.view.balance(solver.address)).toBe(before + gained - fees);
      expect(fees).toBe([first, both, last].reduce((sum, { prepared }) => sum + prepared.maxFee, 0n));
      expect(await solver.view.coins.check()).toBe('same');
    });

    it('take what the lane pays them, and are never swept', async () => {
      await begin();
      const to = handedOut();
      const fill = await signed(solver, [fillLeg(to.address, 50_000n)]);
      await landed(node, solver, fill);
      await reach(fill.transaction.hash, 0, 'included');
      expect(seen(fill.transaction.hash, 0)).toMatchObject({
        ...{ amount: 50_000n, depositAddress: to.address, depositor: solver.address, orderId: null },
      });
      expect(await balance()).toBe(50_000n);
      const { txid } = await deposited(node, solver, 50_000n);
      const leg = refundLeg({ txid, vout: 0 }, solver.depository, 50_000n);
      expect(await solver.lane.check({ ...leg, kind: 'sweep', from: to })).toMatchObject({
        ok: false,
        kind: 'refused',
      });
    });

    it('lose with a reorg what it removes, and have again what it keeps', async () => {
      await begin();
      const [one, two] = [handedOut(), handedOut()];
      const kept = await paid({ to: one.address, satoshis: 41_000n });
      const dropped = await paid({ to: two.address, satoshis: 42_000n });
      await mined([kept, 0], [dropped, 0]);
      expect(await balance()).toBe(83_000n);
      await reorg(node, 1, { drop: [dropped] });
      await reach(dropped, 0, 'vanished');
      await reach(kept, 0, 'included');
      await solver.caughtUp();
      expect(await balance()).toBe(41_000n);
    });

    it('wait for a ledger that cannot be asked, and blame no node', async () => {
      await begin();
      const to = handedOut();
      book.broken = new Error('the database is away');
      const txid = await paid({ to: to.address, satoshis: 40_000n });
      const head = await node.mine();
      await until('a try', () => solver.logged.some(({ message }) => message.startsWith('deposits cannot be read')));
      expect([watch.isAt(head[0] ?? ''), solver.view.providers.problem()]).toEqual([false, null]);
      book.broken = undefined;
      await reach(txid, 0, 'included');
      expect(solver.view.problem()).toBeNull();
    });
  });
});

describe.skipIf(lacks('bitcoin'))('twenty thousand deposit addresses', () => {
  it('are watched from the start, and all their outputs are found by one search', async () => {
    const node = await startNode('bitcoin', { blocks: 30 });
    const keys = newKeys();
    const book = new TestBook();
    const solver = await startSolver(node, keys);
    const salts = Array.from({ length: 200 }, () => anyId());
    const own = salts.map((salt) => book.add({ salt, address: solver.derive(salt) }));
    for (let n = 0; n < 20_000 - own.length; n += 1) {
      const salt = anyId();
      const payload = Buffer.from(salt.slice(2, 42), 'hex');
      book.add({ salt, address: encodeAddress({ type: 'p2wpkh', payload }, node.network) });
    }
    const early = await pay(node, { outputs: own.map(({ address }) => ({ to: address, satoshis: 10_000n })) });
    await node.mine();
    const began = performance.now();
    const watch = new Following(solver.view, undefined, async () => new Set(), book);
    try {
      const known = () => [...watch.known.values()].filter(({ transactionHash }) => transactionHash === early.txid);
      book.known = () => watch.known.values();
      await until('the search', () => known().length === own.length, 60_000);
      console.log(`${book.watched.size} addresses: found after ${Math.round(performance.now() - began)} ms`);
      await until('the balance', async () => (await solver.view.balance(solver.depository)) === 2_000_000n);
      expect(new Set(known().map(({ depositAddress }) => depositAddress)).size).toBe(own.length);
    } finally {
      await watch.stop();
      await solver.stop();
      await node.stop();
    }
  }, 120_000);
});
