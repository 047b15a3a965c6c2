import assert from 'node:assert/strict';
import type { CostEstimate, DestinationCalls } from '../../../contract/chain-adapter.js';
import type { FillLeg } from '../../../contract/legs.js';
import { chainCases } from '../chain-case.js';
import type { ChainHarness } from '../chain-harness.js';
import { able, amountOf, firstCurrency, freshRecipient } from '../chain-tools.js';
import { assertDone, jsonOf, type Lane } from '../lane.js';

function callsOf({ adapter }: Lane): DestinationCalls {
  const { destinationCalls } = adapter.capabilities;
  assert.ok(destinationCalls !== undefined, 'calls are encoded where they are made');
  return destinationCalls;
}

function coinOf(harness: ChainHarness, { adapter }: Lane): string {
  const coin = adapter.facts.currency.address;
  assert.equal(firstCurrency(harness), coin, 'the native coin comes first');
  return coin;
}

/** Cost that a quote charges for a fill; undefined where it is refused. */
async function charged({ adapter }: Lane, leg: FillLeg): Promise<CostEstimate | undefined> {
  const { currency, amount, recipient, calls = [] } = leg;
  const cost = await adapter.fillCost?.({ currency, amount, recipient, calls });
  assert.ok(cost !== undefined, 'fills with calls are tried before they are promised');
  if (!('ok' in cost)) return cost;
  assert.equal(cost.kind, 'refused', 'the refusal is not the fault of the solver');
  return undefined;
}

export const callCases = chainCases('calls', 'DestinationCalls', [
  {
    name: 'names a call by all that it does, always in the same way',
    guarantees: ['G2'],
    needs: ['destinationCalls'],
    async run(stage) {
      const lane = await stage.lane();
      const { encode } = callsOf(lane);
      const [to, other] = [freshRecipient(stage.harness), freshRecipient(stage.harness)];
      const call = { to, value: 1n, data: '0x01' } as const;
      assert.equal(encode(call), encode({ ...call }));
      const names = [call, { ...call, to: other }, { ...call, value: 2n }, { ...call, data: '0x0100' as const }];
      assert.equal(new Set(names.map(encode)).size, names.length);
    },
  },
  {
    name: 'makes the calls of a fill in one transaction with it, and the recipient gets what they leave',
    guarantees: ['G1', 'G2'],
    needs: ['destinationCalls'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = coinOf(harness, lane);
      const [first, second] = [freshRecipient(harness), freshRecipient(harness)];
      const [some, more, amount] = [
        amountOf(harness, currency, 2),
        amountOf(harness, currency, 3),
        amountOf(harness, currency, 10),
      ];
      const calls = [
        { to: first, value: some, data: '0x' },
        { to: second, value: more, data: '0x' },
      ] as const;
      const leg = { ...(await lane.fillLeg({ currency, amount })), calls: calls.map(callsOf(lane).encode) };
      const cost = await charged(lane, leg);
      assert.ok(cost !== undefined, 'it is quoted');
      const attempt = await lane.sign({ ...leg, ...(cost.work === undefined ? {} : { work: cost.work }) });
      const before = await harness.balance(lane.signer, currency);
      const evidence = await lane.land(attempt);
      assertDone(evidence, attempt.legs);
      const got = await Promise.all([first, second, leg.recipient].map((who) => harness.balance(who, currency)));
      assert.deepEqual(got, [some, more, amount - some - more]);
      assert.equal(before - (await harness.balance(lane.signer, currency)), amount + evidence.fee);
      assert.ok(evidence.fee <= (cost.most ?? cost.native), `it cost ${evidence.fee}, and was said to ${jsonOf(cost)}`);
    },
  },
  {
    name: 'promises and sends no calls that spend more than they are given',
    guarantees: ['G2', 'G7'],
    needs: ['destinationCalls'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = coinOf(harness, lane);
      const amount = amountOf(harness, currency, 10);
      const call = { to: freshRecipient(harness), value: amount + 1n, data: '0x' } as const;
      const leg = { ...(await lane.fillLeg({ currency, amount })), calls: [callsOf(lane).encode(call)] };
      assert.equal(await charged(lane, leg), undefined);
      const check = await lane.check(leg);
      assert.ok(!check.ok && check.kind === 'refused', jsonOf(check));
    },
  },
  {
    name: 'spends no more on what is called than it charged for, whatever that does',
    guarantees: ['G7', 'G12'],
    needs: ['destinationCalls', 'recipientCode'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const liar of await able(harness.liars, 'recipientCode').call(harness)) {
        const { how } = liar;
        const currency = coinOf(harness, lane);
        const amount = amountOf(harness, currency, 10);
        const call = { to: liar.address, value: amountOf(harness, currency, 1), data: '0x' } as const;
        const wish = { ...(await lane.fillLeg({ currency, amount })), calls: [callsOf(lane).encode(call)] };
        const cost = await charged(lane, wish);
        if (cost === undefined) continue;
        const usual = lane.adapter.legCost('fill', currency)?.native;
        const leg = { ...wish, ...(cost.work === undefined ? {} : { work: cost.work }) };
        const check = await lane.check(leg);
        if (!check.ok) {
          assert.equal(check.kind, 'refused', `${how}: ${check.reason}, ${check.message}`);
          continue;
        }
        assert.equal(lane.adapter.legCost('fill', currency)?.native, usual, `${how}: other fills cost what they did`);
        const attempt = await lane.signPlanned([{ leg, plan: check.plan }]);
        assert.ok(attempt.prepared.maxFee <= (cost.most ?? cost.native), `${how}: ${jsonOf(cost)}`);
        await liar.turn();
        const held = await harness.balance(lane.signer, currency);
        const { outcome } = await lane.adapter.send(attempt.transaction);
        await harness.include();
        if (outcome !== 'accepted' && outcome !== 'known') continue;
        const evidence = await lane.spent(attempt);
        const moved = evidence.ok ? amount : 0n;
        assert.equal(
          held - (await harness.balance(lane.signer, currency)),
          evidence.fee + moved,
          `${how}: ${jsonOf(evidence)}`,
        );
        assert.equal(evidence.effects[0]?.done, evidence.ok, how);
        assert.equal((await harness.balance(leg.recipient, currency)) > 0n, evidence.ok, how);
      }
    },
  },
]);
