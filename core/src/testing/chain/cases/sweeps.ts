import assert from 'node:assert/strict';
import type { AddressRef } from '../../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../../contract/deposits.js';
import type { SweepLeg } from '../../../contract/legs.js';
import { KitBook } from '../book.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { able, amountOf, firstCurrency, until } from '../chain-tools.js';
import { type Attempt, assertDone, jsonOf, type Lane } from '../lane.js';
import type { Watch } from '../watch.js';
import { addressesOf, freshAddress, payTo } from './deposit-addresses.js';

const NEEDS = ['depositAddresses', 'sweeps'] as const;

/** A deposit address and its watch. */
interface Place {
  readonly ref: AddressRef;
  readonly watch: Watch;
}

async function placeOf(stage: ChainStage, lane: Lane): Promise<Place> {
  const ref = freshAddress(lane.adapter);
  return { ref, watch: await stage.watch(lane.adapter, undefined, new KitBook(ref)) };
}

/** Makes one more transfer to an address and waits until it is observed, and final unless `isYoung`. */
async function arrived(
  stage: ChainStage,
  { ref, watch }: Place,
  { currency, units, young = false }: { currency: string; units: number; young?: boolean },
): Promise<DepositObservation> {
  const { harness } = stage;
  const known = new Set(watch.at(ref.address).map(({ fundingKey }) => fundingKey));
  const transfer = { address: ref.address, currency, amount: amountOf(harness, currency, units) };
  await payTo(stage, transfer);
  await harness.include();
  const fresh = () => watch.at(ref.address).filter(({ fundingKey }) => !known.has(fundingKey));
  await watch.until('a transfer to be observed', () => fresh().length > 0);
  if (!young) await harness.finalize();
  const [seen, ...others] = fresh();
  assert.ok(seen !== undefined && others.length === 0, `adapter: one transfer is one observation: ${jsonOf(fresh())}`);
  assert.equal(seen.amount, transfer.amount);
  return seen;
}

async function finalOf(lane: Lane, attempt: Attempt): Promise<void> {
  await lane.lookUntil('finality', [attempt], (seen) => seen.state === 'spent' && seen.final);
}

/**
 * A transfer that arrives in between may make a sweep fail as a whole, where it would close the emptied account; the
 * next sweep succeeds.
 *
 * @returns the attempt that swept.
 */
async function landedOrAgain({ harness }: ChainStage, lane: Lane, attempt: Attempt): Promise<Attempt> {
  await lane.send(attempt);
  await harness.include();
  const spent = await lane.spent(attempt);
  if (spent.ok) {
    assertDone(spent, attempt.legs);
    return attempt;
  }
  assert.ok(
    spent.effects.every(({ done, moved }) => !done && moved === 0n),
    `adapter: a sweep that failed moved something: ${jsonOf(spent)}`,
  );
  const again = await lane.sign(...attempt.legs);
  await lane.land(again);
  return again;
}

/**
 * For a leg that is done already: either nothing is signed and the earlier sweep is found, or another sweep succeeds
 * without harm.
 */
async function sweptOrAgain(stage: ChainStage, lane: Lane, leg: SweepLeg): Promise<void> {
  const check = await lane.check(leg);
  if (check.ok) {
    assertDone(await lane.land(await lane.signPlanned([{ leg, plan: check.plan }])), [leg]);
    return;
  }
  assert.equal(check.kind, 'refused', `adapter: it is swept and cannot be swept later: ${jsonOf(check)}`);
  assert.equal(check.reason, 'INVALID_NONCE', jsonOf(check));
  await until(stage.harness, 'adapter: paidBy to find the sweep; read ChainHistory.paidBy', async () => {
    const paid = await lane.adapter.paidBy(leg, 0);
    return paid?.recipient === leg.recipient && paid.currency === leg.currency && paid.moved >= leg.amount;
  });
}

