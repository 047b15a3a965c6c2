import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import type { Hex } from '../../../contract/ids.js';
import type { LegInstruction } from '../../../contract/legs.js';
import { chainCases } from '../chain-case.js';
import { able, amountOf, deadlineIn, firstCurrency, freshOrder, until } from '../chain-tools.js';
import { jsonOf } from '../lane.js';

const TRIALS = 2_000;

/** Of many use keys the one with the longest common prefix, as an attacker would grind it. */
function alike(adapter: ChainAdapter, useKey: Hex, fundingKey: string): Hex {
  let [best, most]: [Hex, number] = [adapter.useKey(`${fundingKey}0`, 'refund'), -1];
  for (let n = 0; n < TRIALS; n += 1) {
    const other = adapter.useKey(`${fundingKey}${n}`, 'refund');
    const differs = [...useKey].findIndex((digit, at) => digit !== other[at]);
    if (differs > most) [best, most] = [other, differs];
  }
  return best;
}

/** Another order whose id has the same first bytes. */
function alikeUpTo(orderId: Hex, bytes: number): Hex {
  const rest = [...orderId.slice(2 + 2 * bytes)].map((digit) => (15 - Number.parseInt(digit, 16)).toString(16));
  return `${orderId.slice(0, 2 + 2 * bytes)}${rest.join('')}` as Hex;
}

