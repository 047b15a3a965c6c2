import assert from 'node:assert/strict';
import type { Permits } from '../../../contract/permits.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { PermitPayer } from '../chain-harness.js';
import { able, deadlineIn, freshOrder } from '../chain-tools.js';
import { jsonOf, type Lane } from '../lane.js';
import { callLeg } from './raw-calls.js';

const ASKER = { party: 'kit', signal: new AbortController().signal };

interface Scene {
  readonly lane: Lane;
  readonly permits: Permits;
  readonly payer: PermitPayer;
  readonly work: bigint;
}

async function sceneOf(stage: ChainStage): Promise<Scene> {
  const { harness } = stage;
  const lane = await stage.lane();
  const { permits } = lane.adapter.capabilities;
  assert.ok(permits !== undefined, 'permits are served');
  const payer = await able(harness.permitPayer, 'permits').call(harness);
  const cost = permits.cost(payer.currency);
  assert.ok(cost !== undefined && cost.work > 0n, 'a deposit by permit has a price');
  return { lane, permits, payer, work: cost.work };
}

async function offered(stage: ChainStage, { permits, payer: { address, currency } }: Scene, amount: bigint) {
  const orderId = freshOrder();
  const wish = { payer: address, currency, amount, orderId, deadline: await deadlineIn(stage.harness, 600) };
  const offer = await permits.offer(wish, ASKER);
  assert.ok(offer.is === 'offered', jsonOf(offer));
  return { ...offer, orderId };
}

export const permitCases = chainCases('permits', 'Permits', [
  {
    name: 'deposits what a payer signed, under its order and in its name, once',
    guarantees: ['G2', 'G3'],
    needs: ['permits'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { lane, permits, payer, work } = scene;
      const offer = await offered(stage, scene, payer.holds / 2n);
      const signature = await payer.sign(offer.sign);
      const trial = await permits.judge(offer.terms, signature, work, ASKER);
      assert.ok(trial.is === 'done', jsonOf(trial));
      const watch = await stage.watch(lane.adapter);
      await lane.land(await lane.sign(callLeg(lane, { ...trial.call, authorizations: [] }, work)));
      const seen = await watch.deposit(offer.orderId);
      const { address: depositor, currency } = payer;
      assert.deepEqual(
        [seen.depositor, seen.currency, seen.amount],
        [depositor, currency, payer.holds / 2n],
        'what it says of the deposit',
      );
      const again = await permits.judge(offer.terms, signature, work, ASKER);
      assert.equal(again.is, 'refused', `used again, it is ${jsonOf(again)}`);
    },
  },
  {
    name: 'takes a signature for its own terms alone, and not for more than its payer holds',
    guarantees: ['G3', 'G10'],
    needs: ['permits'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { permits, payer, work } = scene;
      const [some, other] = [
        await offered(stage, scene, payer.holds / 4n),
        await offered(stage, scene, payer.holds / 4n),
      ];
      const beyond = await offered(stage, scene, payer.holds + 1n);
      const signature = await payer.sign(some.sign);
      const wrong = [
        ['of another order', other.terms, signature],
        ['of no one', some.terms, `0x${'00'.repeat(65)}`],
        ['of more than is held', beyond.terms, await payer.sign(beyond.sign)],
      ] as const;
      for (const [what, terms, signed] of wrong) {
        const trial = await permits.judge(terms, signed, work, ASKER);
        assert.equal(trial.is, 'refused', `a permit ${what} is ${jsonOf(trial)}`);
      }
      const trial = await permits.judge(some.terms, signature, work, ASKER);
      assert.equal(trial.is, 'done', jsonOf(trial));
    },
  },
]);