export const sweepCases = chainCases('sweeps', 'SweepLeg', [
  {
    name: 'sweeps a transfer to the depository, by a lane of its own that pays for it',
    guarantees: ['G4', 'G12'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { lanes, facts } = lane.adapter;
      const sweeper = lanes.find(({ sends }) => sends.includes('sweep'));
      assert.deepEqual(sweeper?.sends, ['sweep'], 'adapter: a stuck sweep would delay what else its lane sends');
      const place = await placeOf(stage, lane);
      for (const currency of harness.currencies) {
        const transfer = await arrived(stage, place, { currency, units: 12 });
        const leg = await lane.sweepLeg(transfer, place.ref);
        const cost = lane.adapter.legCost('sweep', currency);
        assert.ok(cost !== undefined && cost.native > 0n, `adapter: legCost of a sweep in ${currency} is not known`);
        const pot = await harness.depositoryBalance(currency);
        const coin = await harness.balance(sweeper?.signer ?? '', facts.currency.address);
        const coinPot = await harness.depositoryBalance(facts.currency.address);
        const attempt = await lane.sign(leg);
        const { fee, feePaidBy } = await lane.land(attempt);
        assert.ok(fee <= attempt.prepared.maxFee, 'no more than the most it could cost');
        assert.ok(fee <= (cost.most ?? cost.native), `adapter: it cost ${fee}, and was said to ${jsonOf(cost)}`);
        assert.equal(feePaidBy.owner, sweeper?.signer, 'adapter: others pay for a sweep');
        assert.equal(coin - (await harness.balance(sweeper?.signer ?? '', facts.currency.address)), fee);
        assert.equal((await harness.depositoryBalance(currency)) - pot, transfer.amount, 'the depository has it');
        // A chain may send some native coin along with tokens.
        if (currency !== facts.currency.address)
          assert.ok((await harness.depositoryBalance(facts.currency.address)) >= coinPot, 'and paid nothing for it');
        assert.equal(await harness.balance(place.ref.address, currency), 0n, 'the address is empty');
        assert.deepEqual(await addressesOf(lane.adapter).held([place.ref.address], currency), [0n]);
      }
      await harness.finalize();
      await place.watch.caughtUp();
      assert.equal(
        place.watch.all().length,
        harness.currencies.length,
        'adapter: watchDeposits takes a sweep for a deposit',
      );
    },
  },
  {
    name: 'sweeps a transfer once, however often it is signed, and by any process',
    guarantees: ['G4', 'G5', 'G15'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const place = await placeOf(stage, await stage.lane());
      for (const currency of harness.currencies) {
        const lane = await stage.lane();
        const transfer = await arrived(stage, place, { currency, units: 14 });
        const leg = await lane.sweepLeg(transfer, place.ref);
        const pot = await harness.depositoryBalance(currency);
        const planned = await lane.plan(leg);
        await lane.land(await lane.signPlanned([planned]));
        // With the plan of an earlier check.
        const again = await lane.signPlanned([planned]);
        await lane.adapter.send(again.transaction);
        await harness.include();
        assert.equal((await harness.depositoryBalance(currency)) - pot, transfer.amount, 'it arrived once');
        // A process whose ledger forgot the sweep.
        const other = await stage.lane();
        await sweptOrAgain(stage, other, leg);
        assert.equal((await harness.depositoryBalance(currency)) - pot, transfer.amount, 'it arrived once');
        const next = await arrived(stage, place, { currency, units: 6 });
        const later = await stage.lane();
        await later.land(await later.sign(await later.sweepLeg(next, place.ref)));
        assert.equal((await harness.depositoryBalance(currency)) - pot, transfer.amount + next.amount);
      }
    },
  },
  {
    name: 'leaves a transfer that arrives between check and send to its own sweep',
    guarantees: ['G4'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const place = await placeOf(stage, lane);
      for (const currency of harness.currencies) {
        const first = await arrived(stage, place, { currency, units: 11 });
        const pot = await harness.depositoryBalance(currency);
        const attempt = await lane.sign(await lane.sweepLeg(first, place.ref));
        const second = await arrived(stage, place, { currency, units: 17, young: true });
        const landed = await landedOrAgain(stage, lane, attempt);
        const brought = (await harness.depositoryBalance(currency)) - pot;
        const both = first.amount + second.amount;
        assert.ok(brought === first.amount || brought === both, `adapter: it moved ${brought} of ${both}`);
        await harness.finalize();
        await finalOf(lane, landed);
        await sweptOrAgain(stage, lane, await lane.sweepLeg(second, place.ref));
        assert.equal((await harness.depositoryBalance(currency)) - pot, both);
        assert.equal(await harness.balance(place.ref.address, currency), 0n);
      }
    },
  },
  {
    name: 'sweeps both of two waiting transfers to one address, each by its own leg',
    guarantees: ['G4', 'G12'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const place = await placeOf(stage, lane);
      for (const currency of harness.currencies) {
        const pot = await harness.depositoryBalance(currency);
        const seen = [
          await arrived(stage, place, { currency, units: 5, young: true }),
          await arrived(stage, place, { currency, units: 19 }),
        ];
        // The later one first: it proves nothing about the other.
        for (const transfer of [...seen].reverse())
          await sweptOrAgain(stage, lane, await lane.sweepLeg(transfer, place.ref));
        const sum = seen.reduce((all, { amount }) => all + amount, 0n);
        assert.equal((await harness.depositoryBalance(currency)) - pot, sum);
        assert.equal(await harness.balance(place.ref.address, currency), 0n);
      }
    },
  },
  {
    name: 'does not claim that a sweep is done that a reorg took back, and sends it again',
    guarantees: ['G4', 'G7', 'G8'],
    needs: [...NEEDS, 'reorgs'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const place = await placeOf(stage, lane);
      const currency = firstCurrency(harness);
      const transfer = await arrived(stage, place, { currency, units: 13 });
      const pot = await harness.depositoryBalance(currency);
      const attempt = await lane.sign(await lane.sweepLeg(transfer, place.ref));
      await lane.land(attempt);
      await able(harness.reorg, 'reorgs').call(harness, { depth: 1, transactions: 'gone' });
      assert.equal(await harness.balance(place.ref.address, currency), transfer.amount, 'it is at the address again');
      await lane.lookUntil('the sweep to be gone', [attempt], ({ state }) => state === 'unspent');
      await lane.land(attempt);
      assert.equal((await harness.depositoryBalance(currency)) - pot, transfer.amount);
    },
  },
]);
