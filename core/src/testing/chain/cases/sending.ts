import assert from 'node:assert/strict';
import type { SendOutcome } from '../../../contract/legs.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { LostSend } from '../chain-harness.js';
import { until } from '../chain-tools.js';
import { type Attempt, jsonOf, type Lane } from '../lane.js';

async function sendInDoubt(stage: ChainStage, lane: Lane, attempt: Attempt, lost: LostSend): Promise<void> {
  stage.harness.loseNext(lost);
  const outcome = await lane.adapter.send(attempt.transaction);
  assert.equal(outcome.outcome, 'ambiguous', `a lost ${lost} proves nothing: ${jsonOf(outcome)}`);
  await until(stage.harness, 'the chain to be healthy again', () => lane.adapter.status().healthy);
}

function isTaken({ outcome }: SendOutcome): boolean {
  return outcome === 'accepted' || outcome === 'known';
}

/** Recipients hold exactly the amounts of the attempt's legs: the kit's recipients are fresh. */
async function assertPaidOnce({ harness }: ChainStage, attempt: Attempt): Promise<void> {
  for (const { recipient, currency, amount } of attempt.legs)
    assert.equal(await harness.balance(recipient, currency), amount, 'paid once');
}

export const sendingCases = chainCases('sending', 'SendOutcome', [
  {
    name: 'fills in every currency, and the recipient gets exactly the amount',
    guarantees: ['G1'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const currency of harness.currencies) {
        const before = await harness.balance(lane.signer, currency);
        const attempt = await lane.sign(await lane.fillLeg({ currency }));
        const evidence = await lane.land(attempt);
        const [leg] = attempt.legs;
        assert.ok(leg !== undefined);
        await assertPaidOnce(stage, attempt);
        const fee = lane.adapter.currency(currency)?.isNative === true ? evidence.fee : 0n;
        assert.equal(before - (await harness.balance(lane.signer, currency)), leg.amount + fee, 'what the lane spent');
        assert.ok(evidence.fee >= 0n && evidence.fee <= attempt.prepared.maxFee, 'no more than the most it could cost');
      }
    },
  },
  {
    name: 'accepts new bytes and knows them when they come again, with one effect',
    guarantees: ['G1', 'G5'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'accepted' });
      for (let n = 0; n < 2; n += 1)
        assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'known' });
      await harness.include();
      await lane.spent(attempt);
      assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'known' }, 'included meanwhile');
      await harness.mine(2);
      await assertPaidOnce(stage, attempt);
    },
  },
  {
    name: 'calls a lost reply ambiguous, and the bytes known afterwards',
    guarantees: ['G1', 'G5', 'G7'],
    needs: ['heldPool'],
    async run(stage) {
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      await sendInDoubt(stage, lane, attempt, 'reply');
      assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'known' });
      await stage.harness.include();
      assert.equal((await lane.spent(attempt)).ok, true);
      await assertPaidOnce(stage, attempt);
    },
  },
  {
    name: 'calls a lost reply ambiguous also where the transaction is included before anyone asks',
    guarantees: ['G1', 'G5', 'G7'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      await sendInDoubt(stage, lane, attempt, 'reply');
      await harness.include();
      assert.equal((await lane.spent(attempt)).ok, true, 'it landed although no provider said so');
      assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'known' });
      await harness.mine(2);
      await assertPaidOnce(stage, attempt);
    },
  },
  {
    name: 'calls a lost request ambiguous, and the bytes are accepted afterwards',
    guarantees: ['G1', 'G5', 'G7'],
    async run(stage) {
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      await sendInDoubt(stage, lane, attempt, 'request');
      assert.equal((await lane.lookUntil('an answer', [attempt], ({ state }) => state !== 'unknown')).state, 'unspent');
      assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'accepted' });
      await stage.harness.include();
      await lane.spent(attempt);
      await assertPaidOnce(stage, attempt);
    },
  },
  {
    name: 'calls what something on the way answers ambiguous, and the bytes are accepted afterwards',
    guarantees: ['G1', 'G5', 'G7'],
    async run(stage) {
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      await sendInDoubt(stage, lane, attempt, 'page');
      await until(stage.harness, 'adapter: the bytes to be taken', async () =>
        isTaken(await lane.adapter.send(attempt.transaction)),
      );
      await stage.harness.include();
      await lane.spent(attempt);
      await assertPaidOnce(stage, attempt);
    },
  },
  {
    name: 'does not throw and claims nothing while no provider answers',
    guarantees: ['G7', 'G13'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const attempt = await lane.sign(leg);
      harness.silence(true);
      assert.equal((await lane.adapter.send(attempt.transaction)).outcome, 'ambiguous');
      const check = await lane.check(leg);
      assert.ok(!check.ok && check.kind === 'unavailable', `nothing was learnt: ${jsonOf(check)}`);
      harness.silence(false);
      await until(harness, 'the chain to be healthy again', () => lane.adapter.status().healthy);
      await lane.land(attempt);
    },
  },
  {
    name: 'says that a key is spent when another transaction took it',
    guarantees: ['G1', 'G7'],
    needs: ['sharedKeys'],
    async run(stage) {
      const lane = await stage.lane();
      const late = await stage.lane();
      const attempt = await late.sign(await late.fillLeg());
      await lane.fill();
      await until(stage.harness, 'a refusal', async () => {
        const outcome = await late.adapter.send(attempt.transaction);
        assert.ok(!isTaken(outcome), 'bytes under a spent key were taken');
        return outcome.outcome === 'rejected' && outcome.meaning === 'keySpent';
      });
      await stage.harness.mine(2);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await stage.harness.balance(leg.recipient, leg.currency), 0n);
    },
  },
  {
    name: 'does not throw on bytes that are no transaction, and never says it sent them',
    guarantees: ['G7'],
    async run(stage) {
      const lane = await stage.lane();
      const { transaction } = await lane.sign(await lane.fillLeg());
      const cut = transaction.bytes.slice(0, Math.floor(transaction.bytes.length / 4) * 2);
      for (const bytes of ['', 'nonsense', '0x', cut]) {
        const outcome = await lane.adapter.send({ bytes, hash: transaction.hash });
        assert.ok(!isTaken(outcome), `"${bytes.slice(0, 20)}": ${jsonOf(outcome)}`);
      }
      await until(stage.harness, 'the chain to be healthy', () => lane.adapter.status().healthy);
    },
  },
  {
    name: 'refuses to plan what the chain proves impossible, or says that it learnt nothing',
    read: 'ChainPayouts.check',
    guarantees: ['G7', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const currency of harness.currencies) {
        const held = await harness.balance(lane.signer, currency);
        const check = await lane.check(await lane.fillLeg({ currency, amount: held * 2n }));
        assert.equal(check.ok, false, 'more than the lane holds');
        assert.ok(check.ok || check.kind === 'unavailable', 'an empty lane says nothing about the order');
      }
    },
  },
]);
