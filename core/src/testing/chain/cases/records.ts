import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import { MAX_DESCRIBED_BYTES, type StateChange, type TransactionEntry } from '../../../contract/transactions.js';
import { entryTexts, MAX_ENTRY_CHARACTERS } from '../../../domain/entry-text.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { able, amountOf, firstCurrency, freshOrder, until } from '../chain-tools.js';

const CROWD = 8;

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
    name: 'describes a crowded transaction within bounds, and its parties in their canonical spelling',
    guarantees: ['G13'],
    needs: ['depositsTogether'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [payer, currency] = [harness.user(1), firstCurrency(harness)];
      const amount = amountOf(harness, currency, 3);
      const wishes = Array.from({ length: CROWD }, () => ({ currency, amount, orderId: freshOrder() }));
      await able(harness.payTogether, 'depositsTogether').call(harness, payer, wishes);
      await harness.include();
      const { transactionHash } = await watch.deposit(wishes[0]?.orderId ?? freshOrder());
      const entry = await described(stage, adapter, transactionHash);
      const { length } = JSON.stringify(entry);
      assert.ok(length <= MAX_DESCRIBED_BYTES, `${length} characters are described, of at most ${MAX_DESCRIBED_BYTES}`);
      const own = { isConfigured: (one: string) => adapter.currency(one) !== undefined, accounts: new Set<string>() };
      const text = entryTexts({ ...entry, feeUsd: '0' }, own)([payer, adapter.facts.depository]);
      assert.ok(text.length <= MAX_ENTRY_CHARACTERS, `${text.length} characters are kept of it`);
      const kept = (JSON.parse(text) as { readonly stateChanges: readonly StateChange[] }).stateChanges;
      const changeOf = (address: string) =>
        BigInt(
          kept.find((one) => one.address === address && one.change.data.tokenAddress === currency)?.change
            .balanceDiff ?? 0,
        );
      const paid = amount * BigInt(CROWD);
      assert.ok(changeOf(payer) <= -paid, `it says that ${payer} lost ${-changeOf(payer)}, who paid ${paid}`);
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