export const namingCases = chainCases('naming', 'ChainHistory.paidBy', [
  {
    name: 'reports as much of an order id as its facts say, and distinguishes two orders that differ within it',
    guarantees: ['G2', 'G3'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const currency = firstCurrency(harness);
      const bytes = adapter.facts.orderIdBytes ?? 32;
      const one = freshOrder();
      const other = alikeUpTo(one, bytes - 1);
      const wishes = [one, other].map((orderId, n) => ({
        currency,
        amount: amountOf(harness, currency, 3 + n),
        orderId,
      }));
      for (const wish of wishes) {
        await stage.deposit(adapter, wish);
        await harness.include();
      }
      await watch.until('both deposits', () =>
        wishes.every(({ amount }) => watch.present().some((seen) => seen.amount === amount)),
      );
      for (const { amount, orderId } of wishes) {
        const reported = watch.present().find((seen) => seen.amount === amount)?.orderId ?? null;
        const digits = reported === null ? 0 : reported.length - 2;
        assert.equal(
          digits,
          2 * bytes,
          `adapter: watchDeposits reports ${digits} digits of an order id where its facts say ${bytes} bytes; read ChainFacts.orderIdBytes`,
        );
        assert.equal(
          reported,
          watch.carried(orderId),
          'adapter: watchDeposits reports other digits of an order id than the deposit was made with; read DepositObservation.orderId',
        );
      }
    },
  },
  {
    name: 'distinguishes two legs of one recipient and one amount, or says that it cannot',
    guarantees: ['G1', 'G3', 'G15'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter } = lane;
      const currency = firstCurrency(harness);
      const since = (await harness.head()).timestamp;
      const wish = { currency, amount: amountOf(harness, currency, 3) };
      const watch = await stage.watch(adapter);
      const orderId = freshOrder();
      await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 40), orderId });
      await harness.include();
      const { fundingKey } = await watch.deposit(orderId);
      await harness.finalize();
      await watch.stop();
      const fill = await lane.fillLeg(wish);
      const refund = await lane.refundLeg(fundingKey, wish);
      const pairs: readonly (readonly [LegInstruction, LegInstruction])[] = [
        [fill, { ...fill, orderId: freshOrder() }],
        [refund, { ...refund, useKey: alike(adapter, refund.useKey, fundingKey) }],
      ];
      for (const [paid, owed] of pairs) {
        await lane.land(await lane.sign(paid));
        await until(harness, `adapter: paidBy to find the ${paid.kind}`, async () => {
          return (await adapter.paidBy(paid, since)) !== undefined;
        });
        const reported = await adapter.paidBy(owed, since);
        assert.ok(
          reported === undefined || reported.doubtful === true,
          `adapter: paidBy takes a ${paid.kind} for another one of the same recipient: ${jsonOf(reported)}; read LegPaid.doubtful`,
        );
      }
    },
  },
  {
    name: 'takes no payment of a third party for the fill of the order that it names',
    guarantees: ['G1', 'G3', 'G15'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter } = lane;
      const currency = firstCurrency(harness);
      const since = (await harness.head()).timestamp;
      const orderId = freshOrder();
      const amount = amountOf(harness, currency, 3);
      const deadline = await deadlineIn(harness, 30);
      await stage.deposit(adapter, { currency, amount, orderId });
      await harness.include();
      if (harness.lacks.strays === undefined) {
        await able(harness.payStrays, 'strays').call(harness, harness.user(2), orderId);
        await harness.include();
      }
      const leg = await lane.fillLeg({ currency, amount, orderId, deadline });
      for (const one of [leg, { ...leg, recipient: adapter.facts.depository }]) {
        const reported = await adapter.paidBy(one, since);
        assert.ok(
          reported === undefined || reported.doubtful === true,
          `adapter: paidBy takes a payment of a stranger for a fill of the solver: ${jsonOf(reported)}; read ChainPayouts.paidBy`,
        );
      }
      if (!adapter.facts.guarantees.fillDeadline) return;
      await harness.advanceTo((deadline + 2) * 1000);
      await harness.finalize();
      await until(harness, 'adapter: unfilledForGood to see that no one filled the order', () =>
        adapter.unfilledForGood(orderId, deadline, since),
      );
    },
  },
  {
    name: 'reads no order from a name that is not whole',
    read: 'DepositObservation',
    guarantees: ['G2', 'G3'],
    needs: ['garbledNames'],
    async run(stage) {
      const { harness } = stage;
      const watch = await stage.watch(await stage.adapter());
      const currency = firstCurrency(harness);
      const [payer, orderId] = [harness.user(2), freshOrder()];
      const wish = { currency, amount: amountOf(harness, currency, 3), orderId };
      const paid = await able(harness.payGarbled, 'garbledNames').call(harness, payer, wish);
      assert.ok(paid.length > 0, 'harness: payGarbled knows of one; read ChainHarness');
      await harness.include();
      const seen = () => watch.present().filter(({ amount }) => amount === wish.amount);
      await watch.until(
        'adapter: the payments to be reported as deposits without an order',
        () => seen().length >= paid.length,
      );
      assert.deepEqual(
        watch.present().filter((one) => one.orderId !== null),
        [],
        'adapter: watchDeposits makes up the name of an order; read DepositObservation.orderId',
      );
    },
  },
  {
    name: 'reads an order from its name in each way that people write it',
    read: 'DepositObservation',
    guarantees: ['G2', 'G3'],
    needs: ['writtenNames'],
    async run(stage) {
      const { harness } = stage;
      const watch = await stage.watch(await stage.adapter());
      for (const currency of harness.currencies) {
        const [payer, orderId] = [harness.user(2), freshOrder()];
        const wish = { currency, amount: amountOf(harness, currency, 3), orderId };
        const paid = await able(harness.payWritten, 'writtenNames').call(harness, payer, wish);
        assert.ok(paid.length > 0, 'harness: payWritten knows of one; read ChainHarness');
        await harness.include();
        const seen = () => watch.present().filter((one) => one.currency === currency && one.amount === wish.amount);
        await watch.until('adapter: the payments to be reported as deposits', () => seen().length >= paid.length);
        assert.deepEqual(
          seen().map((one) => one.orderId),
          paid.map(() => watch.carried(orderId)),
          'adapter: watchDeposits misses an order that is named; read DepositObservation.orderId',
        );
      }
    },
  },
]);
