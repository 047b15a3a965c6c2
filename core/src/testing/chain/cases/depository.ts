import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import type { DepositObservation } from '../../../contract/deposits.js';
import type { LegInstruction } from '../../../contract/legs.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { able, amountOf, deadlineIn, firstCurrency, freshOrder, freshRecipient, until } from '../chain-tools.js';
import { type Attempt, assertDone, jsonOf, type Lane } from '../lane.js';

/** A final deposit: nothing is refunded before finality. */
async function deposited(stage: ChainStage, lane: Lane, currency: string): Promise<DepositObservation> {
  const { harness } = stage;
  const watch = await stage.watch(lane.adapter);
  const orderId = freshOrder();
  await stage.deposit(lane.adapter, { currency, amount: amountOf(harness, currency, 40), orderId });
  await harness.include();
  const seen = await watch.deposit(orderId);
  await harness.finalize();
  await watch.stop();
  return seen;
}

/** Signs one leg under two keys of the lane before the chain knows of either, sends both and includes them. */
async function twice(stage: ChainStage, lane: Lane, leg: LegInstruction): Promise<readonly [Attempt, Attempt]> {
  const planned = await lane.plan(leg);
  const attempts = [await lane.signPlanned([planned]), await lane.signPlanned([planned])] as const;
  assert.notEqual(attempts[0].prepared.key, attempts[1].prepared.key);
  for (const attempt of attempts) await lane.adapter.send(attempt.transaction);
  await stage.harness.include();
  return attempts;
}

/** Exactly one of two attempts took effect. @returns fees that the depository paid for both. */
async function assertOneDone(lane: Lane, attempts: readonly [Attempt, Attempt]): Promise<bigint> {
  const done = [];
  let fees = 0n;
  for (const attempt of attempts) {
    const evidence = await lane.lookUntil('an answer', [attempt], ({ state }) => state !== 'unknown');
    if (evidence.state !== 'spent') continue;
    if (evidence.feePaidBy.pot === 'depository') fees += evidence.fee;
    done.push(...evidence.effects.filter((effect) => effect.done));
    if (!evidence.ok) {
      assert.ok(evidence.failure !== undefined && evidence.failure.message !== '', 'a failure has a cause');
      assert.deepEqual(
        evidence.effects.map((effect) => [effect.done, effect.moved]),
        [[false, 0n]],
      );
    }
  }
  assert.equal(done.length, 1);
  return fees;
}

