import assert from 'node:assert/strict';
import type { CostEstimate } from '../../../contract/chain-adapter.js';
import type { FillLeg } from '../../../contract/legs.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { TurningRecipient } from '../chain-harness.js';
import { able, amountOf } from '../chain-tools.js';
import { type Attempt, assertDone, jsonOf, type Lane, type Spent } from '../lane.js';

/**
 * Sends a fill whatever its recipient is now. Either the recipient is paid and the evidence says so, or the lane
 * loses only its fee and the evidence names no payment. Undefined where no node accepted it.
 */
async function play({ harness }: ChainStage, lane: Lane, attempt: Attempt, how: string): Promise<Spent | undefined> {
  const [leg] = attempt.legs;
  assert.ok(leg !== undefined);
  const { recipient, currency, amount } = leg;
  const held = async (owner: string): Promise<bigint> => await harness.balance(owner, currency);
  const [lanes, theirs] = [await held(lane.signer), await held(recipient)];
  const { outcome } = await lane.adapter.send(attempt.transaction);
  await harness.include();
  if (outcome !== 'accepted' && outcome !== 'known') {
    assert.equal(await held(recipient), theirs, `${how}: no one took it, and it paid`);
    return undefined;
  }
  const evidence = await lane.spent(attempt);
  const reported = `${how}: ${jsonOf(evidence)}`;
  const isPaid = (await held(recipient)) === theirs + amount;
  const [effect, ...others] = evidence.effects;
  assert.ok(effect !== undefined && others.length === 0, reported);
  assert.deepEqual([effect.legId, effect.done, effect.moved], [leg.legId, isPaid, isPaid ? amount : 0n], reported);
  if (!isPaid) assert.equal(await held(recipient), theirs, reported);
  // A leg that landed without effect needs an operator, unless its value provably returned.
  if (evidence.ok && !isPaid) assert.equal(effect.returned, true, reported);
  if (!evidence.ok) assert.ok(evidence.failure !== undefined && evidence.failure.message !== '', reported);
  const fee = lane.adapter.currency(currency)?.isNative === true ? evidence.fee : 0n;
  const lost = lanes - (await held(lane.signer));
  assert.equal(lost, fee + (isPaid ? amount : 0n), `${reported}: what the lane spent`);
  return evidence;
}

function fillTo(lane: Lane, stage: ChainStage, { address, currency }: TurningRecipient): Promise<FillLeg> {
  return lane.fillLeg({ currency, recipient: address, amount: amountOf(stage.harness, currency, 10) });
}

async function charged({ adapter }: Lane, leg: FillLeg): Promise<CostEstimate | undefined> {
  const { currency, amount, recipient } = leg;
  const tried = await adapter.fillCost?.({ currency, amount, recipient });
  const cost = tried ?? adapter.legCost('fill', currency, recipient);
  assert.ok(cost !== undefined, 'a fill has a cost');
  if (!('ok' in cost)) return cost;
  assert.equal(cost.kind, 'refused', 'the refusal is not the fault of the solver');
  return undefined;
}

export const recipientCases = chainCases('recipients', 'ChainPayouts.check', [
  {
    name: 'pays the recipient that a fill names or no one, where that recipient turns before it lands',
    guarantees: ['G1', 'G7'],
    needs: ['turningRecipients'],
    async run(stage) {
      const lane = await stage.lane();
      for (const recipient of await able(stage.harness.turning, 'turningRecipients').call(stage.harness)) {
        const { how } = recipient;
        const attempt = await lane.sign(await fillTo(lane, stage, recipient));
        await recipient.turn();
        await play(stage, lane, attempt, how);
        const next = await fillTo(lane, stage, recipient);
        const check = await lane.check(next);
        if (!check.ok) continue;
        const evidence = await play(
          stage,
          lane,
          await lane.signPlanned([{ leg: next, plan: check.plan }]),
          `${how}, checked`,
        );
        assert.equal(
          evidence?.effects[0]?.done,
          true,
          `adapter: check passes a fill to a recipient who turned, and it pays no one (${how}); read ChainPayouts.check`,
        );
      }
    },
  },
  {
    name: 'keeps a fill done that landed before its recipient turned',
    guarantees: ['G1', 'G7'],
    needs: ['turningRecipients'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      for (const recipient of await able(harness.turning, 'turningRecipients').call(harness)) {
        const attempt = await lane.sign(await fillTo(lane, stage, recipient));
        const before = await lane.land(attempt);
        await recipient.turn();
        await harness.finalize();
        const now = await lane.lookUntil(
          `${recipient.how}: finality`,
          [attempt],
          (seen) => seen.state === 'spent' && seen.final,
        );
        assert.deepEqual({ ...now, final: before.final }, before, recipient.how);
        assertDone(now as Spent, attempt.legs);
      }
    },
  },
  {
    name: 'spends no more on a recipient than it charged for, whatever that does when it is paid',
    guarantees: ['G7', 'G12'],
    needs: ['recipientCode'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const ends = { paid: 0, failed: 0, refused: 0 };
      for (const recipient of await able(harness.liars, 'recipientCode').call(harness)) {
        const { how } = recipient;
        const wish = await fillTo(lane, stage, recipient);
        const cost = await charged(lane, wish);
        const leg = { ...wish, ...(cost?.work === undefined ? {} : { work: cost.work }) };
        const check = await lane.check(leg);
        if (!check.ok) assert.equal(check.kind, 'refused', `${how}: ${check.reason}, ${check.message}`);
        if (cost === undefined || !check.ok) {
          ends.refused += 1;
          continue;
        }
        const attempt = await lane.signPlanned([{ leg, plan: check.plan }]);
        const { maxFee } = attempt.prepared;
        assert.ok(maxFee <= (cost.most ?? cost.native), `${how}: may cost ${maxFee}, and was said to ${jsonOf(cost)}`);
        await recipient.turn();
        const evidence = await play(stage, lane, attempt, how);
        assert.ok(evidence === undefined || evidence.fee <= maxFee, `${how}: ${jsonOf(evidence)}`);
        ends[evidence?.ok === true ? 'paid' : 'failed'] += 1;
      }
      assert.ok(
        ends.failed > 0 && ends.refused > 0,
        `the harness knows of some that are noticed early, and late: ${jsonOf(ends)}`,
      );
    },
  },
]);
