import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import type { TransactionEntry } from '../../../contract/transactions.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { amountOf, firstCurrency, freshOrder, until } from '../chain-tools.js';

async function described(stage: ChainStage, adapter: ChainAdapter, hash: string): Promise<TransactionEntry> {
  let entry: TransactionEntry | undefined;
  await until(stage.harness, `a description of ${hash}`, async () => {
    entry = await adapter.describeTransaction(hash);
    return entry !== undefined;
  });
  assert.ok(entry !== undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(entry)), entry, 'an entry is plain data');
  assert.deepEqual([entry.chainId, entry.type], [adapter.facts.id, 'onchain']);
  assert.match(entry.fee, /^[0-9]+$/);
  return entry;
}

export const recordCases = chainCases('records', 'ChainHistory.describeTransaction', [
  {
    name: 'describes deposits of users and fills of its own',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const watch = await stage.watch(lane.adapter);
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      await stage.deposit(lane.adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
      await harness.include();
      const seen = await watch.deposit(orderId);
      const deposit = await described(stage, lane.adapter, seen.transactionHash);
      assert.deepEqual(
        [deposit.txHash, deposit.status, deposit.block],
        [seen.transactionHash, 'success', seen.block?.height],
      );
      assert.equal(deposit.timestamp, Math.floor((seen.block?.timestamp ?? 0) / 1000));
      const attempt = await lane.sign(await lane.fillLeg());
      const evidence = await lane.land(attempt);
      const fill = await described(stage, lane.adapter, attempt.transaction.hash);
      assert.deepEqual(
        [fill.txHash, fill.status, fill.block, fill.fee],
        [attempt.transaction.hash, 'success', evidence.block.height, evidence.fee.toString()],
      );
    },
  },
  {
    name: 'describes a failed transaction as failed',
    guarantees: ['G7'],
    needs: ['reverts', 'fillOnce'],
    async run(stage) {
      const lane = await stage.lane();
      const planned = await lane.plan(await lane.fillLeg());
      const attempts = [await lane.signPlanned([planned]), await lane.signPlanned([planned])];
      for (const attempt of attempts) await lane.send(attempt);
      await stage.harness.include();
      for (const attempt of attempts) {
        const { ok } = await lane.spent(attempt);
        const { status } = await described(stage, lane.adapter, attempt.transaction.hash);
        assert.equal(status, ok ? 'success' : 'failure');
      }
    },
  },
  {
    name: 'describes nothing that is not on the chain',
    guarantees: ['G7'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      const { hash } = attempt.transaction;
      for (const unknown of [hash, `0x${'00'.repeat(32)}`, 'nonsense', ''])
        assert.equal(await lane.adapter.describeTransaction(unknown), undefined, unknown);
      if (harness.lacks.heldPool !== undefined) return;
      await lane.send(attempt);
      assert.equal(await lane.adapter.describeTransaction(hash), undefined, 'it waits in the pool');
    },
  },
]);
