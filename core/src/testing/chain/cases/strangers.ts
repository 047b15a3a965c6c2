import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import type { DepositObservation } from '../../../contract/deposits.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { able, amountOf, firstCurrency, freshOrder, until } from '../chain-tools.js';
import { jsonOf } from '../lane.js';
import type { Watch } from '../watch.js';

/** Touches of each kind: more than a page of most nodes, few enough for a real one. */
const TOUCHES = 60;
/** Provider calls that one touch may cost a reader. */
const CALLS_EACH = 5;
const EXTRA_CALLS = 500;

type Transfer = Pick<DepositObservation, 'transactionHash' | 'depositor'>;

/** An observed deposit of an order, in a later block than everything before. */
async function depositAfter(stage: ChainStage, adapter: ChainAdapter, watch: Watch): Promise<DepositObservation> {
  const { harness } = stage;
  const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
  await stage.deposit(adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
  await harness.include();
  return await watch.deposit(orderId);
}

async function proven(
  { harness }: ChainStage,
  ask: ((transfer: Transfer) => Promise<boolean>) | undefined,
  transfer: Transfer,
): Promise<boolean | undefined> {
  if (ask === undefined) return undefined;
  let reported: boolean | undefined;
  await until(harness, 'the chain to report it', async () => {
    reported = await ask(transfer).catch(() => undefined);
    return reported !== undefined;
  });
  return reported;
}

async function proofs(stage: ChainStage, adapter: ChainAdapter, transfer: Transfer) {
  const alone = await proven(stage, adapter.paidAlone?.bind(adapter), transfer);
  const own = await proven(stage, adapter.isDepositorsMoney?.bind(adapter), transfer);
  return [alone, own].filter((reported) => reported !== undefined);
}

export const strangerCases = chainCases('strangers', 'ChainDeposits.watchDeposits', [
  {
    name: 'takes what is paid past the depository for no deposit of an order, and goes on',
    guarantees: ['G2', 'G12'],
    needs: ['strays'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const orderId = freshOrder();
      const paid = await able(harness.payStrays, 'strays').call(harness, harness.user(2), orderId);
      assert.ok(paid.length > 0, 'the harness knows of one');
      await harness.include();
      const real = await depositAfter(stage, adapter, watch);
      const counted = () =>
        watch.all().filter((one) => !one.stray && one.orderId !== null && one.fundingKey !== real.fundingKey);
      await watch.caughtUp();
      assert.deepEqual(counted(), [], 'nothing that funds');
      await harness.finalize();
      await watch.caughtUp();
      assert.deepEqual(counted(), [], 'nor when it is final');
      assert.equal(real.stray, undefined, 'the real one does');
    },
  },
  {
    name: 'reports no transfer of a currency that is not configured, and goes on',
    guarantees: ['G2', 'G12'],
    needs: ['foreignCurrencies'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [orderId, payer] = [freshOrder(), harness.user(1)];
      const paid = await able(harness.payForeign, 'foreignCurrencies').call(harness, payer, 1_234_567n, orderId);
      assert.equal(adapter.currency(paid.currency), undefined);
      await harness.include();
      const real = await depositAfter(stage, adapter, watch);
      await harness.finalize();
      await watch.caughtUp();
      assert.deepEqual(
        watch.all().map(({ fundingKey }) => fundingKey),
        [real.fundingKey],
      );
    },
  },
  {
    name: 'finds a deposit and what was sent among many touches, in calls that they bound',
    guarantees: ['G2', 'G13', 'G15'],
    async run(stage) {
      const { harness } = stage;
      await harness.include();
      await harness.finalize();
      const first = await stage.open();
      const watch = await stage.watch(first.adapter);
      await watch.caughtUp();
      const { newest } = watch;
      await watch.stop();
      const lane = await stage.lane(first.adapter);
      const { signer, position } = lane;
      const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
      const amount = amountOf(harness, currency, 3);
      await harness.touch(TOUCHES);
      const ours = await lane.fill();
      await stage.deposit(first.adapter, { currency, amount, orderId });
      await harness.include();
      await harness.touch(TOUCHES);
      await first.stop();

      const later = await stage.adapter();
      const before = harness.requests();
      const again = await stage.watch(later, newest);
      assert.equal((await again.deposit(orderId)).amount, amount);
      await again.caughtUp();
      assert.equal(again.of(orderId).length, 1, 'once');
      const { keys } = later;
      const start = await keys.lanePosition(signer);
      if (keys.by === 'history') {
        const { sent } = await keys.sentSince(signer, position, start);
        const hashes = sent.map(({ hash }) => hash);
        assert.deepEqual(hashes, [ours.transaction.hash], 'only its own sends are of a signer');
      } else {
        assert.equal(keys.positionAhead(start, lane.position), false, 'touches use no key of its own');
      }
      const asked = harness.requests() - before;
      const most = EXTRA_CALLS + 4 * TOUCHES * CALLS_EACH;
      assert.ok(asked <= most, `${asked} calls to providers, of at most ${most}`);
    },
  },
  {
    name: 'proves a transfer to be of its payer, and of no one else',
    read: 'ChainDeposits.paidAlone',
    guarantees: ['G3', 'G7'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      for (const currency of harness.currencies) {
        const [orderId, depositor] = [freshOrder(), harness.user(1)];
        await stage.deposit(adapter, { payer: depositor, currency, amount: amountOf(harness, currency, 3), orderId });
        await harness.include();
        const { transactionHash } = await watch.deposit(orderId);
        for (const reported of await proofs(stage, adapter, { transactionHash, depositor }))
          assert.equal(reported, true);
        for (const other of [harness.user(2), adapter.facts.depository, adapter.lanes[0]?.signer ?? '']) {
          const reported = await proofs(stage, adapter, { transactionHash, depositor: other });
          assert.ok(!reported.includes(true), `proven to be of ${other}: ${jsonOf(reported)}`);
        }
      }
      const lane = await stage.lane(adapter);
      const { transaction, signer } = await lane.sign(await lane.fillLeg());
      const nowhere = { transactionHash: transaction.hash, depositor: signer };
      for (const ask of [adapter.paidAlone?.bind(adapter), adapter.isDepositorsMoney?.bind(adapter)]) {
        const reported = await ask?.(nowhere).catch(() => undefined);
        assert.notEqual(
          reported,
          true,
          'adapter: what no block has is proven; read ChainDeposits.paidAlone and isDepositorsMoney',
        );
      }
    },
  },
  {
    name: 'proves nothing of a depositor whom a transfer only names',
    read: 'ChainDeposits.paidAlone',
    guarantees: ['G3', 'G7'],
    needs: ['namedDepositors'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const watch = await stage.watch(adapter);
      const [payer, depositor, orderId] = [harness.user(1), harness.user(2), freshOrder()];
      const amount = amountOf(harness, firstCurrency(harness), 3);
      await able(harness.payNaming, 'namedDepositors').call(harness, payer, depositor, amount, orderId);
      await harness.include();
      const seen = await watch.deposit(orderId);
      assert.deepEqual([seen.depositor, seen.amount], [depositor, amount], 'it is reported as named');
      const reported = await proofs(stage, adapter, seen);
      assert.ok(!reported.includes(true), jsonOf(reported));
    },
  },
  {
    name: 'accepts a signature of a text only from the account that signed it',
    read: 'ChainCapabilities',
    guarantees: ['G3'],
    needs: ['signedTexts'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const { verifyMessage } = adapter.capabilities;
      assert.ok(verifyMessage !== undefined, 'texts are verified');
      const [one, two, text] = [harness.user(1), harness.user(2), `Pay back ${freshOrder()}.\n\nTo: another account`];
      const sign = able(harness.signText, 'signedTexts').bind(harness);
      const [signature, others] = [await sign(one, text), await sign(two, text)];
      assert.equal(verifyMessage(one, text, signature), true);
      assert.equal(verifyMessage(two, text, others), true);
      const lies = [
        [two, text, signature],
        [one, text, others],
        [one, `${text}.`, signature],
        [one, text.trimStart().slice(1), signature],
        [one, text, ''],
        [one, text, signature.slice(0, -4)],
        [one, text, `${signature}${signature}`],
        [adapter.facts.depository, text, signature],
        ['', text, signature],
      ] as const;
      for (const [address, said, by] of lies)
        assert.equal(verifyMessage(address, said, by), false, jsonOf([address, said, by]));
    },
  },
]);
