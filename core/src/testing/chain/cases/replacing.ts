import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import type { ChainAbility } from '../chain-harness.js';
import { jsonOf } from '../lane.js';

const needs: readonly ChainAbility[] = ['replacement', 'heldPool'];

export const replacingCases = chainCases('replacing', 'ChainPayouts.replace', [
  {
    name: 'replaces a waiting transaction under the same key, and one of the two lands',
    guarantees: ['G1'],
    needs,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const first = await lane.sign(leg);
      await lane.send(first);
      const position = lane.position;
      const second = await lane.replace(first);
      assert.equal(second.prepared.key, first.prepared.key, 'the same key');
      assert.equal(lane.position, position);
      assert.notEqual(second.transaction.hash, first.transaction.hash);
      assert.ok(second.prepared.maxFee > first.prepared.maxFee, 'a better price');
      assert.deepEqual(await lane.adapter.send(second.transaction), { outcome: 'accepted' });
      await harness.include();
      const evidence = await lane.spent(first, second);
      assert.equal(evidence.hash, second.transaction.hash);
      assert.deepEqual(evidence.effects, [{ legId: leg.legId, done: true, moved: leg.amount }]);
      const stale = await lane.adapter.send(first.transaction);
      assert.ok(stale.outcome === 'rejected' && stale.meaning === 'keySpent', jsonOf(stale));
      await harness.mine(2);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'reports which one landed when it was the first',
    guarantees: ['G1', 'G7'],
    needs,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const first = await lane.sign(leg);
      const second = await lane.replace(first);
      await lane.send(first);
      await harness.include();
      const late = await lane.adapter.send(second.transaction);
      assert.ok(late.outcome === 'rejected' && late.meaning === 'keySpent', jsonOf(late));
      assert.equal((await lane.spent(first, second)).hash, first.transaction.hash);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'closes a key with a transaction that moves nothing',
    guarantees: ['G1', 'G3', 'G7'],
    needs,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const first = await lane.sign(leg);
      await lane.send(first);
      const noop = await lane.replace(first, []);
      assert.equal(noop.prepared.key, first.prepared.key);
      await lane.send(noop);
      await harness.include();
      const evidence = await lane.spent(first, noop);
      assert.deepEqual([evidence.hash, evidence.ok, evidence.effects], [noop.transaction.hash, true, []]);
      assert.equal(await harness.balance(leg.recipient, leg.currency), 0n);
      await harness.finalize();
      const final = await lane.lookUntil('finality', [first, noop], (now) => now.state === 'spent' && now.final);
      assert.equal(final.state === 'spent' && final.hash, noop.transaction.hash);
    },
  },
  {
    name: 'closes a key whose first transaction was never sent, and frees those behind it',
    guarantees: ['G1', 'G7'],
    needs: [...needs, 'pipeline', 'independentKeys'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const stranded = await lane.sign(await lane.fillLeg());
      const behind = await lane.sign(await lane.fillLeg());
      await lane.send(behind);
      const noop = await lane.replace(stranded, []);
      await lane.send(noop);
      await harness.include();
      assert.deepEqual((await lane.spent(stranded, noop)).effects, []);
      assert.equal((await lane.spent(behind)).ok, true);
      const [leg] = stranded.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), 0n);
    },
  },
  {
    name: 'raises the price up to a cap, and says so there',
    guarantees: ['G13'],
    needs,
    async run(stage) {
      const lane = await stage.lane();
      let newest = await lane.sign(await lane.fillLeg());
      const plan = await lane.plan(await lane.fillLeg());
      for (let n = 0; n < 500; n += 1) {
        const outcome = await lane.tryReplace(newest, [plan]);
        if (!outcome.ok) {
          assert.equal(
            outcome.why,
            'feeCap',
            `adapter: replace ends at another bound than its cap: ${jsonOf(outcome)}; read PrepareOutcome`,
          );
          assert.notEqual(outcome.message, '');
          return;
        }
        assert.ok(outcome.prepared.maxFee > newest.prepared.maxFee, 'each replacement offers more');
        newest = { ...newest, prepared: outcome.prepared };
      }
      assert.fail('500 replacements and no cap');
    },
  },
  {
    name: 'replaces in one process what another one sent',
    guarantees: ['G1', 'G5'],
    needs,
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const lane = await stage.lane(first.adapter);
      const attempt = await lane.sign(await lane.fillLeg());
      await lane.send(attempt);
      await first.stop();
      const other = lane.in(await stage.adapter());
      const bump = await other.replace(attempt);
      await other.send(bump);
      await harness.include();
      assert.equal((await other.spent(attempt, bump)).hash, bump.transaction.hash);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
]);
