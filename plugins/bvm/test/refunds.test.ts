import type { Hex } from '@causeway/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Outpoint } from '../src/funding-key.js';
import { doubleSpend, pay, payOften, reorg, startPair } from './support/control.js';
import { lacks } from './support/have-node.js';
import {
  acceptance,
  anyId,
  collectLeg,
  deposited,
  fillLeg,
  fundLane,
  landed,
  lookAt,
  newKeys,
  refundLeg,
  type Solver,
  signed,
  startSolver,
} from './support/lane.js';
import { type LocalNode, startNode, until } from './support/node.js';

describe.each(['bitcoin', 'litecoin'] as const)('what is paid from deposits on %s', (kind) => {
  describe.skipIf(lacks(kind))('a real node', () => {
    let node: LocalNode;
    let solver: Solver;

    beforeAll(async () => {
      node = await startNode(kind, { blocks: 30 });
    });
    afterAll(() => node?.stop());
    afterEach(() => solver?.stop());

    async function funded(more: Parameters<typeof startSolver>[2] = {}): Promise<void> {
      solver = await startSolver(node, newKeys(), more);
      await fundLane(node, solver, 1_000_000n);
    }

    const held = () => solver.view.coins.balance(solver.depository);
    const recipient = () => node.address();

    it('is checked against the chain: a deposit that is not there refunds nothing', async () => {
      await funded();
      const { txid } = await pay(node, { outputs: [{ to: solver.depository, satoshis: 100_000n }, { data: anyId() }] });
      const leg = refundLeg({ txid, vout: 0 }, await recipient(), 99_000n, { covers: 100_000n });
      // Unconfirmed.
      expect(await solver.lane.check(leg)).toMatchObject({ ok: false, kind: 'unavailable' });
      await doubleSpend(node, txid, 'block');
      await solver.caughtUp();
      expect(await solver.lane.check(leg)).toMatchObject({ ok: false, kind: 'unavailable' });
    });

    it('goes with its deposit: what a reorg double-spends takes its signed refund with it', async () => {
      await funded();
      const deposit = await deposited(node, solver, 100_000n);
      const attempt = await signed(solver, [refundLeg(deposit, await recipient(), 99_000n, { covers: 100_000n })]);
      await reorg(node, 1, { drop: [deposit.txid] });
      await solver.caughtUp();
      expect(await acceptance(node, attempt.transaction)).toMatchObject({ allowed: false });
      expect(await solver.lane.send(attempt.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
      expect(await lookAt(solver, attempt)).toEqual({ state: 'unspent', inPool: false });
      const again = await solver.lane.check(attempt.legs[0] ?? fillLeg('', 0n));
      expect(again).toMatchObject({ ok: false, kind: 'unavailable' });
    });

    it('is paid from all outputs that were one deposit, and what is left of it is collected later', async () => {
      await funded();
      const txid = await payOften(node, solver.depository, [30_000n, 40_000n], anyId());
      await node.mine();
      await solver.caughtUp();
      const deposit = { txid, vout: 0, more: [1] };
      const refund = refundLeg(deposit, await recipient(), 44_000n, { covers: 45_000n });
      await landed(node, solver, await signed(solver, [refund]));
      expect(held()).toBe(25_000n);
      expect(await solver.lane.paidBy(refund, 0)).toMatchObject({ moved: 44_000n });
      await landed(node, solver, await signed(solver, [collectLeg(solver, [deposit], 25_000n)]));
      expect(held()).toBe(0n);
    });

    it('costs what all outputs of its deposit cost to spend, which its payer chose the number of', async () => {
      await funded();
      const txid = await payOften(node, solver.depository, [30_000n, 40_000n, 50_000n, 60_000n], anyId());
      await node.mine();
      await solver.caughtUp();
      const to = await recipient();
      const refund = refundLeg({ txid, vout: 0, more: [1, 2, 3] }, to, 170_000n, { covers: 180_000n });
      if (refund.kind !== 'refund') throw new Error('it is no refund');
      const charged = solver.lane.legCost('refund', to, refund.fundingKey)?.native ?? 0n;
      const attempt = await signed(solver, [refund]);
      await landed(node, solver, attempt);
      const spent = await lookAt(solver, attempt);
      if (spent.state !== 'spent') throw new Error('it did not land');
      expect(charged).toBeGreaterThanOrEqual(spent.fee);
      expect(charged).toBeLessThan(2n * spent.fee);
    });

    it('is paid once, whatever a ledger forgot: the second one is refused, and reported who did the first', async () => {
      await funded();
      const deposit = await deposited(node, solver, 200_000n);
      const refund = refundLeg(deposit, await recipient(), 89_000n, { covers: 90_000n });
      const first = await signed(solver, [refund]);
      await landed(node, solver, first);
      expect(held()).toBe(110_000n);
      expect(await solver.lane.check(refund)).toMatchObject({ ok: false, kind: 'refused', reason: 'INVALID_NONCE' });
      const paid = await solver.lane.paidBy(refund, 0);
      expect(paid).toMatchObject({
        hash: first.transaction.hash,
        moved: 89_000n,
        final: false,
        sender: solver.address,
      });
      expect(paid?.doubtful).toBeUndefined();
      // The deposit's other leg is paid from its change.
      const excess = refundLeg(deposit, await recipient(), 49_000n, { covers: 50_000n, kind: 'excess' });
      expect(await solver.lane.paidBy(excess, 0)).toBeUndefined();
      const second = await signed(solver, [excess]);
      await landed(node, solver, second);
      expect(held()).toBe(60_000n);
      expect(await solver.lane.paidBy(excess, 0)).toMatchObject({ hash: second.transaction.hash });
      expect(await solver.lane.paidBy(refund, 0)).toMatchObject({ hash: first.transaction.hash });
      await landed(node, solver, await signed(solver, [collectLeg(solver, [deposit], 60_000n)]));
      expect(held()).toBe(0n);
      const more = refundLeg({ ...deposit }, await recipient(), 9_000n, { kind: 'refund' });
      const other = { ...more, useKey: anyId() };
      expect(await solver.lane.check(other)).toMatchObject({ ok: false, kind: 'refused', reason: 'UNKNOWN' });
    });

    it('is paid from the deposit that is meant, however many were collected at once', async () => {
      await funded();
      const deposits: Outpoint[] = [];
      for (const amount of [60_000n, 70_000n, 80_000n]) deposits.push(await deposited(node, solver, amount));
      const [one, two, three] = deposits;
      if (!one || !two || !three) throw new Error('unreachable');
      // Remainders of 10,000 and 20,000 stay.
      await landed(node, solver, await signed(solver, [collectLeg(solver, [one, two], 100_000n)]));
      expect(held()).toBe(110_000n);
      const legs = [
        refundLeg(one, await recipient(), 9_000n, { covers: 10_000n }),
        refundLeg(two, await recipient(), 19_000n, { covers: 20_000n }),
      ];
      await landed(node, solver, await signed(solver, legs));
      expect(held()).toBe(80_000n);
      const last = refundLeg(three, await recipient(), 79_000n, { covers: 80_000n });
      await landed(node, solver, await signed(solver, [last]));
      expect(held()).toBe(0n);
    });

    it('that leaves less than nodes relay has the rest filled up, and the lane knows what it paid', async () => {
      await funded();
      const deposit = await deposited(node, solver, 50_100n);
      const before = solver.view.coins.balance(solver.address);
      const attempt = await signed(solver, [collectLeg(solver, [deposit], 50_000n)]);
      await landed(node, solver, attempt);
      const least = kind === 'bitcoin' ? 294n : 2_940n;
      expect(held()).toBe(least);
      const evidence = await lookAt(solver, attempt);
      expect(evidence.state === 'spent' && evidence.fee).toBe(attempt.prepared.maxFee + least - 100n);
      expect(before + 50_000n - solver.view.coins.balance(solver.address)).toBe(
        evidence.state === 'spent' ? evidence.fee : 0n,
      );
    });

    it('is found by its deposit, also by one who cannot say whom it would have paid here', async () => {
      await funded();
      const deposit = await deposited(node, solver, 100_000n);
      const refund = refundLeg(deposit, await recipient(), 99_000n, { covers: 100_000n });
      const elsewhere = { ...refund, recipient: `0x${'ab'.repeat(20)}` };
      expect(await solver.lane.paidBy(elsewhere, 0)).toBeUndefined();
      const attempt = await signed(solver, [refund]);
      await landed(node, solver, attempt);
      expect(await solver.lane.paidBy(elsewhere, 0)).toMatchObject({
        ...{ hash: attempt.transaction.hash, recipient: refund.recipient, moved: 99_000n },
      });
    });

    it('is reported while it waits', async () => {
      await funded();
      const deposit = await deposited(node, solver, 100_000n);
      const refund = refundLeg(deposit, await recipient(), 99_000n, { covers: 100_000n });
      const excess = refundLeg(deposit, refund.recipient, 1_000n, { kind: 'excess' });
      const attempt = await signed(solver, [refund]);
      await solver.lane.send(attempt.transaction);
      await until('the pool', () => solver.view.coins.spender(deposit) !== undefined);
      await solver.lane.warm();
      const reported = { hash: attempt.transaction.hash, recipient: refund.recipient, moved: 99_000n, final: false };
      expect(await solver.lane.paidBy(refund, 0)).toMatchObject(reported);
      expect(await solver.lane.paidBy(excess, 0)).toBeUndefined();
      await node.mine();
      await solver.caughtUp();
      expect(await solver.lane.paidBy(refund, 0)).toMatchObject(reported);
      expect(await solver.lane.paidBy(excess, 0)).toBeUndefined();
    });

    it('does not count as done because the name of another payment begins alike', async () => {
      await funded();
      const deposit = await deposited(node, solver, 100_000n);
      const collect = collectLeg(solver, [deposit], 90_000n);
      const refund = refundLeg(deposit, await recipient(), 90_000n);
      // 25 payments have tags of 24 bits.
      const alike = ({ useKey }: { readonly useKey: Hex }): Hex => `0x${useKey.slice(2, 8)}${anyId().slice(8)}`;
      const orders = [alike(collect), alike(refund), ...Array.from({ length: 22 }, anyId)];
      const fills = await Promise.all(orders.map(async (orderId) => fillLeg(await recipient(), 10_000n, orderId)));
      const excess = refundLeg(deposit, await recipient(), 10_000n, { kind: 'excess' });
      await landed(node, solver, await signed(solver, [excess, ...fills]));
      expect(held()).toBe(90_000n);
      expect(await solver.lane.check(refund)).toMatchObject({ ok: true });
      expect(await solver.lane.check(collect)).toMatchObject({ ok: true });
      expect(await solver.lane.paidBy(collect, 0)).toBeUndefined();
      // A completed leg is doubtful and is not repeated.
      expect(await solver.lane.paidBy(excess, 0)).toMatchObject({ doubtful: true });
      expect(await solver.lane.check(excess)).toMatchObject({ ok: false, reason: 'INVALID_NONCE' });
      await landed(node, solver, await signed(solver, [collect]));
      expect(held()).toBe(0n);
    });

    it('is never more than the deposit has', async () => {
      await funded();
      const deposit = await deposited(node, solver, 50_000n);
      const leg = refundLeg(deposit, await recipient(), 50_000n, { covers: 50_001n });
      expect(await solver.lane.check(leg)).toMatchObject({ ok: false, kind: 'refused' });
      const dust = refundLeg(deposit, await recipient(), 200n, { covers: 1_000n });
      expect(await solver.lane.check(dust)).toMatchObject({ ok: false, reason: 'AMOUNT_TOO_LOW_TO_REFUND' });
      const whole = refundLeg(deposit, await recipient(), 50_000n, { covers: 50_000n });
      await landed(node, solver, await signed(solver, [whole]));
      expect(held()).toBe(0n);
    });

    it('is not collected while fees are high, and is when they are low', async () => {
      await funded({ fees: { minRate: 60, collectBelow: 59 } });
      const deposit = await deposited(node, solver, 50_000n);
      const leg = collectLeg(solver, [deposit], 50_000n);
      expect(await solver.lane.check(leg)).toMatchObject({ ok: false, kind: 'refused' });
      expect(await solver.lane.check(refundLeg(deposit, await recipient(), 20_000n))).toMatchObject({ ok: true });
      await solver.stop();
      await funded({ fees: { minRate: 60, collectBelow: 60 } });
      const other = await deposited(node, solver, 50_000n);
      expect(await solver.lane.check(collectLeg(solver, [other], 50_000n))).toMatchObject({ ok: true });
    });

    it('never pays a fill: what was deposited is no inventory before it is collected', async () => {
      await funded();
      await deposited(node, solver, 5_000_000n);
      expect(await solver.lane.check(fillLeg(await recipient(), 1_500_000n))).toMatchObject({
        ...{ ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' },
      });
    });
  });
});

describe.skipIf(lacks('bitcoin'))('a refund that waits where only another node knows of it', () => {
  it('does not count as never sent', async () => {
    const pair = await startPair('bitcoin', { blocks: 30 });
    const [one, two] = pair.nodes;
    const solver = await startSolver(one, newKeys(), { rpc: [{ http: two.url }, { http: one.url }] });
    try {
      await fundLane(one, solver, 1_000_000n);
      const deposit = await deposited(one, solver, 100_000n);
      const refund = refundLeg(deposit, await one.address(), 99_000n, { covers: 100_000n });
      const attempt = await signed(solver, [refund]);
      await pair.partition();
      expect(await solver.lane.paidBy(refund, 0)).toBeUndefined();
      await one.rpc('sendrawtransaction', [attempt.transaction.bytes]);
      expect(await two.pool()).toEqual([]);
      await expect(solver.lane.paidBy(refund, 0)).rejects.toThrow('an unknown transaction in a pool');
    } finally {
      await solver.stop();
      await pair.stop();
    }
  });
});
