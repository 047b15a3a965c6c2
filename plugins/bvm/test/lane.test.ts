import type { Hex } from '@causeway/core';
import { Transaction } from 'bitcoinjs-lib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressScript, BURN, NATIVE } from '../src/addresses.js';
import { outputSigner } from '../src/signer.js';
import { anchorSequence } from '../src/transactions/anchor.js';
import { reorg } from './support/control.js';
import { lacks } from './support/have-node.js';
import {
  type Attempt,
  anyId,
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
import { type LocalNode, startNode } from './support/node.js';
import { addInput } from './support/own-key.js';
import { polled } from './support/view.js';

/** What a ledger without records learns from the chain. */
describe.each(['bitcoin', 'litecoin'] as const)('a lane as the chain of %s reports it', (kind) => {
  describe.skipIf(lacks(kind))('a real node', () => {
    let node: LocalNode;
    let keys: Keys;
    let solver: Solver;
    const others: Solver[] = [];

    beforeAll(async () => {
      node = await startNode(kind, { blocks: 30 });
    });
    afterAll(() => node?.stop());
    afterEach(async () => {
      for (const one of [solver, ...others.splice(0)]) await one?.stop();
    });

    async function funded(): Promise<void> {
      keys = newKeys();
      solver = await startSolver(node, keys);
      await fundLane(node, solver, 2_000_000n);
    }

    /** A process with empty memory. */
    async function fresh(): Promise<Solver> {
      const other = await startSolver(node, keys);
      others.push(other);
      return other;
    }

    it('is reported as of a block that came after the last poll, at once', async () => {
      keys = newKeys();
      const rarely = { pollMs: 60_000, poolPollMs: 50 };
      solver = await startSolver(node, keys, { rpc: polled(node), watch: rarely });
      await node.mine(2);
      const began = performance.now();
      expect(serial(await solver.lane.position())).toBe(0);
      expect(performance.now() - began).toBeLessThan(1_500);
      await node.fund(solver.address, 2_000_000n);
      await node.mine();
      await solver.lane.position();
      const { transaction } = await signed(solver, [await fill()]);
      await solver.lane.send(transaction);
      await node.mine();
      expect(await solver.lane.check(await fill())).toMatchObject({ ok: true });
    });

    const fill = async (amount = 20_000n, orderId: Hex = anyId()) => fillLeg(await node.address(), amount, orderId);
    const serial = (position: string): number => Number(position.split('@')[0]);

    async function paid(count: number): Promise<readonly Attempt[]> {
      const attempts: Attempt[] = [];
      for (let n = 0; n < count; n += 1) {
        const attempt = await signed(solver, [await fill()]);
        await landed(node, solver, attempt);
        attempts.push(attempt);
      }
      return attempts;
    }

    it('counts what is in blocks, what waits in the pool, and what is final', async () => {
      await funded();
      expect(await solver.lane.position()).toBe('0');
      await paid(2);
      const waiting = await signed(solver, [await fill()]);
      await solver.lane.send(waiting.transaction);
      const other = await fresh();
      expect(serial(await other.lane.position())).toBe(2);
      expect(await other.lane.position('pool')).toBe(waiting.prepared.nextPosition);
      expect(serial(await other.lane.position('final'))).toBe(0);
      await node.mine(5);
      await other.caughtUp();
      expect(serial(await other.lane.position())).toBe(3);
      expect(serial(await other.lane.position('final'))).toBe(1);
      await node.mine(2);
      await other.caughtUp();
      expect(serial(await other.lane.position('final'))).toBe(3);
    });

    it('names all that was sent between two positions, and what each filled', async () => {
      await funded();
      const [first, second] = await paid(2);
      const batch = await signed(solver, [await fill(), await fill(), await fill()]);
      await landed(node, solver, batch);
      const other = await fresh();
      const keysOf = other.lane.keysBetween('0', await other.lane.position());
      expect(keysOf).toHaveLength(3);
      const spenders = await Promise.all(keysOf.map((key) => other.lane.spenderOf(key)));
      expect(spenders.map((one) => one?.hash)).toEqual([first, second, batch].map((one) => one?.transaction.hash));
      const orderOf = (attempt?: Attempt) => attempt?.legs.flatMap((leg) => (leg.kind === 'fill' ? [leg.orderId] : []));
      expect(spenders.slice(0, 2).map((one) => one?.filled)).toEqual([orderOf(first), orderOf(second)]);
      expect(spenders[0]?.unreported).toBeUndefined();
      // Three orders are named only by prefix.
      expect(spenders[2]).toMatchObject({ filled: [], unreported: true });
      expect(await other.lane.spenderOf(`${other.address}#3`)).toBeUndefined();
    });

    it('finds what paid a leg, by whatever ledger, and is not sure where its name would fit others', async () => {
      await funded();
      const single = await fill();
      await landed(node, solver, await signed(solver, [single]));
      const few = [await fill(), await fill()];
      await landed(node, solver, await signed(solver, few));
      const many = await Promise.all(Array.from({ length: 25 }, () => fill(10_000n)));
      await landed(node, solver, await signed(solver, many));
      const other = await fresh();
      for (const leg of [single, ...few]) {
        const found = await other.lane.paidBy(leg, 0);
        expect(found).toMatchObject({ recipient: leg.recipient, moved: leg.amount, sender: solver.address });
        expect(found?.doubtful).toBeUndefined();
      }
      for (const leg of many.slice(0, 3)) {
        expect(await other.lane.paidBy(leg, 0)).toMatchObject({
          recipient: leg.recipient,
          moved: 10_000n,
          doubtful: true,
        });
      }
      expect(await other.lane.paidBy(await fill(), 0)).toBeUndefined();
      // One of 25 tags cannot exclude a payment to another recipient.
      const sameOrder = many[0] && { ...many[0], recipient: await node.address() };
      if (sameOrder) expect(await other.lane.paidBy(sameOrder, 0)).toBeUndefined();
    });

    it('has no order unfilled permanently before its deadline is final, nor one that was filled or may be', async () => {
      await funded();
      const past = Math.floor(Date.now() / 1_000) - 7_200;
      const [single, many] = [await fill(), await Promise.all(Array.from({ length: 25 }, () => fill(10_000n)))];
      await landed(node, solver, await signed(solver, [single]));
      await landed(node, solver, await signed(solver, many));
      await node.mine(13);
      await solver.caughtUp();
      const other = await fresh();
      const never = await fill();
      const time = await node.rpc<{ mediantime: number }>('getblockchaininfo');
      expect(await other.lane.unfilledForGood(never.orderId, time.mediantime + 600, 0, never.recipient)).toBe(false);
      expect(await other.lane.unfilledForGood(never.orderId, past, 0, never.recipient)).toBe(true);
      // Placeholders are never paid and block no refund.
      for (const placeholder of [NATIVE, BURN]) {
        expect(await other.lane.unfilledForGood(never.orderId, past, 0, placeholder)).toBe(true);
        expect(await other.lane.paidBy({ ...never, recipient: placeholder }, 0)).toBeUndefined();
        expect(await other.lane.check({ ...never, recipient: placeholder })).toMatchObject({
          ok: false,
          kind: 'refused',
        });
      }
      expect(await other.lane.unfilledForGood(single.orderId, past, 0, single.recipient)).toBe(false);
      for (const { orderId, recipient } of many)
        expect(await other.lane.unfilledForGood(orderId, past, 0, recipient)).toBe(false);
      // A mempool transaction may still confirm.
      const waiting = await fill();
      const attempt = await signed(solver, [waiting]);
      await solver.lane.send(attempt.transaction);
      await other.caughtUp();
      expect(await other.lane.unfilledForGood(waiting.orderId, past, 0, waiting.recipient)).toBe(false);
    });

    it('is read no further back than asked', async () => {
      await funded();
      const [early] = await paid(1);
      const [leg] = early?.legs ?? [];
      if (leg === undefined) throw new Error('unreachable');
      const now = Date.now();
      expect(await solver.lane.paidBy(leg, now - 3_600_000)).toMatchObject({ hash: early?.transaction.hash });
      expect(await solver.lane.paidBy(leg, now + 4 * 3_600_000)).toBeUndefined();
    });

    it('is not moved by who numbers a transaction and pays it', async () => {
      await funded();
      await paid(1);
      const { txid, vout } = await node.fund(await node.address(), 500_000n);
      await node.mine();
      const inputs = [{ txid, vout, sequence: anchorSequence(900) }];
      const raw = await node.rpc<string>('createrawtransaction', [inputs, { [solver.address]: '0.00490000' }]);
      const forged = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [raw]);
      await node.rpc('sendrawtransaction', [forged.hex]);
      await node.mine();
      await solver.caughtUp();
      const other = await fresh();
      for (const one of [solver, other]) expect(serial(await one.lane.position('pool'))).toBe(1);
      await landed(node, solver, await signed(solver, [await fill(2_200_000n)]));
    });

    it('is busy until its transaction is in a block, also where no pool shows it, and after a reorg', async () => {
      await funded();
      const first = await signed(solver, [await fill()]);
      const next = first.prepared.nextPosition;
      expect(solver.lane.isBusy(await solver.lane.position())).toBe(false);
      // Signed, not sent.
      expect(solver.lane.isBusy(next)).toBe(true);
      expect((await fresh()).lane.isBusy(next)).toBe(true);
      await expect(signed(solver, [await fill()], next)).rejects.toThrow('not in a block');
      await solver.lane.send(first.transaction);
      await solver.caughtUp();
      expect(solver.lane.isBusy(next)).toBe(true);
      await node.mine();
      await solver.caughtUp();
      expect(solver.lane.isBusy(next)).toBe(false);
      await reorg(node, 1, { keep: 'waiting' });
      await solver.caughtUp();
      expect(solver.lane.isBusy(next)).toBe(true);
      await node.mine();
      await solver.caughtUp();
      expect(solver.lane.isBusy(next)).toBe(false);
      await landed(node, solver, await signed(solver, [await fill()]));
    });

    it('reserves nothing twice over a restart: what a dead process signed and did not send goes first', async () => {
      await funded();
      const attempt = await signed(solver, [await fill(1_500_000n)]);
      await solver.stop();
      const other = await fresh();
      expect(other.lane.isBusy(attempt.prepared.nextPosition)).toBe(true);
      const twin = await signed(other, [await fill(1_400_000n)]);
      expect(twin.prepared.key).toBe(attempt.prepared.key);
      await landed(node, other, attempt);
      expect(await other.lane.send(twin.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
      expect(await lookAt(other, twin)).toMatchObject({ state: 'spentByOther' });
      solver = other;
      others.length = 0;
    });

    it('begins again once its owner emptied it, when that is final, and not before', async () => {
      await funded();
      const [before] = await paid(1);
      if (!before) throw new Error('unreachable');
      const attempt = await signed(solver, [await fill()]);
      // By a wallet that does not know anchors.
      await swept(node, keys, solver);
      await solver.caughtUp();
      expect(await lookAt(solver, attempt)).toEqual({ state: 'spentByOther', final: false });
      expect(solver.lane.isBusy(attempt.prepared.nextPosition)).toBe(true);
      await node.mine(13);
      await solver.caughtUp();
      expect(await lookAt(solver, attempt)).toEqual({ state: 'spentByOther', final: true });
      expect(solver.lane.isBusy(attempt.prepared.nextPosition)).toBe(false);
      await fundLane(node, solver, 700_000n);
      const again = await signed(solver, [await fill()], attempt.prepared.nextPosition);
      await landed(node, solver, again);
      expect(serial(await solver.lane.position())).toBe(3);
      await landed(node, solver, await signed(solver, [await fill()]));
    });

    it('knows after a restart, too, that what emptied it is not final yet', async () => {
      await funded();
      await paid(1);
      const attempt = await signed(solver, [await fill()]);
      await swept(node, keys, solver);
      const other = await fresh();
      await fundLane(node, other, 700_000n);
      expect(other.lane.isBusy(attempt.prepared.nextPosition)).toBe(true);
      await node.mine(13);
      await other.caughtUp();
      expect(other.lane.isBusy(attempt.prepared.nextPosition)).toBe(false);
    });

    it('reports the end of a key that its owner spent, also where it began again meanwhile', async () => {
      await funded();
      await paid(1);
      const attempt = await signed(solver, [await fill()]);
      await swept(node, keys, solver);
      await node.mine(13);
      await fundLane(node, solver, 700_000n);
      await landed(node, solver, await signed(solver, [await fill()], attempt.prepared.nextPosition));
      const other = await fresh();
      expect(await lookAt(other, attempt)).toEqual({ state: 'spentByOther', final: false });
      await node.mine(13);
      await other.caughtUp();
      expect(await lookAt(other, attempt)).toEqual({ state: 'spentByOther', final: true });
    });

    it('begins with the same output for every ledger, whatever it received since', async () => {
      await funded();
      const lost = await signed(solver, [await fill()]);
      await fundLane(node, solver, 9_000_000n);
      // Does not know the first transaction, which is in no mempool.
      const twin = await signed(await fresh(), [await fill()]);
      expect(twin.prepared.key).toBe(lost.prepared.key);
      await landed(node, solver, twin);
      expect(await solver.lane.send(lost.transaction)).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
    });

    it('pays refunds at its own numbers, so that a lost one is missed like a lost fill', async () => {
      await funded();
      const deposit = await deposited(node, solver, 100_000n);
      const refund = refundLeg(deposit, await node.address(), 99_000n, { covers: 100_000n });
      await landed(node, solver, await signed(solver, [refund]));
      const other = await fresh();
      expect(serial(await other.lane.position())).toBe(1);
      expect(await other.lane.paidBy(refund, 0)).toMatchObject({ moved: 99_000n, recipient: refund.recipient });
    });
  });
});

/** Moves all lane outputs in a confirmed foreign transaction. */
async function swept(node: LocalNode, keys: Keys, solver: Solver): Promise<void> {
  const signer = outputSigner(keys.lane, keys.type, node.network);
  const coins = solver.view.coins.of(solver.address).filter(({ height }) => height !== null);
  const tx = new Transaction();
  tx.version = 2;
  for (const coin of coins) addInput(tx, coin);
  const total = coins.reduce((sum, { value }) => sum + value, 0n);
  tx.addOutput(addressScript(await node.address(), node.network), total - 10_000n);
  const spent = coins.map(({ value }) => ({ value, script: signer.script }));
  for (const n of coins.keys()) tx.setWitness(n, signer.witness(tx, n, spent));
  await node.rpc('sendrawtransaction', [tx.toHex()]);
  await node.mine();
}
