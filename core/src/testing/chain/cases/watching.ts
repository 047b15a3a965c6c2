import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import { amountOf, firstCurrency, freshOrder } from '../chain-tools.js';

/** More than are read at once. */
const MANY_BLOCKS = 60;

export const watchingCases = chainCases('observation', 'ChainDeposits.watchDeposits', [
  {
    name: 'reads what came during a long gap between two watches, and takes nothing back meanwhile',
    guarantees: ['G2', 'G8'],
    async run(stage) {
      const { harness } = stage;
      await harness.include();
      await harness.finalize();
      const first = await stage.open();
      const watch = await stage.watch(first.adapter);
      await watch.caughtUp();
      const { cursor } = watch.newest;
      const currency = firstCurrency(harness);
      const orders = [freshOrder(), freshOrder()];
      for (const orderId of orders) {
        await stage.deposit(first.adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
        await harness.include();
        await watch.deposit(orderId);
        await harness.mine(MANY_BLOCKS);
      }
      // A partly durable batch: its deposits are saved, its cursor is not.
      const { known } = watch.newest;
      await first.stop();
      const again = await stage.watch(await stage.adapter(), { cursor, known });
      for (const orderId of orders) await again.deposit(orderId);
      await again.caughtUp();
      assert.equal(again.all().length, orders.length, 'adapter: watchDeposits reports each deposit, and nothing else');
      assert.ok(
        again.saved.every((saved) => [...saved.known.values()].every(({ state }) => state !== 'vanished')),
        'adapter: watchDeposits takes back what it has not read again yet; read DepositBatch.readTo and readFrom',
      );
      // As if the process died after the first of many batches.
      await again.stop();
      const whole = await stage.watch(await stage.adapter(), { cursor, known: new Map() });
      for (const orderId of orders) await whole.deposit(orderId);
      await whole.stop();
      const [early] = whole.saved;
      const last = await stage.watch(await stage.adapter(), early);
      for (const orderId of orders) await last.deposit(orderId);
      await last.caughtUp();
      assert.equal(
        last.all().length,
        orders.length,
        'adapter: a cursor is past what was reported; read DepositBatch.cursor',
      );
    },
  },
  {
    name: 'reports every new head, and finality that never goes back',
    guarantees: ['G8'],
    async run(stage) {
      const { harness } = stage;
      const watch = await stage.watch(await stage.adapter());
      for (let n = 0; n < 3; n += 1) {
        await harness.mine(1);
        await watch.caughtUp();
      }
      const finals = watch.batches.map(({ finalized }) => finalized.height);
      assert.deepEqual(
        finals,
        [...finals].sort((a, b) => a - b),
      );
      for (const { head, finalized } of watch.batches) assert.ok(finalized.height <= head.height);
      assert.ok(watch.last.finalized.height <= (await harness.finalized()).height, 'no claim ahead of the chain');
    },
  },
  {
    name: 'starts from now without a cursor',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const currency = firstCurrency(harness);
      const [before, after] = [freshOrder(), freshOrder()];
      await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 3), orderId: before });
      await harness.include();
      await harness.finalize();
      const other = await stage.adapter();
      const watch = await stage.watch(other);
      await stage.deposit(other, { currency, amount: amountOf(harness, currency, 3), orderId: after });
      await harness.include();
      await watch.deposit(after);
      assert.deepEqual(watch.of(before), []);
    },
  },
  {
    name: 'gives the same observations from every cursor it ever gave',
    guarantees: ['G2', 'G5'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      for (let n = 0; n < 3; n += 1) {
        for (const currency of harness.currencies)
          await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 2 + n), orderId: freshOrder() });
        await harness.include();
        await harness.mine(1);
        await watch.caughtUp();
      }
      const expected = watch.reported();
      assert.equal(expected.length, 3 * harness.currencies.length);
      const other = await stage.adapter();
      for (const saved of watch.saved) {
        const replay = await stage.watch(other, saved);
        await replay.caughtUp();
        assert.deepEqual(replay.reported(), expected);
        await replay.stop();
      }
      assert.deepEqual(watch.reported(), expected);
    },
  },
  {
    name: 'finds in another process what was paid while no process watched',
    guarantees: ['G2', 'G13'],
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const watch = await stage.watch(first.adapter);
      const { newest } = watch;
      await watch.stop();
      const currency = firstCurrency(harness);
      const wishes = [1, 2, 3].map((n) => ({
        currency,
        amount: amountOf(harness, currency, n),
        orderId: freshOrder(),
      }));
      for (const wish of wishes) {
        await stage.deposit(first.adapter, wish);
        await harness.include();
        await harness.mine(12);
      }
      await first.stop();
      const later = await stage.watch(await stage.adapter(), newest);
      for (const { orderId, amount } of wishes) assert.equal((await later.deposit(orderId)).amount, amount);
    },
  },
  {
    name: 'waits through silence without an error and misses nothing',
    guarantees: ['G2', 'G13'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      const steps = adapter.depositSteps({ payer: harness.user(1), currency, amount: harness.unit(currency), orderId });
      harness.silence(true);
      await harness.pay(harness.user(1), steps);
      await harness.include();
      await harness.mine(2);
      await harness.pass(200);
      assert.deepEqual(watch.of(orderId), []);
      harness.silence(false);
      await watch.deposit(orderId);
    },
  },
  {
    name: 'takes hints of any kind for what they are',
    read: 'ChainDeposits.hint',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      for (const hint of ['', 'nonsense', `0x${'00'.repeat(32)}`]) adapter.hint(hint);
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      const payment = await stage.deposit(adapter, { currency, amount: harness.unit(currency), orderId });
      adapter.hint(payment.id);
      await harness.include();
      adapter.hint(payment.id);
      await watch.deposit(orderId);
    },
  },
  {
    name: 'ends a watch when asked to',
    guarantees: ['G14'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      watch.abort();
      assert.equal(await watch.ended(), true);
      const count = watch.batches.length;
      await harness.mine(1);
      await harness.pass(100);
      assert.equal(watch.batches.length, count);
    },
  },
]);
