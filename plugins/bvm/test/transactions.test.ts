import { Transaction } from 'bitcoinjs-lib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { parseTransaction } from '../src/raw/transaction.js';
import { serialOf } from '../src/transactions/anchor.js';
import { feeOf } from '../src/transactions/sizes.js';
import { decoded } from './support/control.js';
import { lacks } from './support/have-node.js';
import {
  type Attempt,
  acceptance,
  anyId,
  deposited,
  fillLeg,
  fundLane,
  landed,
  newKeys,
  refundLeg,
  type Solver,
  signed,
  startSolver,
} from './support/lane.js';
import { type LocalNode, startNode } from './support/node.js';

describe.each([
  ['bitcoin', 'p2wpkh'],
  ['bitcoin', 'p2tr'],
  ['litecoin', 'p2wpkh'],
] as const)('transactions of a lane on %s with %s', (kind, type) => {
  describe.skipIf(lacks(kind))('are such that', () => {
    let node: LocalNode;
    let solver: Solver;

    beforeAll(async () => {
      node = await startNode(kind);
    });
    afterAll(() => node?.stop());
    afterEach(() => solver?.stop());

    async function funded(...satoshis: readonly bigint[]): Promise<void> {
      solver = await startSolver(node, newKeys(type));
      await fundLane(node, solver, ...satoshis);
    }

    const rate = (): bigint => solver.lane.fees.rate()?.value ?? 0n;

    /** Accepted by the node at the exact fee rate; signatures may be a byte shorter than the longest. */
    async function isExact({ transaction, prepared }: Attempt): Promise<void> {
      const reported = await acceptance(node, transaction);
      expect(reported).toMatchObject({ allowed: true });
      const inputs = parseTransaction(transaction.bytes).inputs.length;
      const vsize = reported.vsize ?? 0;
      expect(prepared.maxFee).toBe(reported.fee);
      expect(prepared.maxFee).toBeGreaterThanOrEqual(feeOf(vsize, rate()));
      expect(prepared.maxFee).toBeLessThanOrEqual(feeOf(vsize + Math.ceil(inputs / 4), rate()));
    }

    it('nodes take them, and they pay what is asked for to the vbyte', async () => {
      await funded(1_000_000n, 900_000n, 50_000n);
      const recipients = await Promise.all(
        (['legacy', 'p2sh-segwit', 'bech32'] as const).map((form) => node.address(form)),
      );
      for (const recipient of recipients) {
        const attempt = await signed(solver, [fillLeg(recipient, 20_000n)]);
        await isExact(attempt);
        await landed(node, solver, attempt);
      }
      await isExact(await signed(solver, [fillLeg(recipients[0] ?? '', 1_700_000n)]));
      const legs = recipients.flatMap((recipient) => [20_000n, 30_000n].map((amount) => fillLeg(recipient, amount)));
      await isExact(await signed(solver, legs));
    });

    it('the same legs at the same place make the same bytes, in another process, too', async () => {
      await funded(1_000_000n);
      const leg = fillLeg(await node.address(), 20_000n);
      const [one, two] = [await signed(solver, [leg]), await signed(solver, [leg])];
      expect(two).toEqual(one);
      expect(await solver.lane.sign(one.prepared, solver.address)).toEqual(one.transaction);
      expect(Transaction.fromHex(one.transaction.bytes).getId()).toBe(one.transaction.hash);
    });

    it('each spends what the one before made last, and counts', async () => {
      await funded(1_000_000n);
      const sent: Attempt[] = [];
      for (let n = 0; n < 3; n += 1) {
        const attempt = await signed(solver, [fillLeg(await node.address(), 20_000n)]);
        await landed(node, solver, attempt);
        sent.push(attempt);
      }
      const parsed = sent.map(({ transaction }) => parseTransaction(transaction.bytes));
      expect(parsed.map(serialOf)).toEqual([0, 1, 2]);
      for (const [n, { inputs }] of parsed.slice(1).entries()) {
        const before = parsed[n];
        expect(inputs[0]).toMatchObject({ txid: before?.txid, vout: (before?.outputs.length ?? 0) - 1 });
      }
      expect(sent.map(({ prepared }) => prepared.key.split('@')[0])).toEqual(
        [0, 1, 2].map((n) => `${solver.address}#${n}`),
      );
      expect(await solver.lane.position()).toBe(sent[2]?.prepared.nextPosition);
    });

    it('take further coins along as they need them, and small ones so that there are few', async () => {
      await funded(100_000n, 90_000n, 80_000n, 5_000n, 6_000n);
      const attempt = await signed(solver, [fillLeg(await node.address(), 200_000n)]);
      const { inputs } = parseTransaction(attempt.transaction.bytes);
      expect(inputs.length).toBe(5);
      await isExact(attempt);
      await landed(node, solver, attempt);
      expect(solver.view.coins.of(solver.address)).toHaveLength(1);
    });

    it('a refund pays what is owed of the deposit, and the lane gets what was withheld and pays the fee', async () => {
      await funded(1_000_000n);
      const deposit = await deposited(node, solver, 100_000n);
      const before = solver.view.coins.balance(solver.address);
      const leg = refundLeg(deposit, await node.address(), 99_000n, { covers: 100_000n });
      const attempt = await signed(solver, [leg]);
      await isExact(attempt);
      await landed(node, solver, attempt);
      const { vin } = await decoded(node, attempt.transaction.hash);
      expect(vin.map(({ txid, vout }) => ({ txid, vout }))).toContainEqual(deposit);
      expect(solver.view.coins.balance(solver.depository)).toBe(0n);
      expect(solver.view.coins.balance(solver.address)).toBe(before + 1_000n - attempt.prepared.maxFee);
    });

    it('a leg that no node would relay the transaction of is refused', async () => {
      solver = await startSolver(node, newKeys(type), {
        network: { base: `${kind}-regtest`, name: 'narrow', genesis: node.network.genesis, maxWeight: 800 },
      });
      await fundLane(node, solver, 1_000_000n);
      const refusal = await solver.lane.check(fillLeg(await node.address('legacy'), 20_000n));
      expect(refusal).toMatchObject({ ok: false, kind: 'refused', reason: 'TRANSACTION_TOO_LARGE' });
    });

    it('what can never be paid is known before anything is promised, with the least that can', async () => {
      await funded(1_000_000n);
      const recipient = await node.address('legacy');
      const least = kind === 'bitcoin' ? 546n : 5_460n;
      const wish = { currency: NATIVE, recipient, amount: least };
      expect(solver.lane.refuseFill(wish)).toBeUndefined();
      expect(solver.lane.refuseFill({ ...wish, amount: least - 1n })).toMatchObject({ why: 'amount', least });
      for (const noOne of [solver.depository, solver.address, NATIVE])
        expect(solver.lane.refuseFill({ ...wish, recipient: noOne })).toMatchObject({ why: 'recipient' });
    });

    it('what a leg is about is reported: nothing pays the depository, nothing below what nodes relay', async () => {
      await funded(1_000_000n);
      const own = await solver.lane.check(fillLeg(solver.depository, 20_000n));
      expect(own).toMatchObject({ ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' });
      const dust = await solver.lane.check(fillLeg(await node.address('legacy'), kind === 'bitcoin' ? 545n : 5_459n));
      expect(dust).toMatchObject({ ok: false, kind: 'refused', reason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' });
      const most = fillLeg(await node.address('legacy'), kind === 'bitcoin' ? 546n : 5_460n, anyId());
      await isExact(await signed(solver, [most]));
      const short = await solver.lane.check(fillLeg(await node.address(), 1_000_000n));
      expect(short).toMatchObject({ ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' });
    });
  });
});