export const depositoryCases = chainCases('depository', 'ChainPayouts.look', [
  {
    name: 'refunds a deposit, and an excess, from the depository to the recipient',
    guarantees: ['G2', 'G3'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const currency of harness.currencies) {
        const { fundingKey } = await deposited(stage, lane, currency);
        const before = await harness.depositoryBalance(currency);
        const refund = await lane.refundLeg(fundingKey, { currency, amount: amountOf(harness, currency, 15) });
        const excess = await lane.refundLeg(fundingKey, {
          currency,
          amount: amountOf(harness, currency, 10),
          kind: 'excess',
        });
        assert.notEqual(refund.useKey, excess.useKey);
        for (const leg of [refund, excess]) {
          await lane.land(await lane.sign(leg));
          assert.equal(await harness.balance(leg.recipient, currency), leg.amount);
        }
        const left = before - (await harness.depositoryBalance(currency));
        assert.ok(left >= refund.amount + excess.amount, 'it left the depository');
      }
    },
  },
  {
    name: 'collects deposits into the lane',
    guarantees: ['G2', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const currency of harness.currencies) {
        const { fundingKey } = await deposited(stage, lane, currency);
        const before = await harness.balance(lane.signer, currency);
        const pot = await harness.depositoryBalance(currency);
        const attempt = await lane.sign(
          await lane.collectLeg(fundingKey, { currency, amount: amountOf(harness, currency, 20) }),
        );
        const evidence = await lane.land(attempt);
        const [leg] = attempt.legs;
        assert.ok(leg !== undefined);
        const fee = lane.adapter.currency(currency)?.isNative === true ? evidence.fee : 0n;
        const byVault = evidence.feePaidBy.pot === 'depository';
        const gained = (await harness.balance(lane.signer, currency)) - before + (byVault ? 0n : fee);
        const lost = pot - (await harness.depositoryBalance(currency)) - (byVault ? fee : 0n);
        assert.equal(gained, leg.amount, 'what the lane gained');
        assert.equal(lost, leg.amount, 'what the depository lost');
      }
    },
  },
  {
    name: 'names the pot that paid for what left the depository, of which nothing else was taken',
    guarantees: ['G2', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const native = lane.adapter.facts.currency.address;
      for (const currency of harness.currencies) {
        const { fundingKey } = await deposited(stage, lane, currency);
        const leg = await lane.refundLeg(fundingKey, { currency, amount: amountOf(harness, currency, 15) });
        const attempt = await lane.sign(leg);
        const before = await harness.depositoryBalance(native);
        const { fee, feePaidBy } = await lane.land(attempt);
        const fell = before - (await harness.depositoryBalance(native)) - (currency === native ? leg.amount : 0n);
        assert.equal(fell, feePaidBy.pot === 'depository' ? fee : 0n, `paid by ${jsonOf(feePaidBy)}`);
      }
    },
  },
  {
    name: 'reports what arrived at the lane of a collection in a token that charges a fee on transfer',
    guarantees: ['G2', 'G12'],
    needs: ['keepingTokens'],
    async run(stage) {
      const { harness } = stage;
      const currency = able(harness.keeping, 'keepingTokens');
      const lane = await stage.lane();
      const { fundingKey, amount } = await deposited(stage, lane, currency);
      const before = await harness.balance(lane.signer, currency);
      const pot = await harness.depositoryBalance(currency);
      assert.equal(pot, amount, 'a deposit is what arrived');
      const attempt = await lane.sign(await lane.collectLeg(fundingKey, { currency, amount }));
      await lane.send(attempt);
      await harness.include();
      const reported = await lane.spent(attempt);
      const arrived = (await harness.balance(lane.signer, currency)) - before;
      const moved = pot - (await harness.depositoryBalance(currency));
      assert.ok(arrived < moved, 'the harness names a token that keeps a part');
      assert.deepEqual(reported.effects, [{ legId: attempt.legs[0]?.legId, done: true, moved, arrived }]);
      await harness.finalize();
      const final = await lane.lookUntil('finality', [attempt], (seen) => seen.state === 'spent' && seen.final);
      assert.deepEqual(final.state === 'spent' && final.effects, reported.effects, 'reported the same later');
    },
  },
  {
    name: 'takes from a payer of a token that charges a fee on transfer exactly what the deposit steps were asked for',
    read: 'ChainDeposits.transferFee',
    guarantees: ['G2'],
    needs: ['keepingTokens'],
    async run(stage) {
      const { harness } = stage;
      const currency = able(harness.keeping, 'keepingTokens');
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [payer, amount] = [harness.user(1), amountOf(harness, currency, 15) + 1n];
      const before = await harness.balance(payer, currency);
      const orderId = freshOrder();
      await harness.pay(payer, adapter.depositSteps({ payer, currency, amount, orderId }));
      await harness.include();
      const seen = await watch.deposit(orderId);
      assert.equal(before - (await harness.balance(payer, currency)), amount, 'what leaves the payer');
      assert.ok(seen.amount < amount, 'the harness names a token that keeps a part');
      const fee = adapter.transferFee?.(currency);
      const isCharged = (adapter.legCost('collect', currency)?.transferFeeBps ?? 0) > 0;
      assert.ok(fee !== undefined || !isCharged, 'an adapter that charges for what a token keeps says what arrives');
      if (fee === undefined) return;
      assert.ok(fee.arriving(amount) <= seen.amount, 'no less arrives than was said');
      assert.ok(fee.sentFor(fee.arriving(amount)) <= amount, 'no more has to be sent than was');
    },
  },
  {
    name: 'names a withdrawal once and for all by its funding key and leg',
    read: 'ChainCodec',
    guarantees: ['G3'],
    async run(stage) {
      const [one, two] = [await stage.adapter(), await stage.adapter()];
      const keys = ['a', 'b'].flatMap((funding) => ['refund', 'excess'].map((leg) => one.useKey(funding, leg)));
      for (const key of keys) assert.match(key, /^0x[0-9a-f]{64}$/);
      assert.equal(new Set(keys).size, 4);
      assert.equal(two.useKey('a', 'refund'), keys[0]);
    },
  },
  {
    name: 'withdraws once under a use key, in whatever transactions it is asked for',
    read: 'ChainGuarantees',
    guarantees: ['G3'],
    needs: ['withdrawOnce'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const { fundingKey } = await deposited(stage, lane, currency);
      const leg = await lane.refundLeg(fundingKey, { currency, amount: amountOf(harness, currency, 5) });
      const before = await harness.depositoryBalance(currency);
      const fees = await assertOneDone(lane, await twice(stage, lane, leg));
      const isNative = lane.adapter.currency(currency)?.isNative === true;
      assert.equal(await harness.balance(leg.recipient, currency), leg.amount);
      const left = before - (await harness.depositoryBalance(currency));
      assert.equal(left, leg.amount + (isNative ? fees : 0n));
      const check = await lane.check(leg);
      assert.ok(!check.ok && check.kind === 'refused', 'a used key is refused before anything is sent');
    },
  },
  {
    name: 'fills an order once, in whatever transactions it is asked for',
    read: 'ChainGuarantees',
    guarantees: ['G1'],
    needs: ['fillOnce'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      await assertOneDone(lane, await twice(stage, lane, leg));
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
      const check = await lane.check(leg);
      assert.ok(!check.ok && check.kind === 'refused', 'a filled order is refused before anything is sent');
    },
  },
  {
    name: 'reports who paid a leg whose use is spent, whatever key it was, and nothing about others',
    read: 'ChainHistory.paidBy',
    guarantees: ['G1', 'G3', 'G15'],
    needs: ['fillOnce', 'withdrawOnce'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const { fundingKey } = await deposited(stage, lane, currency);
      const refund = await lane.refundLeg(fundingKey, { currency, amount: amountOf(harness, currency, 5) });
      const reader = await stage.adapter();
      for (const leg of [refund, await lane.fillLeg()]) {
        const attempt = await lane.sign(leg);
        assert.equal(await reader.paidBy(leg, 0), undefined, 'not paid yet');
        const { block } = await lane.land(attempt);
        await until(harness, 'the payment', async () => (await reader.paidBy(leg, 0)) !== undefined);
        const { final, ...paid } = (await reader.paidBy(leg, 0)) ?? assert.fail('no payment');
        const { recipient, amount } = leg;
        const { hash } = attempt.transaction;
        const sender = lane.signerFor(leg);
        assert.deepEqual(paid, { hash, block, sender, currency: leg.currency, recipient, moved: amount });
        if (final) assert.ok((await harness.finalized()).height >= block.height, 'final too early');
        // Another recipient changes nothing: the use key is spent.
        const other = { ...leg, recipient: freshRecipient(harness) };
        assert.equal((await reader.paidBy(other, 0))?.recipient, recipient);
        await harness.finalize();
        await until(harness, 'finality', async () => (await reader.paidBy(leg, 0))?.final === true);
      }
      const excess = await lane.refundLeg(fundingKey, { currency, amount: refund.amount, kind: 'excess' });
      assert.equal(await reader.paidBy(excess, 0), undefined, 'another leg of the same deposit');
      assert.equal(await reader.paidBy(await lane.fillLeg(), 0), undefined, 'another order');
    },
  },
  {
    name: 'finds what paid a leg by the history of the chain, and nothing before or for another',
    read: 'ChainHistory.paidBy',
    guarantees: ['G1', 'G3', 'G15'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const since = (await harness.head()).timestamp;
      const { fundingKey } = await deposited(stage, lane, currency);
      const refund = await lane.refundLeg(fundingKey, { currency, amount: amountOf(harness, currency, 5) });
      const reader = await stage.adapter();
      const found = new Map<LegInstruction, string>();
      for (const leg of [refund, await lane.fillLeg({ currency })]) {
        assert.equal(
          await reader.paidBy(leg, since),
          undefined,
          `adapter: paidBy reports a ${leg.kind} that was not paid`,
        );
        const { transaction } = await lane.fill().then(() => lane.sign(leg));
        await lane.adapter.send(transaction);
        await harness.include();
        let paid: Awaited<ReturnType<ChainAdapter['paidBy']>>;
        await until(harness, `adapter: paidBy to find the ${leg.kind}`, async () => {
          paid = await reader.paidBy(leg, since);
          return paid !== undefined;
        });
        found.set(leg, transaction.hash);
        const { amount: moved, recipient } = leg;
        assert.deepEqual(
          [paid?.hash, paid?.sender, paid?.currency, paid?.recipient, paid?.moved],
          [transaction.hash, lane.signerFor(leg), leg.currency, recipient, moved],
          'adapter: paidBy reports what the chain has',
        );
        if (paid?.final === true)
          assert.ok(
            (await harness.finalized()).height >= paid.block.height,
            'adapter: paidBy calls a payment final that a reorg can take back; read LegPaid.final',
          );
      }
      // More than a page of small nodes.
      for (let n = 0; n < 4; n += 1) await lane.fill();
      for (const [leg, hash] of found)
        assert.equal(
          (await reader.paidBy(leg, since))?.hash,
          hash,
          `adapter: paidBy loses a ${leg.kind} behind what was sent since; read ChainPayouts.paidBy`,
        );
      const other = await lane.fillLeg({ currency });
      assert.equal(
        await reader.paidBy(other, since),
        undefined,
        'adapter: paidBy takes a fill for that of another order',
      );
    },
  },
  {
    name: 'does not fill after the deadline, whenever it was signed',
    read: 'ChainGuarantees',
    guarantees: ['G1', 'G3'],
    needs: ['fillDeadline'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const deadline = await deadlineIn(harness, 20);
      const leg = await lane.fillLeg({ deadline });
      const attempt = await lane.sign(leg);
      await harness.advanceTo((deadline + 1) * 1000);
      await lane.adapter.send(attempt.transaction);
      await harness.include();
      const evidence = await lane.lookUntil('an answer', [attempt], ({ state }) => state !== 'unknown');
      if (evidence.state === 'spent')
        assert.deepEqual(evidence.effects, [{ legId: leg.legId, done: false, moved: 0n }]);
      assert.equal(await harness.balance(leg.recipient, leg.currency), 0n);
      const check = await lane.check(leg);
      assert.ok(!check.ok && check.kind === 'refused', 'what is late is refused before anything is sent');
    },
  },
]);

