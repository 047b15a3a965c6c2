import assert from 'node:assert/strict';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { Payment, ReorgRequest } from '../chain-harness.js';
import { able, amountOf, firstCurrency, freshOrder } from '../chain-tools.js';
import type { Watch } from '../watch.js';

function reorg(stage: ChainStage, request: ReorgRequest): Promise<void> {
  const { harness } = stage;
  return able(harness.reorg, 'reorgs').call(harness, request);
}

async function freshView(stage: ChainStage, start: Watch): Promise<readonly unknown[]> {
  const [first] = start.saved;
  assert.ok(first !== undefined);
  const replay = await stage.watch(await stage.adapter(), first);
  await replay.caughtUp();
  return replay.reported();
}

export const reorgCases = chainCases('reorg', 'DepositBatch', [
  {
    name: 'lets a deposit vanish with its block',
    guarantees: ['G2', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const currency = firstCurrency(harness);
      const before = await harness.depositoryBalance(currency);
      const watch = await stage.watch(adapter);
      const orderId = freshOrder();
      await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 5), orderId });
      await harness.include();
      const { block, ...seen } = await watch.deposit(orderId);
      assert.ok(block !== null);
      const { fundingKey } = seen;
      await reorg(stage, { depth: 1, transactions: 'gone' });
      await watch.until('the deposit to vanish', () => watch.of(orderId).length === 0);
      const [left] = watch.ever(orderId);
      assert.deepEqual([left?.fundingKey, left?.state], [fundingKey, 'vanished']);
      const witnessed = await adapter.witness([{ ...seen, block, providers: 1 }]);
      assert.deepEqual(witnessed, [false], 'no one witnesses what is gone');
      assert.equal(await harness.depositoryBalance(currency), before);
    },
  },
  {
    name: 'keeps the funding key of a transaction that is included again in another block',
    guarantees: ['G2', 'G3', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const wishes = harness.currencies.map((currency) => ({
        currency,
        amount: amountOf(harness, currency, 5),
        orderId: freshOrder(),
      }));
      for (const wish of wishes) await stage.deposit(adapter, wish);
      await harness.include();
      const before = new Map<string, Awaited<ReturnType<Watch['deposit']>>>();
      for (const { orderId } of wishes) before.set(orderId, await watch.deposit(orderId));
      await reorg(stage, { depth: harness.reorgDepth, transactions: 'later' });
      for (const { orderId, amount } of wishes) {
        const old = before.get(orderId);
        await watch.until(
          'another block to be named',
          () => watch.of(orderId).length > 0 && watch.of(orderId)[0]?.block?.id !== old?.block?.id,
        );
        const now = await watch.deposit(orderId);
        assert.deepEqual([now.fundingKey, now.amount], [old?.fundingKey, amount]);
        assert.equal(watch.ever(orderId).length, 1, 'one transfer, one key');
      }
      await watch.caughtUp();
      assert.deepEqual(await freshView(stage, watch), watch.reported());
    },
  },
  {
    name: 'keeps the funding key of a transaction that is included again behind another one',
    guarantees: ['G2', 'G3', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const currency = firstCurrency(harness);
      const payments: { orderId: ReturnType<typeof freshOrder>; payment: Payment; amount: bigint }[] = [];
      for (const n of [1, 2, 3]) {
        const orderId = freshOrder();
        const amount = amountOf(harness, currency, n);
        const payer = harness.user(n);
        payments.push({ orderId, amount, payment: await stage.deposit(adapter, { payer, currency, amount, orderId }) });
      }
      await harness.include();
      const keys = new Map<string, string>();
      for (const { orderId } of payments) keys.set(orderId, (await watch.deposit(orderId)).fundingKey);
      assert.equal(new Set(keys.values()).size, payments.length);
      const head = await harness.head();
      const last = payments.at(-1);
      assert.ok(last !== undefined);
      await reorg(stage, { depth: 1, transactions: 'later', first: [last.payment] });
      await watch.until('the new blocks', () =>
        payments.every(({ orderId }) => watch.of(orderId)[0]?.block?.id !== head.id),
      );
      for (const { orderId, amount } of payments) {
        const now = await watch.deposit(orderId);
        assert.deepEqual([now.fundingKey, now.amount], [keys.get(orderId), amount]);
      }
      await watch.caughtUp();
      assert.deepEqual(await freshView(stage, watch), watch.reported());
    },
  },
  {
    name: 'names deposits by what a transaction did when it was included again',
    guarantees: ['G2', 'G3', 'G8'],
    needs: ['reorgs', 'shiftingEvents'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const currency = firstCurrency(harness);
      const before = await harness.depositoryBalance(currency);
      const first = { currency, amount: amountOf(harness, currency, 3), orderId: freshOrder() };
      const second = { currency, amount: amountOf(harness, currency, 8), orderId: freshOrder() };
      const pay = able(harness.payShifting, 'shiftingEvents');
      await pay.call(harness, harness.user(1), first, second);
      await harness.include();
      assert.equal((await watch.deposit(second.orderId)).amount, second.amount);
      assert.deepEqual(watch.of(first.orderId), []);
      await reorg(stage, { depth: 1, transactions: 'later' });
      await watch.until(
        'both deposits',
        () => watch.of(first.orderId).length === 1 && watch.of(second.orderId).length === 1,
      );
      const seen = [...watch.of(first.orderId), ...watch.of(second.orderId)];
      assert.deepEqual(
        seen.map(({ amount }) => amount),
        [first.amount, second.amount],
        'each key names the deposit that is now behind it',
      );
      assert.equal(new Set(seen.map(({ fundingKey }) => fundingKey)).size, 2);
      const added = await watch.added(currency, [first.orderId, second.orderId]);
      assert.equal((await harness.depositoryBalance(currency)) - before, added);
      await watch.caughtUp();
      assert.deepEqual(await freshView(stage, watch), watch.reported());
    },
  },
  {
    name: 'makes the same observations from cursors of before the reorg and of the fork that lost',
    guarantees: ['G2', 'G5', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const currency = firstCurrency(harness);
      const deposit = async (): Promise<void> => {
        await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 2), orderId: freshOrder() });
        await harness.include();
        await watch.caughtUp();
      };
      await deposit();
      await harness.finalize();
      await watch.caughtUp();
      await deposit();
      await reorg(stage, { depth: 1, transactions: 'gone' });
      await deposit();
      await reorg(stage, { depth: 1, transactions: 'later' });
      await watch.caughtUp();
      await harness.mine(1);
      await watch.caughtUp();
      const expected = watch.reported();
      assert.equal(expected.length, 2);
      const total = watch.present().reduce((sum, { amount }) => sum + amount, 0n);
      const other = await stage.adapter();
      for (const saved of watch.saved) {
        const replay = await stage.watch(other, saved);
        await replay.caughtUp();
        assert.deepEqual(replay.reported(), expected);
        await replay.stop();
      }
      assert.ok((await harness.depositoryBalance(currency)) >= total, 'everything observed is in the depository');
    },
  },
  {
    name: 'takes back every block of a deep reorg and nothing below it',
    guarantees: ['G2', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const currency = firstCurrency(harness);
      const deposit = async (): Promise<ReturnType<typeof freshOrder>> => {
        const orderId = freshOrder();
        await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 2), orderId });
        await harness.include();
        return orderId;
      };
      const below = await deposit();
      const { height } = await harness.head();
      const lost: Awaited<ReturnType<typeof deposit>>[] = [];
      while ((await harness.head()).height < height + harness.reorgDepth) lost.push(await deposit());
      const depth = (await harness.head()).height - height;
      if (depth > harness.reorgDepth) return;
      await watch.caughtUp();
      assert.deepEqual(
        [below, ...lost].map((orderId) => watch.of(orderId).length),
        [1, ...lost.map(() => 1)],
      );
      await reorg(stage, { depth, transactions: 'gone' });
      await watch.until('the lost deposits to vanish', () => lost.every((orderId) => watch.of(orderId).length === 0));
      await watch.caughtUp();
      assert.equal(watch.of(below).length, 1, 'what lies below stays');
      const after = await deposit();
      await watch.deposit(after);
      assert.deepEqual(await freshView(stage, watch), watch.reported());
    },
  },
  {
    name: 'forgets a deposit of its own accord when the process did not see the reorg',
    guarantees: ['G2', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const watch = await stage.watch(first.adapter);
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      await stage.deposit(first.adapter, { currency, amount: amountOf(harness, currency, 5), orderId });
      await harness.include();
      await watch.deposit(orderId);
      const { newest } = watch;
      await first.stop();
      await reorg(stage, { depth: 1, transactions: 'gone' });
      await harness.mine(2);
      const later = await stage.watch(await stage.adapter(), newest);
      await later.until('the deposit to vanish', () => later.of(orderId).length === 0);
      await later.caughtUp();
      assert.equal(later.ever(orderId)[0]?.state, 'vanished');
    },
  },
  {
    name: 'forgets a deposit that was recorded without its cursor when the process did not see the reorg',
    guarantees: ['G2', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const watch = await stage.watch(first.adapter);
      const [lost, kept] = [freshOrder(), freshOrder()];
      const currency = firstCurrency(harness);
      const amount = amountOf(harness, currency, 5);
      await stage.deposit(first.adapter, { currency, amount, orderId: kept });
      await harness.include();
      await watch.deposit(kept);
      await watch.caughtUp();
      const { cursor } = watch.newest;
      await stage.deposit(first.adapter, { currency, amount, orderId: lost });
      await harness.include();
      await watch.deposit(lost);
      const { known } = watch.newest;
      await first.stop();
      await reorg(stage, { depth: 1, transactions: 'gone' });
      await harness.mine(2);
      const later = await stage.watch(await stage.adapter(), { cursor, known });
      await later.caughtUp();
      await later.until('the deposit to vanish', () => later.of(lost).length === 0);
      assert.equal(later.of(kept).length, 1, 'what the cursor covers stays');
    },
  },
]);
