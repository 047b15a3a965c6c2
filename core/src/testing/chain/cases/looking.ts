import assert from 'node:assert/strict';
import type { PotRef } from '../../../contract/legs.js';
import { chainCases } from '../chain-case.js';
import { able, amountOf, byPosition, firstCurrency, freshRecipient, until } from '../chain-tools.js';
import { type Attempt, jsonOf, viewOf } from '../lane.js';

export const lookingCases = chainCases('looking', 'KeyEvidence', [
  {
    name: 'distinguishes what was never sent from what waits in the pool',
    guarantees: ['G7'],
    needs: ['heldPool', 'poolReported'],
    async run(stage) {
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      assert.deepEqual(await lane.lookOnce(attempt), { state: 'unspent', inPool: false });
      await lane.send(attempt);
      assert.deepEqual(await lane.lookOnce(attempt), { state: 'unspent', inPool: true });
      await stage.harness.include();
      await lane.spent(attempt);
    },
  },
  {
    name: 'names the block, the price and the effects that the chain reports',
    guarantees: ['G1', 'G7'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      const evidence = await lane.land(attempt);
      assert.equal(evidence.hash, attempt.transaction.hash);
      const head = await harness.head();
      assert.ok(evidence.block.height <= head.height && evidence.block.timestamp <= head.timestamp);
      if (evidence.block.height === head.height) assert.deepEqual(evidence.block, head);
      await harness.mine(1);
      const again = await lane.spent(attempt);
      assert.deepEqual(again.block, evidence.block, 'the same block later');
    },
  },
  {
    name: 'names the pot that paid the fee: its balance fell by that, and no other pot fell',
    guarantees: ['G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { facts, lanes } = lane.adapter;
      const native = facts.currency.address;
      const pots: readonly PotRef[] = [
        ...lanes
          .filter(({ pot }) => pot !== 'depository')
          .map(({ signer }): PotRef => ({ pot: 'lane', owner: signer })),
        { pot: 'depository', owner: facts.depository },
      ];
      const holds = async () => {
        const reported: bigint[] = [];
        for (const { pot, owner } of pots)
          reported.push(await (pot === 'lane' ? harness.balance(owner, native) : harness.depositoryBalance(native)));
        return reported;
      };
      for (const currency of harness.currencies) {
        const leg = await lane.fillLeg({ currency });
        const cost = lane.adapter.legCost('fill', currency, leg.recipient);
        const attempt = await lane.sign(leg);
        const before = await holds();
        const { fee, feePaidBy } = await lane.land(attempt);
        assert.ok(fee > 0n, 'a transaction costs something');
        assert.ok(
          cost !== undefined && cost.native >= fee,
          `adapter: legCost answered ${cost?.native}, and the fill cost ${fee}; read CostEstimate`,
        );
        const after = await holds();
        const payer = pots.findIndex(({ pot, owner }) => pot === feePaidBy.pot && owner === feePaidBy.owner);
        assert.ok(payer >= 0, `paid by no account of the solver: ${jsonOf(feePaidBy)}`);
        const fell = pots.map(({ owner }, n) => {
          const paidOut = currency === native && owner === lane.signer ? leg.amount : 0n;
          return (before[n] ?? 0n) - (after[n] ?? 0n) - paidOut;
        });
        assert.deepEqual(
          fell,
          pots.map((_, n) => (n === payer ? fee : 0n)),
          `paid by ${jsonOf(feePaidBy)}`,
        );
      }
    },
  },
  {
    name: 'believes only what the transaction did, not what the ledger says it should',
    guarantees: ['G1', 'G7'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const attempt = await lane.sign(leg);
      await lane.land(attempt);
      const lies = [
        { ...leg, recipient: freshRecipient(harness) },
        { ...leg, amount: leg.amount * 2n },
        ...harness.currencies.filter((other) => other !== leg.currency).map((currency) => ({ ...leg, currency })),
      ];
      for (const lie of lies) {
        const [evidence] = await lane.adapter.look([viewOf({ ...attempt, legs: [lie] })]);
        assert.ok(evidence?.state === 'spent' && evidence.ok, jsonOf(evidence));
        assert.deepEqual(
          evidence.effects.map(({ done }) => done),
          [false],
          `adapter: look believes ${jsonOf(lie)}; read LegEffect`,
        );
      }
    },
  },
  {
    name: 'reports a transaction that was included and failed, with its cause',
    guarantees: ['G7'],
    needs: ['reverts', 'fillOnce'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const planned = await lane.plan(await lane.fillLeg());
      const attempts = [await lane.signPlanned([planned]), await lane.signPlanned([planned])];
      for (const attempt of attempts) await lane.send(attempt);
      const before = await harness.balance(lane.signer, lane.adapter.facts.currency.address);
      await harness.include();
      const seen = [];
      for (const attempt of attempts) seen.push(await lane.spent(attempt));
      const failed = seen.filter(({ ok }) => !ok);
      assert.equal(failed.length, 1, jsonOf(seen));
      const [evidence] = failed;
      assert.ok(evidence?.failure !== undefined, 'a failure has a cause');
      assert.ok(evidence.failure.message !== '' && evidence.failure.call.from === lane.signer, jsonOf(evidence));
      assert.deepEqual(evidence.effects, [{ legId: planned.leg.legId, done: false, moved: 0n }]);
      const fees = seen.reduce((sum, { fee }) => sum + fee, 0n);
      const native = lane.adapter.facts.currency.address;
      const spent = before - (await harness.balance(lane.signer, native));
      const moved = planned.leg.currency === native ? planned.leg.amount : 0n;
      assert.equal(spent, fees + moved, 'failing costs its fee');
    },
  },
  {
    name: 'reports a fill that failed in its block for lack of funds, and the one before it that did not',
    guarantees: ['G1', 'G7'],
    needs: ['reverts', 'pipeline'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      // Each is payable alone, together they exceed the balance. Both are signed before the chain knows of either.
      const currency = harness.currencies.at(-1) ?? firstCurrency(harness);
      const held = await harness.balance(lane.signer, currency);
      const since = (await harness.head()).timestamp;
      const planned = [];
      for (let n = 0; n < 2; n += 1)
        planned.push(await lane.plan(await lane.fillLeg({ currency, amount: (held / 10n) * 6n })));
      const attempts = [];
      for (const one of planned) attempts.push(await lane.signPlanned([one]));
      for (const attempt of attempts) await lane.adapter.send(attempt.transaction);
      await harness.include();
      const reported = [];
      const { keys } = lane.adapter;
      for (const attempt of attempts) {
        const evidence = await lane.spent(attempt);
        const [effect] = evidence.effects;
        const [leg] = attempt.legs;
        assert.ok(effect !== undefined && leg !== undefined, 'adapter: look reports each leg');
        const arrived = await harness.balance(leg.recipient, currency);
        assert.deepEqual(
          [effect.done, effect.moved],
          [arrived > 0n, arrived],
          `adapter: look reports what the chain has: ${jsonOf(evidence)}`,
        );
        assert.equal(evidence.ok, effect.done, 'adapter: look reports the transaction like its only leg');
        if (!evidence.ok) assert.notEqual(evidence.failure?.message ?? '', '', 'adapter: a failure has a cause');
        const entry = await lane.adapter.describeTransaction(attempt.transaction.hash);
        assert.equal(
          entry?.status,
          evidence.ok ? 'success' : 'failure',
          'adapter: describeTransaction reports the same',
        );
        const paid = await lane.adapter.paidBy(leg, since);
        assert.equal(paid !== undefined, effect.done, 'adapter: paidBy reports the same; read LegPaid');
        if (keys.by === 'position' && leg.kind === 'fill')
          assert.deepEqual(
            (await keys.spenderOf(attempt.prepared.key, attempt.signer))?.filled,
            effect.done ? [leg.orderId] : [],
            'adapter: spenderOf reports the same; read KeySpender.filled',
          );
        reported.push(effect.done);
      }
      assert.deepEqual(
        reported.sort(),
        [false, true],
        'harness: a lane can sign more than it holds, and one of the two fails',
      );
    },
  },
  {
    name: 'proves that another transaction took a key, permanently only at finality',
    guarantees: ['G1', 'G3', 'G7'],
    needs: ['sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const [ours, foreign] = [await stage.lane(), await stage.lane()];
      const attempt = await ours.sign(await ours.fillLeg());
      const theirs = await foreign.sign(await foreign.fillLeg());
      assert.equal(theirs.prepared.key, attempt.prepared.key);
      const evidence = await foreign.land(theirs);
      const early = await ours.lookUntil('the other one', [attempt], ({ state }) => state === 'spentByOther');
      assert.ok(early.state === 'spentByOther');
      if (early.final) assert.ok((await harness.finalized()).height >= evidence.block.height, 'final too early');
      await harness.finalize();
      await ours.lookUntil('finality', [attempt], (now) => now.state === 'spentByOther' && now.final);
    },
  },
  {
    name: 'reports what spent a key that the ledger knows nothing about, by the order that it filled',
    read: 'KeysByPosition.spenderOf',
    guarantees: ['G1', 'G15'],
    needs: ['sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const attempt = await lane.sign(leg);
      const { key } = attempt.prepared;
      const reader = byPosition(await stage.adapter());
      assert.equal(await reader.spenderOf(key, lane.signer), undefined, 'not spent yet');
      const evidence = await lane.land(attempt);
      await until(harness, 'the spender', async () => (await reader.spenderOf(key, lane.signer)) !== undefined);
      const early = await reader.spenderOf(key, lane.signer);
      assert.deepEqual([early?.hash, early?.filled], [attempt.transaction.hash, [leg.orderId]]);
      if (early?.final === true) assert.ok((await harness.finalized()).height >= evidence.block.height, 'too early');
      await harness.finalize();
      await until(harness, 'finality', async () => (await reader.spenderOf(key, lane.signer))?.final === true);
    },
  },
  {
    name: 'takes an inclusion back when a reorg does',
    guarantees: ['G1', 'G7', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const leg = await lane.fillLeg();
      const attempt = await lane.sign(leg);
      await lane.land(attempt);
      await able(harness.reorg, 'reorgs').call(harness, { depth: 1, transactions: 'gone' });
      await lane.lookUntil('the loss', [attempt], ({ state }) => state === 'unspent');
      assert.equal(await harness.balance(leg.recipient, leg.currency), 0n);
      assert.deepEqual(await lane.adapter.send(attempt.transaction), { outcome: 'accepted' }, 'the same bytes again');
      await harness.include();
      await lane.spent(attempt);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'names the new block of a transaction that a reorg moved',
    guarantees: ['G1', 'G8'],
    needs: ['reorgs'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      const before = await lane.land(attempt);
      await able(harness.reorg, 'reorgs').call(harness, { depth: 1, transactions: 'later' });
      const now = await lane.lookUntil(
        'the new block',
        [attempt],
        (seen) => seen.state === 'spent' && seen.block.id !== before.block.id,
      );
      assert.ok(now.state === 'spent' && now.ok);
      assert.deepEqual(now.effects, before.effects);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount);
    },
  },
  {
    name: 'concludes nothing while no provider answers, and never throws',
    guarantees: ['G7', 'G13'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const [landed, waiting] = [await lane.fill(), await lane.sign(await lane.fillLeg())];
      const views = [viewOf(landed), viewOf(waiting)];
      harness.silence(true);
      const silent = await lane.adapter.look(views);
      assert.deepEqual(
        silent.map(({ state }) => state),
        ['unknown', 'unknown'],
      );
      harness.silence(false);
      await until(harness, 'the chain to be healthy again', () => lane.adapter.status().healthy);
      await lane.spent(landed);
    },
  },
  {
    name: 'answers for each of many keys, in the order asked',
    read: 'ChainPayouts.look',
    guarantees: ['G1', 'G7'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const attempts: Attempt[] = [];
      for (let n = 0; n < 3; n += 1)
        attempts.push(await lane.fill({ currency, amount: amountOf(harness, currency, n + 1) }));
      attempts.push(await lane.sign(await lane.fillLeg()));
      const order = [3, 1, 0, 2].flatMap((at) => attempts[at] ?? []);
      const answers = await lane.adapter.look(order.map((attempt) => viewOf(attempt)));
      const reported = answers.map((answer) => (answer.state === 'spent' ? answer.hash : answer.state));
      assert.deepEqual(reported, ['unspent', ...order.slice(1).map(({ transaction }) => transaction.hash)]);
      assert.deepEqual(await lane.adapter.look([]), []);
    },
  },
]);
