import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import { able, amountOf, deadlineIn, firstCurrency, freshOrder, until } from '../chain-tools.js';
import { jsonOf } from '../lane.js';

/** Missing history proves nothing: a pruned node says "not found" about its own payouts. */
export const forgettingCases = chainCases('forgetting', 'KeyEvidence', [
  {
    name: 'concludes nothing about a key from a history that is gone',
    guarantees: ['G1', 'G3', 'G7'],
    needs: ['forgottenHistory'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.fill();
      await harness.finalize();
      await lane.lookUntil('finality', [attempt], (seen) => seen.state === 'spent' && seen.final);
      await able(harness.forget, 'forgottenHistory').call(harness);
      const fresh = lane.in(await stage.adapter());
      const evidence = await fresh.lookOnce(attempt);
      assert.ok(
        evidence.state === 'unknown' || evidence.state === 'spent',
        `adapter: look makes ${jsonOf(evidence)} of a fill that landed and was forgotten; read KeyEvidence`,
      );
    },
  },
  {
    name: 'never calls a leg unpaid by a history that is gone',
    read: 'ChainHistory.paidBy',
    guarantees: ['G1', 'G3', 'G15'],
    needs: ['forgottenHistory'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const since = (await harness.head()).timestamp;
      const deadline = await deadlineIn(harness, 30);
      const leg = await lane.fillLeg({
        currency,
        amount: amountOf(harness, currency, 3),
        orderId: freshOrder(),
        deadline,
      });
      await lane.land(await lane.sign(leg));
      await harness.advanceTo((deadline + 2) * 1000);
      await harness.finalize();
      await able(harness.forget, 'forgottenHistory').call(harness);
      const adapter = await stage.adapter();
      await until(harness, 'the chain to be healthy', () => adapter.status().healthy);
      const paid = await adapter.paidBy(leg, since).catch(() => 'rejected' as const);
      assert.ok(
        paid !== undefined,
        'adapter: paidBy says that no one paid a fill which is forgotten; it must reject: read ChainPayouts.paidBy',
      );
      const unfilled = await adapter.unfilledForGood(leg.orderId, deadline, since).catch(() => false);
      assert.equal(unfilled, false, 'adapter: unfilledForGood takes what is forgotten for what never was; read it');
    },
  },
]);
