import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import { jsonOf } from '../lane.js';

export const crashCases = chainCases('crash', 'ChainPayouts.send', [
  {
    name: 'sends in another process the bytes that a dead one signed',
    guarantees: ['G1', 'G5'],
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const lane = await stage.lane(first.adapter);
      const attempt = await lane.sign(await lane.fillLeg());
      await first.stop();
      const other = lane.in(await stage.adapter());
      assert.equal((await other.lookOnce(attempt)).state, 'unspent');
      await other.land(attempt);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'finds what a process sent before it died, and sends the same bytes without a second effect',
    guarantees: ['G1', 'G5'],
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const lane = await stage.lane(first.adapter);
      const attempt = await lane.sign(await lane.fillLeg());
      harness.loseNext('reply');
      await first.adapter.send(attempt.transaction);
      await first.stop();
      const other = lane.in(await stage.adapter());
      assert.deepEqual(await other.adapter.send(attempt.transaction), { outcome: 'known' });
      await harness.include();
      assert.equal((await other.spent(attempt)).ok, true);
      assert.deepEqual(await other.adapter.send(attempt.transaction), { outcome: 'known' });
      await harness.mine(2);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'takes the same bytes of two living processes with one effect',
    guarantees: ['G1', 'G5'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const twin = lane.in(await stage.adapter());
      const attempt = await lane.sign(await lane.fillLeg());
      const outcomes = await Promise.all([lane, twin].map(({ adapter }) => adapter.send(attempt.transaction)));
      for (const outcome of outcomes) assert.ok(['accepted', 'known'].includes(outcome.outcome), jsonOf(outcome));
      await harness.include();
      for (const one of [lane, twin]) assert.equal((await one.spent(attempt)).ok, true);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'ends the sends of a twin that works from an old position without a second effect',
    guarantees: ['G1', 'G15'],
    needs: ['sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const [lane, twin] = [await stage.lane(), await stage.lane()];
      const leg = await lane.fillLeg();
      const [ours, theirs] = [await lane.sign(leg), await twin.sign(leg)];
      assert.equal(ours.prepared.key, theirs.prepared.key);
      await lane.adapter.send(ours.transaction);
      await twin.adapter.send(theirs.transaction);
      await harness.include();
      await twin.adapter.send(theirs.transaction);
      await harness.mine(2);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
      const same = ours.transaction.hash === theirs.transaction.hash;
      const evidence = await lane.spent(ours, ...(same ? [] : [theirs]));
      assert.deepEqual(evidence.effects, [{ legId: leg.legId, done: true, moved: leg.amount }]);
    },
  },
]);
