import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseTransaction } from '../src/raw/transaction.js';
import { reorg } from './support/control.js';
import { lacks } from './support/have-node.js';
import {
  type Attempt,
  acceptance,
  fillLeg,
  fundLane,
  landed,
  lookAt,
  newKeys,
  replaced,
  type Solver,
  signed,
  startSolver,
  tryReplace,
} from './support/lane.js';
import { type LocalNode, startNode } from './support/node.js';

describe.skipIf(lacks('bitcoin'))('replacing a transaction of a lane', () => {
  let node: LocalNode;
  let solver: Solver;

  beforeAll(async () => {
    node = await startNode('bitcoin');
  });
  afterAll(() => node?.stop());
  afterEach(() => solver?.stop());

  async function funded(satoshis: readonly bigint[], more: Parameters<typeof startSolver>[2] = {}): Promise<void> {
    solver = await startSolver(node, newKeys(), more);
    await fundLane(node, solver, ...satoshis);
  }

  const anchorOf = ({ transaction }: Attempt) => {
    const [first] = parseTransaction(transaction.bytes).inputs;
    return `${first?.txid}:${first?.vout}`;
  };
  const feeOf = (txid: string) =>
    node.rpc<{ fees: { base: number }; vsize: number }>('getmempoolentry', [txid]).then(({ fees, vsize }) => ({
      fee: BigInt(Math.round(fees.base * 1e8)),
      vsize,
    }));

  async function sent(attempt: Attempt): Promise<void> {
    expect(await solver.lane.send(attempt.transaction)).toEqual({ outcome: 'accepted' });
    await solver.caughtUp();
  }

  it('is taken by the node again and again, each spending the same anchor for a quarter more', async () => {
    await funded([1_000_000n]);
    const legs = [fillLeg(await node.address(), 20_000n)];
    let newest = await signed(solver, legs);
    await sent(newest);
    const fees = [(await feeOf(newest.transaction.hash)).fee];
    for (let n = 0; n < 8; n += 1) {
      const next = await replaced(solver, newest);
      expect(next.prepared.key).toBe(newest.prepared.key);
      expect(anchorOf(next)).toBe(anchorOf(newest));
      await sent(next);
      expect(await node.pool()).toEqual([next.transaction.hash]);
      const { fee, vsize } = await feeOf(next.transaction.hash);
      expect(fee).toBe(next.prepared.maxFee);
      expect(fee).toBeGreaterThanOrEqual((fees.at(-1) ?? 0n) + BigInt(vsize));
      fees.push(fee);
      newest = next;
    }
    expect(fees[8]).toBeGreaterThanOrEqual(((fees[7] ?? 0n) * 5n) / 4n - 1n);
    await node.mine();
    await solver.caughtUp();
    expect(await lookAt(solver, newest)).toMatchObject({ state: 'spent', fee: fees.at(-1) });
  });

  it('ends at the cap, and says so', async () => {
    await funded([1_000_000n], { fees: { maxRate: 10 } });
    let newest = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
    await sent(newest);
    for (let n = 0; n < 50; n += 1) {
      const outcome = await tryReplace(solver, newest);
      if (!outcome.ok) {
        expect(outcome.why).toBe('feeCap');
        const { fee, vsize } = await feeOf(newest.transaction.hash);
        expect(fee).toBeLessThanOrEqual(BigInt(vsize) * 10n);
        expect(fee).toBeGreaterThan(BigInt(vsize) * 7n);
        return;
      }
      newest = await replaced(solver, newest);
      await sent(newest);
    }
    expect.unreachable();
  });

  it('takes further coins where the fee has outgrown the change', async () => {
    await funded([50_000n]);
    const first = await signed(solver, [fillLeg(await node.address(), 49_000n)]);
    await sent(first);
    const { txid } = await node.fund(solver.address, 100_000n);
    await node.mineOnly([txid]);
    await solver.caughtUp();
    let newest = first;
    while (parseTransaction(newest.transaction.bytes).inputs.length === 1) {
      newest = await replaced(solver, newest);
      await sent(newest);
    }
    expect(anchorOf(newest)).toBe(anchorOf(first));
    expect(await node.pool()).toEqual([newest.transaction.hash]);
    await node.mine();
  });

  it('closes the key of a hundred payments by one that moves nothing, which the node takes in their place', async () => {
    await funded([50_000_000n], { batches: { most: 100 } });
    const legs = await Promise.all(Array.from({ length: 100 }, async () => fillLeg(await node.address(), 10_000n)));
    const batch = await signed(solver, legs);
    await sent(batch);
    const noop = await replaced(solver, batch, []);
    expect(anchorOf(noop)).toBe(anchorOf(batch));
    await sent(noop);
    expect(await node.pool()).toEqual([noop.transaction.hash]);
    await node.mine();
    await solver.caughtUp();
    expect(await lookAt(solver, batch, noop)).toMatchObject({
      ...{ state: 'spent', hash: noop.transaction.hash, ok: true, effects: [], fee: noop.prepared.maxFee },
    });
    const late = await solver.lane.send(batch.transaction);
    expect(late).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    await landed(node, solver, await signed(solver, [fillLeg(await node.address(), 20_000n)]));
  });

  it('closes it also where that is a hundred times the usual rate for so small a transaction', async () => {
    await funded([50_000_000n], { batches: { most: 100 }, fees: { minRate: 450, maxRate: 500 } });
    const legs = await Promise.all(Array.from({ length: 100 }, async () => fillLeg(await node.address(), 10_000n)));
    const batch = await signed(solver, legs);
    await sent(batch);
    const noop = await replaced(solver, batch, []);
    await sent(noop);
    expect(await node.pool()).toEqual([noop.transaction.hash]);
    await node.mine();
  });

  it('leaves out legs, and reports which ones were done', async () => {
    await funded([1_000_000n]);
    const legs = [fillLeg(await node.address(), 20_000n), fillLeg(await node.address(), 30_000n)];
    const [kept] = legs;
    if (kept === undefined) throw new Error('unreachable');
    const both = await signed(solver, legs);
    await sent(both);
    const fewer = await replaced(solver, both, [kept]);
    await sent(fewer);
    await node.mine();
    await solver.caughtUp();
    const evidence = await lookAt(solver, both, fewer);
    expect(evidence.state === 'spent' && evidence.effects).toEqual([{ legId: kept.legId, done: true, moved: 20_000n }]);
  });

  it('of one whose anchor a reorg took away spends the present one, and the two exclude each other', async () => {
    await funded([1_000_000n, 900_000n]);
    const first = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
    const bumped = await replaced(solver, first);
    await landed(node, solver, first);
    const next = await signed(solver, [fillLeg(await node.address(), 30_000n)]);
    await sent(next);
    // On the other branch the replacement confirms.
    const tip = await node.rpc<string>('getbestblockhash');
    await node.rpc('invalidateblock', [tip]);
    await node.mineOnly([bumped.transaction.bytes]);
    await node.mine();
    await solver.caughtUp();
    expect(await node.pool()).toEqual([]);
    expect(await lookAt(solver, first, bumped)).toMatchObject({ state: 'spent', hash: bumped.transaction.hash });
    expect(await lookAt(solver, next)).toEqual({ state: 'unspent', inPool: false });
    expect(await solver.lane.send(next.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    const again = await replaced(solver, next);
    expect(again.prepared.key).toBe(next.prepared.key);
    expect(anchorOf(again)).not.toBe(anchorOf(next));
    await landed(node, solver, again);
    expect(await lookAt(solver, next, again)).toMatchObject({ state: 'spent', hash: again.transaction.hash });
    expect(await acceptance(node, next.transaction)).toMatchObject({ allowed: false });
  });

  it('waits while the one before is in no block', async () => {
    await funded([1_000_000n]);
    await landed(node, solver, await signed(solver, [fillLeg(await node.address(), 20_000n)]));
    const next = await signed(solver, [fillLeg(await node.address(), 30_000n)]);
    await reorg(node, 1, { keep: 'waiting' });
    await solver.caughtUp();
    expect(await tryReplace(solver, next)).toMatchObject({ ok: false, why: 'unavailable' });
    expect(await lookAt(solver, next)).toEqual({ state: 'unspent', inPool: false });
  });

  it('does not repeat what came into the chain with the reorg', async () => {
    await funded([1_000_000n]);
    const leg = fillLeg(await node.address(), 30_000n);
    const first = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
    // Unknown to the ledger.
    const foreign = await replaced(solver, first, [leg]);
    await landed(node, solver, first);
    const next = await signed(solver, [leg]);
    await sent(next);
    await node.rpc('invalidateblock', [await node.rpc<string>('getbestblockhash')]);
    await node.mineOnly([foreign.transaction.bytes]);
    await node.mine();
    await solver.caughtUp();
    expect(await tryReplace(solver, next)).toMatchObject({ ok: false, why: 'unavailable' });
    expect(await tryReplace(solver, next, [])).toMatchObject({ ok: true });
  });
});

describe.skipIf(lacks('litecoin'))('a network whose nodes keep the first of two rivals', () => {
  let node: LocalNode;
  let solver: Solver;

  beforeAll(async () => {
    node = await startNode('litecoin');
  });
  afterAll(() => node?.stop());
  afterEach(() => solver?.stop());

  it('lets nothing take the place of what waits, and refuses the second one', async () => {
    solver = await startSolver(node, newKeys());
    await fundLane(node, solver, 1_000_000n);
    const [one, two] = [
      await signed(solver, [fillLeg(await node.address(), 20_000n)]),
      await signed(solver, [fillLeg(await node.address(), 30_000n)]),
    ];
    expect(one.prepared.key).toBe(two.prepared.key);
    expect(await solver.lane.send(one.transaction)).toEqual({ outcome: 'accepted' });
    expect(await tryReplace(solver, one)).toMatchObject({ ok: false, why: 'feeCap' });
    expect(await tryReplace(solver, one, [])).toMatchObject({ ok: false, why: 'feeCap' });
    expect(await solver.lane.send(two.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    await node.mine();
    await solver.caughtUp();
    expect(await lookAt(solver, two)).toEqual({ state: 'spentByOther', final: false });
    await node.mine(12);
    await solver.caughtUp();
    expect(await lookAt(solver, two)).toEqual({ state: 'spentByOther', final: true });
  });

  it('signs again what a reorg took the anchor of: that waits nowhere and never will', async () => {
    solver = await startSolver(node, newKeys());
    await fundLane(node, solver, 1_000_000n, 900_000n);
    const first = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
    const rival = await replaced(solver, first);
    await landed(node, solver, first);
    const next = await signed(solver, [fillLeg(await node.address(), 30_000n)]);
    expect(await solver.lane.send(next.transaction)).toEqual({ outcome: 'accepted' });
    await node.rpc('invalidateblock', [await node.rpc<string>('getbestblockhash')]);
    await node.mineOnly([rival.transaction.bytes]);
    await node.mine();
    await solver.caughtUp();
    expect(await node.pool()).toEqual([]);
    const again = await replaced(solver, next);
    expect(await solver.lane.send(again.transaction)).toEqual({ outcome: 'accepted' });
    // Now the other one is in the mempool.
    expect(await tryReplace(solver, next)).toMatchObject({ ok: false, why: 'feeCap' });
    expect(await tryReplace(solver, again)).toMatchObject({ ok: false, why: 'feeCap' });
    await node.mine();
    await solver.caughtUp();
    expect(await lookAt(solver, next, again)).toMatchObject({ state: 'spent', hash: again.transaction.hash });
  });

  it('lets what waits nowhere be signed again under its key, so that no lane is stuck for ever', async () => {
    solver = await startSolver(node, newKeys());
    await fundLane(node, solver, 1_000_000n);
    const never = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
    const noop = await replaced(solver, never, []);
    expect(noop.prepared.key).toBe(never.prepared.key);
    await landed(node, solver, noop);
    expect(await lookAt(solver, never, noop)).toMatchObject({
      state: 'spent',
      hash: noop.transaction.hash,
      effects: [],
    });
    await landed(node, solver, await signed(solver, [fillLeg(await node.address(), 30_000n)]));
  });
});
