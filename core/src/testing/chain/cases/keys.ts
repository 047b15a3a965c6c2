import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import { able, byHistory, byPosition, firstCurrency, until } from '../chain-tools.js';
import { type Attempt, jsonOf } from '../lane.js';

/** Enough positions that the number of digits changes. */
const PAST_A_DIGIT = 100;

export const keyCases = chainCases('keys', 'LaneKeys', [
  {
    name: 'never gives a key again once it was used',
    guarantees: ['G1'],
    async run(stage) {
      const lane = await stage.lane();
      const keys: string[] = [];
      for (let n = 0; n < 3; n += 1) keys.push((await lane.fill()).prepared.key);
      const fresh = await stage.lane();
      keys.push((await fresh.sign(await fresh.fillLeg())).prepared.key);
      assert.equal(new Set(keys).size, 4, `keys ${jsonOf(keys)}`);
    },
  },
  {
    name: 'gives consecutive transactions keys of their own, in the order of the lane',
    guarantees: ['G1'],
    needs: ['pipeline'],
    async run(stage) {
      const lane = await stage.lane();
      const { keys: reported } = lane.adapter;
      const positions = [lane.position];
      const attempts: Attempt[] = [];
      for (let n = 0; n < 3; n += 1) {
        attempts.push(await lane.sign(await lane.fillLeg()));
        positions.push(lane.position);
      }
      const keys = attempts.map(({ prepared }) => prepared.key);
      assert.equal(new Set(keys).size, 3, `keys ${jsonOf(keys)}`);
      assert.equal(new Set(attempts.map(({ transaction }) => transaction.hash)).size, 3);
      if (reported.by === 'position')
        for (const [n, position] of positions.slice(1).entries())
          assert.equal(reported.positionAhead(positions[n] ?? '', position), false, 'a lane never goes back');
      for (const attempt of attempts) await lane.send(attempt);
      await stage.harness.include();
      for (const attempt of attempts) assert.equal((await lane.spent(attempt)).ok, true);
    },
  },
  {
    name: 'pays of several legs those that it says its transaction carries, and no others',
    guarantees: ['G1', 'G3'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const planned: Awaited<ReturnType<typeof lane.plan>>[] = [];
      for (let n = 0; n < 2; n += 1) planned.push(await lane.plan(await lane.fillLeg({ currency })));
      // An adapter with single-leg transactions may refuse two.
      const attempt = await lane.signPlanned(planned).catch(() => undefined);
      if (attempt === undefined) return;
      const { carries = planned.length } = attempt.prepared;
      const held = async () => {
        const reported = [];
        for (const { leg } of planned) reported.push(await harness.balance(leg.recipient, currency));
        return reported;
      };
      await lane.land({ ...attempt, legs: attempt.legs.slice(0, carries) });
      assert.deepEqual(
        await held(),
        planned.map(({ leg }, n) => (n < carries ? leg.amount : 0n)),
        `adapter: prepare says that it carries ${carries} legs; read Prepared.carries`,
      );
    },
  },
  {
    name: 'lets only one of two transactions with one key take effect',
    guarantees: ['G1', 'G3'],
    needs: ['sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const [one, two] = [await stage.lane(), await stage.lane()];
      assert.equal(one.position, two.position);
      const a = await one.sign(await one.fillLeg());
      const b = await two.sign(await two.fillLeg());
      assert.equal(a.prepared.key, b.prepared.key, 'one position, one key');
      assert.notEqual(a.transaction.hash, b.transaction.hash);
      await one.send(a);
      await two.adapter.send(b.transaction);
      await harness.include();
      await one.adapter.send(b.transaction);
      await harness.mine(2);
      const paid = [];
      for (const { legs } of [a, b])
        for (const { recipient, currency, amount } of legs)
          if ((await harness.balance(recipient, currency)) >= amount) paid.push(recipient);
      assert.equal(paid.length, 1, 'one key, one effect');
      const [winner, loser] = paid[0] === a.legs[0]?.recipient ? [a, b] : [b, a];
      assert.equal((await one.spent(winner)).ok, true);
      const other = await one.lookUntil('the loser', [loser], ({ state }) => state !== 'unknown');
      assert.equal(other.state, 'spentByOther');
    },
  },
  {
    name: 'prepares and signs what was checked without asking a provider',
    guarantees: ['G5', 'G13'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const planned = [await lane.plan(await lane.fillLeg())];
      harness.silence(true);
      const attempt = await lane.signPlanned(planned);
      harness.silence(false);
      await until(harness, 'the chain to be healthy again', () => lane.adapter.status().healthy);
      await lane.land(attempt);
    },
  },
  {
    name: 'signs in another process what one planned',
    guarantees: ['G5'],
    async run(stage) {
      const lane = await stage.lane();
      const other = lane.in(await stage.adapter());
      const planned = await lane.plan(await lane.fillLeg());
      await other.land(await other.signPlanned([planned]));
    },
  },
  {
    name: 'knows a position to be ahead when the signer was used by something else',
    guarantees: ['G15'],
    needs: ['sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const ours = await stage.lane();
      const { position } = ours;
      const keys = byPosition(ours.adapter);
      assert.equal(keys.positionAhead(position, position), false);
      const foreign = await stage.lane();
      await foreign.fill();
      await until(harness, 'the foreign use to show', async () =>
        keys.positionAhead(await keys.lanePosition(ours.signer), position),
      );
      assert.equal(keys.positionAhead(await keys.lanePosition(ours.signer), foreign.position), false);
    },
  },
  {
    name: 'puts the positions of a lane in their order, however they are written',
    guarantees: ['G15'],
    needs: ['sharedKeys', 'pipeline'],
    async run(stage) {
      const lane = await stage.lane();
      const keys = byPosition(lane.adapter);
      const legs = [await lane.plan(await lane.fillLeg())];
      // Nothing is sent: positions come from the ledger. Enough of them that the number of digits changes.
      const positions = [lane.position];
      while (positions.length < PAST_A_DIGIT) {
        const position = positions.at(-1) ?? lane.position;
        const outcome = await lane.adapter.prepare({ lane: { signer: lane.signer, position }, legs });
        if (!outcome.ok) break;
        positions.push(outcome.prepared.nextPosition);
      }
      const [start = '', first = ''] = positions;
      // Without positions before inclusion there is no order to check.
      if (first === '' || !keys.positionAhead(first, start)) return;
      for (const [n, position] of positions.entries()) {
        const before = positions[n - 1];
        if (before === undefined) continue;
        const words = `adapter: "${position}" comes after "${before}"; read KeysByPosition.positionAhead`;
        assert.equal(keys.positionAhead(position, before), true, words);
        assert.equal(keys.positionAhead(before, position), false, words);
        assert.equal(keys.positionAhead(position, start), true, words);
      }
    },
  },
  {
    name: 'counts what waits in a pool where it is asked to, and nowhere else',
    guarantees: ['G15'],
    needs: ['heldPool', 'poolReported', 'sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const start = lane.position;
      const attempt = await lane.sign(await lane.fillLeg());
      await lane.send(attempt);
      const { keys } = await stage.adapter();
      assert.ok(keys.by === 'position', 'adapter: keys that transactions share end by position');
      await until(harness, 'adapter: the pool to be counted', async () =>
        keys.positionAhead(await keys.lanePosition(lane.signer, 'pool'), start),
      );
      assert.equal(await keys.lanePosition(lane.signer), start, 'adapter: what waits took no place yet');
      const final = await keys.lanePosition(lane.signer, 'final');
      assert.equal(keys.positionAhead(final, start), false, 'adapter: nor is what waits final');
      const counted = await keys.lanePosition(lane.signer, 'pool');
      assert.equal(keys.positionAhead(counted, lane.position), false, 'adapter: one that waits is counted once');
      await harness.include();
      await lane.spent(attempt);
      assert.equal(
        keys.positionAhead(await keys.lanePosition(lane.signer), start),
        true,
        'adapter: it has its place now',
      );
    },
  },
  {
    name: 'calls a position final when the chain does, and not before',
    guarantees: ['G15'],
    needs: ['sharedKeys'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter, signer, position } = lane;
      const keys = byPosition(adapter);
      const isFinal = async () => keys.positionAhead(await keys.lanePosition(signer, 'final'), position);
      const evidence = await lane.land(await lane.sign(await lane.fillLeg()));
      const early = await isFinal();
      if ((await harness.finalized()).height < evidence.block.height) assert.equal(early, false, 'too early');
      await harness.finalize();
      await until(harness, 'the position to be final', isFinal);
    },
  },
  {
    name: 'lists the keys between two positions of a lane in their order',
    guarantees: ['G15'],
    needs: ['sharedKeys', 'pipeline'],
    async run(stage) {
      const lane = await stage.lane();
      const { signer, position: from } = lane;
      const { keysBetween } = byPosition(lane.adapter);
      assert.deepEqual(keysBetween(signer, from, from), []);
      const keys: string[] = [];
      for (let n = 0; n < 3; n += 1) keys.push((await lane.sign(await lane.fillLeg())).prepared.key);
      assert.deepEqual(keysBetween(signer, from, lane.position), keys);
    },
  },
  {
    name: 'reports everything that landed of a signer since a position, whatever ran out meanwhile',
    guarantees: ['G15'],
    needs: ['signerHistory', 'keyExpiry'],
    async run(stage) {
      const { harness } = stage;
      await harness.include();
      await harness.finalize();
      const lane = await stage.lane();
      const { sentSince } = byHistory(lane.adapter);
      const before = lane.position;
      const ours = await lane.fill();
      // Signed and never sent: it must not hide a transaction that the ledger does not know.
      await lane.sign(await lane.fillLeg());
      const backup = lane.position;
      const { position: start } = await stage.lane();
      const foreign = await lane.fill();
      await able(harness.expireKeys, 'keyExpiry').call(harness);
      await harness.finalize();
      let reported = await sentSince(lane.signer, before, start);
      await until(harness, 'both to be reported final', async () => {
        reported = await sentSince(lane.signer, before, start);
        return reported.sent.length > 1 && reported.sent.every(({ final }) => final);
      });
      const expected = [ours, foreign].map(({ transaction, legs }) => ({
        hash: transaction.hash,
        final: true,
        filled: legs.flatMap((leg) => (leg.kind === 'fill' ? [leg.orderId] : [])),
      }));
      assert.deepEqual(reported.sent, expected, 'what landed, in the order it did');
      const since = (await sentSince(lane.signer, backup, start)).sent;
      assert.ok(
        since.some(({ hash }) => hash === foreign.transaction.hash),
        'also from a position between the two',
      );
      assert.deepEqual(
        (await sentSince(lane.signer, reported.position, start)).sent,
        [],
        'reported once is not reported again',
      );
    },
  },
  {
    name: 'says that what a signer signed by then may land until it cannot',
    guarantees: ['G15'],
    needs: ['signerHistory', 'keyExpiry'],
    async run(stage) {
      const { harness } = stage;
      await harness.include();
      await harness.finalize();
      const lane = await stage.lane();
      const { sentSince } = byHistory(lane.adapter);
      const lost = await lane.sign(await lane.fillLeg());
      const { position: start } = await stage.lane();
      await harness.finalize();
      assert.equal((await sentSince(lane.signer, start, start)).pending, true, 'it can still land');
      await lane.land(lost);
      assert.deepEqual(
        (await sentSince(lane.signer, start, start)).sent.map(({ hash }) => hash),
        [lost.transaction.hash],
        'where it is found then',
      );
      await able(harness.expireKeys, 'keyExpiry').call(harness);
      await until(harness, 'nothing to be on its way', async () => {
        await harness.mine(1);
        return !(await sentSince(lane.signer, start, start)).pending;
      });
    },
  },
  {
    name: 'gives the key of a transaction that ran out to another, and calls it unspent before',
    guarantees: ['G1', 'G7', 'G15'],
    needs: ['messageExpiry'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const keys = byPosition(lane.adapter);
      const { messageLifeMs = 0 } = lane.adapter.facts;
      assert.ok(messageLifeMs > 0, 'it is said how long a message lives');
      const { position } = lane;
      const leg = await lane.fillLeg();
      const old = await lane.sign(leg);
      await able(harness.expireMessages, 'messageExpiry').call(harness);
      await harness.finalize();
      assert.equal((await lane.lookOnce(old)).state, 'unspent', 'no one took its place');
      assert.equal(keys.positionAhead(await keys.lanePosition(lane.signer), position), false, 'nor does it count');
      assert.equal(await keys.spenderOf(old.prepared.key, lane.signer), undefined);
      const another = await lane.replace(old);
      assert.equal(another.prepared.key, old.prepared.key);
      assert.ok(
        another.prepared.maxFee <= old.prepared.maxFee,
        `adapter: replace outbids what ran out, ${another.prepared.maxFee} after ${old.prepared.maxFee}; read KeysByPosition`,
      );
      const late = await lane.adapter.send(old.transaction);
      assert.ok(late.outcome === 'rejected' || late.outcome === 'ambiguous', jsonOf(late));
      await lane.send(another);
      await harness.include();
      assert.equal((await lane.spent(old, another)).hash, another.transaction.hash);
      const other = await lane.lookUntil('the old one to be over', [old], ({ state }) => state === 'spentByOther');
      assert.equal(other.state, 'spentByOther', 'what ran out can never land now');
      assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount, 'one effect');
    },
  },
  {
    name: 'lets nothing land later than it says that its messages live',
    guarantees: ['G1', 'G15'],
    needs: ['messageExpiry'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { messageLifeMs = 0 } = lane.adapter.facts;
      const leg = await lane.fillLeg();
      const attempt = await lane.sign(leg);
      // Two seconds more: chains count whole seconds.
      await harness.advanceTo((await harness.head()).timestamp + messageLifeMs + 2_000);
      await lane.adapter.send(attempt.transaction);
      await harness.include();
      assert.equal(
        await harness.balance(leg.recipient, leg.currency),
        0n,
        `adapter: what it signed lives longer than ${messageLifeMs} ms; read ChainFacts.messageLifeMs`,
      );
    },
  },
  {
    name: 'proves that a key which ran out can never be used',
    guarantees: ['G1', 'G7'],
    needs: ['keyExpiry'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const attempt = await lane.sign(await lane.fillLeg());
      assert.equal((await lane.lookOnce(attempt)).state, 'unspent', 'it may still land');
      await able(harness.expireKeys, 'keyExpiry').call(harness);
      const dead = await lane.lookUntil('the key to be dead', [attempt], ({ state }) => state === 'spentByOther');
      assert.ok(dead.state === 'spentByOther' && dead.final, 'permanently');
      const outcome = await lane.adapter.send(attempt.transaction);
      assert.ok(outcome.outcome === 'rejected' || outcome.outcome === 'ambiguous', jsonOf(outcome));
      await harness.mine(2);
      const [leg] = attempt.legs;
      assert.ok(leg !== undefined);
      assert.equal(await harness.balance(leg.recipient, leg.currency), 0n);
    },
  },
]);