export const batchCases = chainCases('batches', 'LegBatches', [
  {
    name: 'carries several legs in one transaction, each with its own effect',
    guarantees: ['G1', 'G3'],
    needs: ['batches'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      assert.ok(
        harness.mostLegs > 1,
        'harness: it does not say how many legs a transaction may have; read ChainHarness.mostLegs',
      );
      const legs: LegInstruction[] = [];
      for (let n = 0; n < Math.min(harness.mostLegs, 3); n += 1) legs.push(await lane.fillLeg({ currency }));
      const attempt = await lane.sign(...legs);
      const evidence = await lane.land(attempt);
      assertDone(evidence, legs);
      for (const leg of legs) assert.equal(await harness.balance(leg.recipient, currency), leg.amount);
    },
  },
  {
    name: 'reports each leg of a batch that did not happen, and that its value is back, along with those that did',
    guarantees: ['G1', 'G3', 'G7'],
    needs: ['batches', 'turningRecipients'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const recipient of (await harness.turning?.()) ?? []) {
        const { how, currency } = recipient;
        const turned = await lane.fillLeg({ currency, recipient: recipient.address });
        const others = [await lane.fillLeg({ currency }), await lane.fillLeg({ currency })];
        const attempt = await lane.sign(...[turned, ...others].slice(0, harness.mostLegs));
        await recipient.turn();
        await lane.send(attempt);
        await harness.include();
        const { ok, effects, fee } = await lane.spent(attempt);
        const [own, ...extra] = attempt.legs.map(({ legId }) => effects.find((effect) => effect.legId === legId));
        assert.ok(!ok || own?.done || own?.returned, `${how}: its result is not reported`);
        if (ok && own?.returned) {
          assert.equal(own.moved, 0n, how);
          assert.ok((own.fee ?? fee) <= fee, `${how}: it takes a part of the fee`);
          assert.notEqual(own.failure?.reason, 'UNKNOWN', how);
        }
        for (const effect of extra) assert.equal(effect?.done, ok, `${how}: ${jsonOf(effect)}`);
        for (const leg of attempt.legs.slice(1))
          assert.equal(await harness.balance(leg.recipient, currency), ok ? leg.amount : 0n, how);
      }
    },
  },
  {
    name: 'replaces a batch by one with fewer legs, and reports which legs were done',
    guarantees: ['G1', 'G3', 'G7'],
    needs: ['batches', 'replacement', 'heldPool'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const legs = [await lane.fillLeg(), await lane.fillLeg()];
      const [kept, left] = legs;
      assert.ok(kept !== undefined && left !== undefined);
      const both = await lane.sign(...legs);
      await lane.send(both);
      const fewer = await lane.replace(both, [kept]);
      assert.equal(fewer.prepared.key, both.prepared.key);
      await lane.send(fewer);
      await harness.include();
      const evidence = await lane.spent(both, fewer);
      assert.equal(evidence.hash, fewer.transaction.hash);
      assert.deepEqual(evidence.effects, [{ legId: kept.legId, done: true, moved: kept.amount }]);
      assert.equal(await harness.balance(left.recipient, left.currency), 0n);
    },
  },
]);
