import assert from 'node:assert/strict';
import type { OrderId } from '../../../contract/ids.js';
import { chainCases } from '../chain-case.js';
import { able, amountOf, firstCurrency, freshOrder, until } from '../chain-tools.js';

export const observationCases = chainCases('observation', 'DepositObservation', [
  {
    name: 'observes a deposit with what arrived, whose it is and the order it carries',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      for (const currency of harness.currencies) {
        const [orderId, amount] = [freshOrder(), amountOf(harness, currency, 7)];
        const payer = harness.user(2);
        const before = await harness.depositoryBalance(currency);
        await stage.deposit(adapter, { payer, currency, amount, orderId });
        await harness.include();
        const seen = await watch.deposit(orderId);
        const { fundingKey, transactionHash, block, state, cost: _, ...rest } = seen;
        assert.deepEqual(rest, {
          chainId: adapter.facts.id,
          currency,
          amount,
          depositor: payer,
          orderId: watch.carried(orderId),
          depositAddress: null,
        });
        assert.ok(state === 'included' || state === 'final');
        assert.ok(fundingKey !== '' && transactionHash !== '', 'a transfer and its transaction have names');
        const head = await harness.head();
        assert.ok(block !== null && block.height <= head.height && block.timestamp <= head.timestamp, 'its block');
        const added = await watch.added(currency, [orderId]);
        assert.equal((await harness.depositoryBalance(currency)) - before, added, 'what arrived');
      }
    },
  },
  {
    name: 'reports what it cost the depository to take a deposit, with its finality and every time',
    guarantees: ['G2', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const native = adapter.facts.currency.address;
      for (const currency of harness.currencies) {
        await harness.include();
        const { newest } = watch;
        const [orderId, amount] = [freshOrder(), amountOf(harness, currency, 6)];
        const before = await harness.depositoryBalance(native);
        await stage.deposit(adapter, { currency, amount, orderId });
        await harness.include();
        await watch.deposit(orderId);
        const added = await watch.added(native, [orderId]);
        const grew = (await harness.depositoryBalance(native)) - before;
        if (currency === native)
          assert.equal(grew, added, 'adapter: the depository grew by another amount than a deposit less its cost');
        // Coin may arrive with a token as a surplus.
        else assert.ok(grew >= added, 'adapter: taking a token cost the depository more than it reports');
        const replay = await stage.watch(await stage.adapter(), newest);
        assert.equal(await replay.added(native, [orderId]), added, 'adapter: another process reports another cost');
        for (const { deposits } of [...watch.batches, ...replay.batches])
          for (const { cost = 0n, state } of deposits)
            assert.ok(
              cost === 0n || (cost > 0n && state === 'final'),
              `adapter: a cost of ${cost} while it is ${state}`,
            );
        await replay.stop();
      }
    },
  },
  {
    name: 'distinguishes two equal transfers of one payer',
    guarantees: ['G2', 'G3'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const wish = { currency: firstCurrency(harness), amount: amountOf(harness, firstCurrency(harness), 5) };
      const orderId = freshOrder();
      for (let n = 0; n < 2; n += 1) {
        await stage.deposit(adapter, { ...wish, orderId });
        await harness.include();
      }
      await watch.until('both transfers', () => watch.of(orderId).length === 2);
      const [one, two] = watch.of(orderId);
      assert.notEqual(one?.fundingKey, two?.fundingKey);
      assert.deepEqual([one?.amount, two?.amount], [wish.amount, wish.amount]);
    },
  },
  {
    name: 'keeps several deposits of one transaction apart',
    guarantees: ['G2', 'G3'],
    needs: ['depositsTogether'],
    async run(stage) {
      const { harness } = stage;
      const watch = await stage.watch(await stage.adapter());
      const currency = firstCurrency(harness);
      const same = amountOf(harness, currency, 4);
      const [first, second] = [freshOrder(), freshOrder()];
      const wishes = [
        { currency, amount: same, orderId: first },
        { currency, amount: amountOf(harness, currency, 6), orderId: second },
        { currency, amount: same, orderId: first },
      ];
      const before = await harness.depositoryBalance(currency);
      await able(harness.payTogether, 'depositsTogether').call(harness, harness.user(1), wishes);
      await harness.include();
      await watch.until('three deposits', () => watch.present().length >= 3);
      const seen = watch.present();
      assert.equal(new Set(seen.map(({ fundingKey }) => fundingKey)).size, 3, 'each deposit has a key of its own');
      const reported = (list: readonly { amount: bigint; orderId: string | null }[]): string[] =>
        list.map(({ amount, orderId }) => `${amount} ${orderId}`).sort();
      assert.deepEqual(
        reported(seen),
        reported(wishes.map((wish) => ({ ...wish, orderId: watch.carried(wish.orderId) }))),
      );
      assert.equal(new Set(seen.map(({ transactionHash }) => transactionHash)).size, 1);
      const added = await watch.added(currency, [first, second]);
      assert.equal((await harness.depositoryBalance(currency)) - before, added);
    },
  },
  {
    name: 'observes a transfer without an order id as one without',
    guarantees: ['G2'],
    needs: ['orphans'],
    async run(stage) {
      const { harness } = stage;
      const watch = await stage.watch(await stage.adapter());
      const currency = firstCurrency(harness);
      const amount = amountOf(harness, currency, 9);
      const payer = harness.user(3);
      await able(harness.payOrphan, 'orphans').call(harness, payer, currency, amount);
      await harness.include();
      await watch.until('the orphan', () => watch.present().length > 0);
      const [seen, ...others] = watch.present();
      assert.deepEqual(others, []);
      assert.deepEqual([seen?.orderId, seen?.amount, seen?.currency, seen?.depositor], [null, amount, currency, payer]);
    },
  },
  {
    name: 'takes a transaction that failed in a block for no deposit, and goes on',
    guarantees: ['G2', 'G7'],
    needs: ['failedDeposits'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const payer = harness.user(2);
      for (const currency of harness.currencies) {
        const before = await harness.depositoryBalance(currency);
        const wish = { currency, amount: amountOf(harness, currency, 8), orderId: freshOrder() };
        const failed = await able(harness.payFailing, 'failedDeposits').call(harness, payer, wish);
        assert.ok(failed.length > 0, 'harness: it knows of a way to fail');
        await harness.include();
        assert.equal(await harness.depositoryBalance(currency), before, 'harness: a payment that fails moves nothing');
        for (const { id } of failed) {
          let status: string | undefined;
          await until(harness, 'harness: a failed payment is in a block', async () => {
            status = (await adapter.describeTransaction(id))?.status;
            return status !== undefined;
          });
          assert.equal(status, 'failure', 'adapter: describeTransaction reports that it failed');
        }
        const orderId = freshOrder();
        await stage.deposit(adapter, { ...wish, orderId });
        await harness.include();
        await watch.deposit(orderId);
        await harness.finalize();
        await watch.caughtUp();
        assert.deepEqual(
          watch
            .all()
            .filter(
              (seen) => watch.ever(wish.orderId).includes(seen) || failed.some(({ id }) => id === seen.transactionHash),
            ),
          [],
          'adapter: watchDeposits takes what failed for a deposit; nothing of it was paid',
        );
      }
    },
  },
  {
    name: 'sees unconfirmed payments, and the same deposit when it is included',
    guarantees: ['G2'],
    needs: ['mempool', 'heldPool'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
      const mine = () => watch.ever(orderId);
      await watch.until('the unconfirmed payment', () => mine().length > 0);
      const [before] = mine();
      assert.deepEqual([before?.state, before?.block], ['mempool', null]);
      await harness.include();
      const seen = await watch.deposit(orderId);
      assert.equal(seen.fundingKey, before?.fundingKey, 'the funding key does not change by inclusion');
      assert.equal(mine().length, 1);
    },
  },
  {
    name: 'never takes a replaced payment for included',
    guarantees: ['G2', 'G8'],
    needs: ['paymentReplacement', 'heldPool'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [currency, payer] = [firstCurrency(harness), harness.user(1)];
      const [orderId, other] = [freshOrder(), freshOrder()];
      const amount = amountOf(harness, currency, 3);
      const before = await harness.depositoryBalance(currency);
      const payment = await stage.deposit(adapter, { payer, currency, amount, orderId });
      const steps = adapter.depositSteps({ payer, currency, amount: amount * 2n, orderId: other });
      await able(harness.replacePayment, 'paymentReplacement').call(harness, payment, steps);
      await harness.include();
      assert.equal((await watch.deposit(other)).amount, amount * 2n);
      await watch.caughtUp();
      assert.deepEqual(watch.of(orderId), []);
      const forgotten = watch.ever(orderId);
      assert.deepEqual(
        forgotten.filter(({ state }) => state !== 'vanished'),
        [],
        'what was seen of it is said to have vanished',
      );
      for (const { rival } of forgotten) assert.ok(rival !== undefined, 'and what took its place is named');
      assert.equal((await harness.depositoryBalance(currency)) - before, await watch.added(currency, [other]));
    },
  },
  {
    name: 'asks for more depth the more a deposit is worth',
    read: 'ChainDeposits.acceptDepth',
    guarantees: ['G8'],
    async run(stage) {
      const adapter = await stage.adapter();
      const depths = [0n, 1n, 10n ** 6n, 10n ** 9n, 10n ** 12n, 10n ** 18n].map((usd) => adapter.acceptDepth(usd));
      for (const depth of depths) assert.ok(Number.isInteger(depth) && depth >= 0);
      assert.deepEqual(
        depths,
        [...depths].sort((a, b) => a - b),
      );
      const { harness } = stage;
      const most = depths.at(-1) ?? 0;
      if (harness.reorg !== undefined)
        assert.ok(
          most >= harness.reorgDepth,
          `adapter: ${most} blocks are enough for any value, and ${harness.reorgDepth} can be replaced; read ChainDeposits.acceptDepth`,
        );
    },
  },
  {
    name: 'asks for more providers the more a deposit is worth',
    read: 'ChainDeposits.quorum',
    guarantees: ['G8'],
    async run(stage) {
      const adapter = await stage.adapter();
      const counts = [0n, 1n, 10n ** 9n, 10n ** 18n].map((usd) => adapter.quorum(usd));
      for (const count of counts) assert.ok(Number.isInteger(count) && count >= 1);
      assert.deepEqual(
        counts,
        [...counts].sort((a, b) => a - b),
      );
    },
  },
  {
    name: 'witnesses a transfer as it is, and nothing that differs from it',
    read: 'ChainDeposits.witness',
    guarantees: ['G2', 'G8'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
      await harness.include();
      const seen = await watch.deposit(orderId);
      const { block } = seen;
      assert.ok(block !== null);
      const sighting = { ...seen, block, providers: 1 };
      const lies = [
        { ...sighting, amount: seen.amount + 1n },
        ...harness.currencies.filter((other) => other !== currency).map((other) => ({ ...sighting, currency: other })),
        { ...sighting, orderId: watch.carried(freshOrder()) as OrderId },
        { ...sighting, depositor: harness.user(3) },
        { ...sighting, block: { ...block, id: `${block.id.slice(0, -4)}0000` } },
        { ...sighting, fundingKey: `${seen.fundingKey}9` },
        { ...sighting, providers: 1_000 },
      ];
      assert.deepEqual(await adapter.witness([sighting, ...lies]), [true, ...lies.map(() => false)]);
      assert.deepEqual(await adapter.witness([...lies, sighting]), [...lies.map(() => false), true]);
      assert.deepEqual(await adapter.witness([]), []);
      harness.silence(true);
      assert.deepEqual(await adapter.witness([sighting]), [false], 'what is not known is not witnessed');
      harness.silence(false);
      await until(harness, 'providers to answer again', async () => (await adapter.witness([sighting]))[0] === true);
    },
  },
]);
