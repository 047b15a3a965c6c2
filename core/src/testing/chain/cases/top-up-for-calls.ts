import assert from 'node:assert/strict';
import type { FillLeg } from '../../../contract/legs.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { amountOf, freshOrder, freshRecipient, unused } from '../chain-tools.js';
import { assertDone, jsonOf, type Lane } from '../lane.js';

/** A token fill with native coin for its one call, and both as KeyEvidence identifies them: by id alone. */
interface WithTopUp {
  readonly leg: FillLeg & Required<Pick<FillLeg, 'calls' | 'topUp'>>;
  readonly apart: readonly [FillLeg, FillLeg];
  readonly token: string;
  readonly native: string;
  readonly called: string;
  readonly value: bigint;
}

/** @param spent tenths of the coin that the call spends. */
async function withTopUp({ harness }: ChainStage, lane: Lane, spent = 3): Promise<WithTopUp> {
  const native = lane.adapter.facts.currency.address;
  const token = harness.currencies.find((currency) => currency !== native);
  assert.ok(token !== undefined, 'coin goes with a token');
  const { destinationCalls } = lane.adapter.capabilities;
  assert.ok(destinationCalls?.carriesTopUp === true, 'the adapter says so');
  const called = freshRecipient(harness);
  const value = amountOf(harness, native, spent);
  const fill = await lane.fillLeg({ currency: token });
  const topUp = { orderId: freshOrder(), amount: amountOf(harness, native, 10) };
  const extra = { ...fill, legId: `coin-${unused()}`, currency: native, ...topUp };
  const calls = [destinationCalls.encode({ to: called, value, data: '0x' })];
  return { leg: { ...fill, calls, topUp }, apart: [fill, extra], token, native, called, value };
}

async function charged({ adapter }: Lane, { currency, amount, recipient, calls, topUp }: WithTopUp['leg']) {
  return await adapter.fillCost?.({ currency, amount, recipient, calls, topUp: { amount: topUp.amount } });
}

/** The lane's loss (coin without the fee) and what each party received. */
async function balances({ harness }: ChainStage, { signer }: Lane, { leg, token, native, called }: WithTopUp) {
  const of = async (who: string, currency: string): Promise<bigint> => await harness.balance(who, currency);
  return {
    token: await of(signer, token),
    coin: await of(signer, native),
    got: [await of(leg.recipient, token), await of(leg.recipient, native), await of(called, native)],
  };
}

const NEEDS = ['destinationCalls', 'topUpForCalls'] as const;

export const topUpCases = chainCases('calls', 'DestinationCalls', [
  {
    name: 'brings coin for the calls of a fill in a token in one step, under an id of its own',
    guarantees: ['G1', 'G2'],
    needs: NEEDS,
    async run(stage) {
      const lane = await stage.lane();
      const one = await withTopUp(stage, lane);
      const cost = await charged(lane, one.leg);
      assert.ok(cost !== undefined && !('ok' in cost), `it is quoted: ${jsonOf(cost)}`);
      const signed = await lane.sign({ ...one.leg, ...(cost.work === undefined ? {} : { work: cost.work }) });
      // A ledger distinguishes the two legs.
      const attempt = { ...signed, legs: one.apart };
      const before = await balances(stage, lane, one);
      const evidence = await lane.land(attempt);
      const after = await balances(stage, lane, one);
      const { amount, topUp } = one.leg;
      assert.deepEqual(
        after.got,
        [amount, topUp.amount - one.value, one.value],
        'the recipient has what the call left',
      );
      assert.equal(before.token - after.token, amount);
      assert.equal(before.coin - after.coin, topUp.amount + evidence.fee);
      assert.ok(evidence.fee <= (cost.most ?? cost.native), `it cost ${evidence.fee}, and was said to ${jsonOf(cost)}`);
      for (const [leg, moved] of [
        [one.apart[0], amount],
        [one.apart[1], topUp.amount],
      ] as const) {
        const paid = await lane.adapter.paidBy(leg, 0);
        assert.deepEqual(
          [paid?.recipient, paid?.moved],
          [leg.recipient, moved],
          `${leg.legId} is found: ${jsonOf(paid)}`,
        );
      }
    },
  },
  {
    name: 'promises and sends no fill in a token whose calls spend more than the coin that it brings',
    guarantees: ['G2', 'G7'],
    needs: NEEDS,
    async run(stage) {
      const lane = await stage.lane();
      const one = await withTopUp(stage, lane, 11);
      const cost = await charged(lane, one.leg);
      assert.ok(cost !== undefined && 'ok' in cost && cost.kind === 'refused', `it is quoted: ${jsonOf(cost)}`);
      const check = await lane.check(one.leg);
      assert.ok(!check.ok && check.kind === 'refused', jsonOf(check));
    },
  },
  {
    name: 'fills an order and the coin for its calls whole or not at all, where either id was filled before',
    guarantees: ['G1', 'G3', 'G7'],
    needs: [...NEEDS, 'fillOnce', 'reverts'],
    async run(stage) {
      const lane = await stage.lane();
      for (const taken of ['order', 'topUp'] as const) {
        const one = await withTopUp(stage, lane);
        const planned = await lane.plan(one.leg);
        const { orderId } = taken === 'order' ? one.leg : one.leg.topUp;
        await lane.fill({ orderId, currency: one.native, amount: 1n });
        const again = await lane.check(one.leg);
        assert.ok(!again.ok && again.reason === 'ORDER_ALREADY_FILLED', `${taken}: ${jsonOf(again)}`);
        const signed = await lane.signPlanned([planned]);
        const before = await balances(stage, lane, one);
        await lane.send(signed);
        await stage.harness.include();
        const evidence = await lane.spent({ ...signed, legs: one.apart });
        assert.equal(evidence.ok, false, `${taken}: ${jsonOf(evidence)}`);
        const after = await balances(stage, lane, one);
        assert.deepEqual(after.got, before.got, `${taken}: no one got anything`);
        assert.deepEqual([after.token, after.coin], [before.token, before.coin - evidence.fee], `${taken}: the lane`);
        assert.ok(
          evidence.effects.every(({ done, moved }) => !done && moved === 0n),
          `${taken}: ${jsonOf(evidence)}`,
        );
        const free = taken === 'order' ? one.apart[1] : one.apart[0];
        assertDone(await lane.land(await lane.sign(free)), [free]);
      }
    },
  },
]);
