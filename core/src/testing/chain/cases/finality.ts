import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import { amountOf, deadlineIn, firstCurrency, freshOrder, until } from '../chain-tools.js';

export const finalityCases = chainCases('finality', 'KeyEvidence', [
  {
    name: 'calls a deposit final when the chain does, and not before',
    read: 'DepositBatch',
    guarantees: ['G3', 'G8'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const { newest } = watch;
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 4), orderId });
      await harness.include();
      const seen = await watch.deposit(orderId);
      const height = seen.block?.height ?? Number.POSITIVE_INFINITY;
      for (const { finalized, deposits } of watch.batches) {
        assert.ok(finalized.height <= (await harness.finalized()).height, 'no finality that the chain does not have');
        for (const { state, block } of deposits)
          assert.equal(state === 'final', (block?.height ?? Number.POSITIVE_INFINITY) <= finalized.height);
      }
      await harness.finalize();
      await watch.until('the deposit to be final', () => watch.of(orderId)[0]?.state === 'final');
      assert.ok((await harness.finalized()).height >= height);
      const replay = await stage.watch(await stage.adapter(), newest);
      await replay.until('the deposit to be final', () => replay.of(orderId)[0]?.state === 'final');
      assert.equal(replay.of(orderId)[0]?.fundingKey, seen.fundingKey);
    },
  },
  {
    name: 'calls a spent key final when the chain does, and not before',
    guarantees: ['G1', 'G7', 'G8'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      const evidence = await lane.land(attempt);
      if (evidence.final) assert.ok((await harness.finalized()).height >= evidence.block.height, 'too early');
      await harness.finalize();
      const final = await lane.lookUntil('finality', [attempt], (now) => now.state === 'spent' && now.final);
      assert.ok(final.state === 'spent' && final.ok && final.block.height <= (await harness.finalized()).height);
    },
  },
  {
    name: 'claims no order unfilled permanently too early, and no filled one ever',
    read: 'ChainHistory.unfilledForGood',
    guarantees: ['G1', 'G3', 'G7'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter } = lane;
      const deadline = await deadlineIn(harness, 30);
      const [filled, never] = [freshOrder(), freshOrder()];
      await lane.fill({ orderId: filled, deadline });
      assert.equal(
        await adapter.unfilledForGood(never, deadline, 0),
        false,
        'before the deadline nothing is permanent',
      );
      await harness.advanceTo((deadline + 1) * 1000);
      const early = await adapter.unfilledForGood(never, deadline, 0);
      if ((await harness.finalized()).timestamp <= deadline * 1000) assert.equal(early, false, 'not final yet');
      await harness.advanceTo((deadline + 2) * 1000);
      await harness.finalize();
      assert.equal(await adapter.unfilledForGood(filled, deadline, 0), false, 'a filled order is not unfilled');
    },
  },
  {
    name: 'proves an order unfilled at a final block past its deadline',
    read: 'ChainHistory.unfilledForGood',
    guarantees: ['G3', 'G7'],
    needs: ['fillDeadline'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const deadline = await deadlineIn(harness, 30);
      const orderId = freshOrder();
      await harness.advanceTo((deadline + 2) * 1000);
      await harness.finalize();
      await until(harness, 'the proof', () => adapter.unfilledForGood(orderId, deadline, 0));
    },
  },
]);
