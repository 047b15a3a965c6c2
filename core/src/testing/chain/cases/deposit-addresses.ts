import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import type { AddressRef, DepositAddresses } from '../../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../../contract/deposits.js';
import { KitBook } from '../book.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { AddressTransfer, Payment, ReorgRequest } from '../chain-harness.js';
import { able, amountOf, firstCurrency, freshOrder } from '../chain-tools.js';
import { jsonOf } from '../lane.js';
import type { Watch } from '../watch.js';

const NEEDS = ['depositAddresses'] as const;

export function addressesOf({ capabilities }: ChainAdapter): DepositAddresses {
  return capabilities.depositAddresses ?? assert.fail('adapter: it has no deposit addresses');
}

/** A deposit address that was never paid. */
export function freshAddress(adapter: ChainAdapter): AddressRef {
  const salt = freshOrder();
  return { address: addressesOf(adapter).derive(salt), salt };
}

/** Waits for inclusion afterwards. */
export async function payTo(
  { harness }: ChainStage,
  transfer: AddressTransfer,
  payer = harness.user(1),
): Promise<Payment> {
  return await able(harness.payAddress, 'depositAddresses').call(harness, payer, transfer);
}

export function sumOf(seen: readonly DepositObservation[], currency: string): bigint {
  return seen.reduce((sum, one) => sum + (one.currency === currency ? one.amount : 0n), 0n);
}

/** The transfers to an address, once there are as many as expected and no more follow. */
async function transfers(
  stage: ChainStage,
  watch: Watch,
  address: string,
  count: number,
): Promise<readonly DepositObservation[]> {
  await watch.until(`${count} transfers to a deposit address`, () => watch.at(address).length >= count);
  await stage.harness.mine(1);
  await watch.caughtUp();
  const seen = watch.at(address);
  assert.equal(seen.length, count, `adapter: one transfer is one observation: ${jsonOf(seen)}`);
  assert.equal(new Set(seen.map(({ fundingKey }) => fundingKey)).size, count);
  return seen;
}

/** Until transfers of this sum are observed; fails if there is more. */
async function wholeSum(
  stage: ChainStage,
  watch: Watch,
  { address, currency, amount }: AddressTransfer,
): Promise<void> {
  const sum = (): bigint => sumOf(watch.at(address), currency);
  await watch.until(`${amount} to have arrived at a deposit address`, () => sum() >= amount);
  await stage.harness.mine(1);
  await watch.caughtUp();
  assert.equal(sum(), amount, 'adapter: watchDeposits reports more than arrived; read AddressBook.recorded');
}

export const transferCases = chainCases('transfers', 'DepositAddresses', [
  {
    name: 'derives an address from its salt alone, the same in every process, and another for each salt',
    read: 'DepositAddresses.derive',
    guarantees: ['G4'],
    needs: NEEDS,
    async run(stage) {
      const first = await stage.open();
      const salts = [freshOrder(), freshOrder(), freshOrder()];
      const derived = salts.map((salt) => addressesOf(first.adapter).derive(salt));
      assert.equal(new Set(derived).size, salts.length);
      const { facts, lanes } = first.adapter;
      for (const address of derived) {
        assert.deepEqual(first.adapter.parseAddress(address), { ok: true, value: address }, 'it is canonical');
        assert.notEqual(address, facts.depository);
        assert.ok(lanes.every(({ signer }) => signer !== address));
      }
      await first.stop();
      const second = await stage.adapter();
      assert.deepEqual(
        [...salts].reverse().map((salt) => addressesOf(second).derive(salt)),
        [...derived].reverse(),
        'adapter: derive depends on more than salt and config',
      );
    },
  },
  {
    name: 'observes a plain transfer to a deposit address, by its steps or without, with what arrived',
    guarantees: ['G2', 'G4'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const book = new KitBook();
      const watch = await stage.watch(adapter, undefined, book);
      for (const currency of harness.currencies) {
        for (const how of ['steps', 'wallet'] as const) {
          const ref = freshAddress(adapter);
          book.add(ref);
          const { address } = ref;
          const payer = harness.user(how === 'steps' ? 1 : 2);
          const transfer = { address, currency, amount: amountOf(harness, currency, 7) };
          const steps = addressesOf(adapter).steps({ payer, ...transfer });
          assert.equal(steps.at(-1)?.id, 'deposit', 'the last step pays');
          for (const { data } of steps.flatMap(({ items }) => items))
            assert.equal(data['chainId'], adapter.facts.id, 'data names the chain that the wallet has to use');
          const { id } = await (how === 'steps' ? harness.pay(payer, steps) : payTo(stage, transfer, payer));
          await harness.include();
          const [seen] = await transfers(stage, watch, address, 1);
          assert.ok(seen !== undefined);
          const { fundingKey, transactionHash, depositor, block, state, paid: _, ...rest } = seen;
          assert.deepEqual(rest, {
            chainId: adapter.facts.id,
            currency,
            amount: transfer.amount,
            orderId: null,
            depositAddress: address,
          });
          assert.ok(fundingKey !== '', 'a transfer has a name');
          if (harness.arrivesElsewhere !== true)
            assert.ok(['', id].includes(transactionHash), `adapter: the transaction is ${id} or not shown`);
          assert.ok(['', payer].includes(depositor), 'adapter: the depositor is who paid, or not shown');
          const head = await harness.head();
          assert.ok(state === 'included' || state === 'final');
          assert.ok(block !== null && block.height <= head.height && block.timestamp <= head.timestamp, 'its block');
          assert.equal(await harness.balance(address, currency), transfer.amount, 'it is at the address');
        }
      }
      assert.ok(book.refreshed > 0, 'adapter: it never asks the ledger for new addresses; read AddressBook.refresh');
    },
  },
  {
    name: 'distinguishes two equal transfers to one deposit address, and a deposit of an order',
    guarantees: ['G2', 'G4'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const [ref, other] = [freshAddress(adapter), freshAddress(adapter)];
      const watch = await stage.watch(adapter, undefined, new KitBook(ref, other));
      for (const currency of harness.currencies) {
        const before = watch.at(ref.address).length;
        const transfer = { address: ref.address, currency, amount: amountOf(harness, currency, 5) };
        const orderId = freshOrder();
        for (let n = 0; n < 2; n += 1) {
          await payTo(stage, transfer);
          await harness.include();
          await watch.caughtUp();
          await stage.deposit(adapter, { currency, amount: transfer.amount, orderId });
          await harness.include();
        }
        const seen = await transfers(stage, watch, ref.address, before + 2);
        assert.equal(sumOf(seen, currency), transfer.amount * 2n);
        assert.equal(watch.of(orderId).length, 2, 'deposits of orders are observed as ever');
        const keys = watch.all().map(({ fundingKey }) => fundingKey);
        assert.equal(new Set(keys).size, watch.all().length);
      }
      assert.deepEqual(watch.at(other.address), [], 'an address that was not paid');
    },
  },
  {
    name: 'finds what arrived at an address before it was watched, and nothing while it is not',
    read: 'AddressBook.watched',
    guarantees: ['G2', 'G4', 'G13'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const refs = harness.currencies.map((currency) => ({ ...freshAddress(adapter), currency }));
      const sums = new Map<string, bigint>();
      const payAll = async (units: number): Promise<void> => {
        for (const { address, currency } of refs) {
          const amount = amountOf(harness, currency, units);
          await payTo(stage, { address, currency, amount });
          sums.set(address, (sums.get(address) ?? 0n) + amount);
        }
        await harness.include();
      };
      await payAll(3);
      await harness.finalize();
      const book = new KitBook();
      const watch = await stage.watch(adapter, undefined, book);
      await payAll(4);
      await watch.caughtUp();
      assert.deepEqual(watch.all(), [], 'adapter: watchDeposits reports what no one asked for');
      book.add(...refs);
      await harness.mine(1);
      for (const { address, currency } of refs)
        await wholeSum(stage, watch, { address, currency, amount: sums.get(address) ?? 0n });
      const keys = watch.all().map(({ fundingKey }) => fundingKey);
      for (const ref of refs) book.remove(ref);
      await harness.mine(1);
      await watch.caughtUp();
      book.add(...refs);
      await harness.mine(2);
      await watch.caughtUp();
      assert.deepEqual(
        watch.all().map(({ fundingKey }) => fundingKey),
        keys,
        'adapter: an address that is watched again is reported under other keys; read AddressBook.recorded',
      );
    },
  },
  {
    name: 'misses no transfer to an address that is issued while no one watches, and reports none twice',
    read: 'AddressBook.recorded',
    guarantees: ['G2', 'G4', 'G5', 'G13'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const first = await stage.open();
      const [old, young] = [freshAddress(first.adapter), freshAddress(first.adapter)];
      const watch = await stage.watch(first.adapter, undefined, new KitBook(old));
      const currency = firstCurrency(harness);
      const amount = amountOf(harness, currency, 6);
      const start = watch.newest;
      await payTo(stage, { address: old.address, currency, amount });
      await harness.include();
      const [before] = await transfers(stage, watch, old.address, 1);
      assert.ok(before !== undefined);
      const { newest } = watch;
      await watch.stop();
      await first.stop();
      await payTo(stage, { address: old.address, currency, amount });
      await harness.include();
      await payTo(stage, { address: young.address, currency, amount: amount * 2n });
      await harness.include();
      await harness.mine(12);
      // The second start has the final ledger and an early cursor.
      for (const from of [newest, { ...newest, cursor: start.cursor }]) {
        const again = await stage.watch(await stage.adapter(), from, new KitBook(old, young));
        const seen = await transfers(stage, again, old.address, 2);
        assert.deepEqual(
          seen.filter(({ fundingKey }) => fundingKey === before.fundingKey).map((one) => [one.amount, one.block?.id]),
          [[amount, before.block?.id]],
          'adapter: a known transfer has another key after a restart',
        );
        await wholeSum(stage, again, { address: old.address, currency, amount: amount * 2n });
        await wholeSum(stage, again, { address: young.address, currency, amount: amount * 2n });
        assert.equal(again.all().length, 3, jsonOf(again.all()));
        await again.stop();
      }
      const empty = await stage.watch(await stage.adapter(), undefined, new KitBook(old, young));
      for (const { address } of [old, young]) await wholeSum(stage, empty, { address, currency, amount: amount * 2n });
    },
  },
  {
    name: 'keeps the key of a transfer wherever a reorg includes it again, and takes back what is gone',
    guarantees: ['G2', 'G4', 'G8'],
    needs: [...NEEDS, 'reorgs'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const [ref, late] = [freshAddress(adapter), freshAddress(adapter)];
      const book = new KitBook(ref);
      const watch = await stage.watch(adapter, undefined, book);
      const reorg = (transactions: ReorgRequest['transactions']): Promise<void> =>
        able(harness.reorg, 'reorgs').call(harness, { depth: 1, transactions });
      for (const currency of harness.currencies) {
        const known = watch.at(ref.address).length;
        const amount = amountOf(harness, currency, 8);
        await payTo(stage, { address: ref.address, currency, amount });
        await harness.include();
        const before = (await seenAgain(watch, ref.address, known + 1)).map(({ fundingKey }) => fundingKey);
        await reorg('later');
        await watch.caughtUp();
        const after = await transfers(stage, watch, ref.address, known + 1);
        assert.deepEqual(
          after.map(({ fundingKey }) => fundingKey),
          before,
          'adapter: a transfer changes its key with its block',
        );
        await payTo(stage, { address: late.address, currency, amount });
        await payTo(stage, { address: ref.address, currency, amount });
        await harness.include();
        await seenAgain(watch, ref.address, known + 2);
        await reorg('gone');
        await harness.mine(1);
        await watch.caughtUp();
        assert.equal(watch.at(ref.address).length, known + 1, 'adapter: what a reorg took back is still there');
      }
      book.add(late);
      await harness.mine(2);
      await watch.caughtUp();
      assert.deepEqual(watch.at(late.address), [], 'adapter: it reports what replaced blocks had');
    },
  },
  {
    name: 'sees an unconfirmed transfer, and the same one when it is included',
    guarantees: ['G2', 'G4'],
    needs: [...NEEDS, 'mempool', 'heldPool'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const ref = freshAddress(adapter);
      const watch = await stage.watch(adapter, undefined, new KitBook(ref));
      const currency = firstCurrency(harness);
      await payTo(stage, { address: ref.address, currency, amount: amountOf(harness, currency, 3) });
      const mine = () => watch.all().filter(({ depositAddress }) => depositAddress === ref.address);
      await watch.until('the unconfirmed transfer', () => mine().length > 0);
      const [before] = mine();
      assert.deepEqual([before?.state, before?.block], ['mempool', null]);
      await harness.include();
      const [seen] = await transfers(stage, watch, ref.address, 1);
      assert.equal(seen?.fundingKey, before?.fundingKey, 'the funding key does not change by inclusion');
      assert.equal(mine().length, 1);
    },
  },
  {
    name: 'takes what brings nothing to a deposit address for no transfer, and goes on',
    guarantees: ['G2', 'G4', 'G7'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const ref = freshAddress(adapter);
      const watch = await stage.watch(adapter, undefined, new KitBook(ref));
      for (const currency of harness.currencies) {
        const transfer = { address: ref.address, currency, amount: amountOf(harness, currency, 9) };
        const failed = (await harness.payAddressWithoutEffect?.(harness.user(2), transfer)) ?? [];
        await harness.include();
        assert.equal(
          await harness.balance(ref.address, currency),
          0n,
          'harness: a payment without effect brings nothing',
        );
        const orderId = freshOrder();
        await stage.deposit(adapter, { currency, amount: transfer.amount, orderId });
        await harness.include();
        await watch.deposit(orderId);
        await harness.finalize();
        await watch.caughtUp();
        assert.deepEqual(watch.at(ref.address), [], `adapter: it reports one of ${jsonOf(failed)}`);
      }
      const currency = firstCurrency(harness);
      await payTo(stage, { address: ref.address, currency, amount: amountOf(harness, currency, 9) });
      await harness.include();
      await transfers(stage, watch, ref.address, 1);
    },
  },
  {
    name: 'reads what addresses hold, in order, of each currency',
    read: 'DepositAddresses.held',
    guarantees: ['G12'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const refs = [freshAddress(adapter), freshAddress(adapter), freshAddress(adapter)];
      const { held } = addressesOf(adapter);
      for (const currency of harness.currencies) {
        const [first, , last] = refs;
        for (const [ref, units] of [
          [first, 4],
          [last, 5],
        ] as const)
          await payTo(stage, { address: ref?.address ?? '', currency, amount: amountOf(harness, currency, units) });
        await harness.include();
        const truth = await Promise.all(refs.map(({ address }) => harness.balance(address, currency)));
        const of = refs.map(({ address }) => address);
        assert.deepEqual(await held(of, currency), truth);
        assert.deepEqual(await held([...of].reverse(), currency), [...truth].reverse());
      }
      assert.deepEqual(await held([], firstCurrency(harness)), []);
      harness.silence(true);
      const asked = held([refs[0]?.address ?? ''], firstCurrency(harness));
      await assert.rejects(asked);
      harness.silence(false);
    },
  },
  {
    name: 'refunds and collects what arrived at deposit addresses',
    guarantees: ['G2', 'G3', 'G4', 'G12'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { sweeps } = addressesOf(lane.adapter);
      const refs = [freshAddress(lane.adapter), freshAddress(lane.adapter)];
      const watch = await stage.watch(lane.adapter, undefined, new KitBook(...refs));
      for (const currency of harness.currencies) {
        const seen: DepositObservation[] = [];
        for (const { address } of refs) {
          await payTo(stage, { address, currency, amount: amountOf(harness, currency, 40) });
          await harness.include();
          await watch.until('the transfer', () => sumOf(watch.at(address), currency) > 0n);
          seen.push(...watch.at(address).filter((one) => one.currency === currency));
        }
        await harness.finalize();
        const [[back, kept], [from, other]] = [seen, refs];
        assert.ok(back !== undefined && kept !== undefined && from !== undefined && other !== undefined);
        if (sweeps)
          for (const [transfer, ref] of [
            [back, from],
            [kept, other],
          ] as const)
            await lane.land(await lane.sign(await lane.sweepLeg(transfer, ref)));
        const refund = await lane.refundLeg(back.fundingKey, { currency, amount: amountOf(harness, currency, 15) });
        await lane.land(await lane.sign(sweeps ? refund : { ...refund, from }));
        assert.equal(await harness.balance(refund.recipient, currency), refund.amount);
        const before = await harness.balance(lane.signer, currency);
        const amount = amountOf(harness, currency, 20);
        const collect = await lane.collectLeg(kept.fundingKey, { currency, amount });
        const spends = { ...collect, from: [{ ...other, fundingKey: kept.fundingKey }] };
        const { fee, feePaidBy } = await lane.land(await lane.sign(sweeps ? collect : spends));
        const paid = currency === lane.adapter.facts.currency.address && feePaidBy.owner === lane.signer ? fee : 0n;
        assert.equal((await harness.balance(lane.signer, currency)) - before, amount - paid, 'what the lane gained');
      }
    },
  },
  {
    name: 'observes a fill that pays a deposit address, or refuses it',
    read: 'ChainState.refuseFill',
    guarantees: ['G2', 'G4'],
    needs: NEEDS,
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const watch = await stage.watch(lane.adapter, undefined, new KitBook());
      await watch.stop();
      for (const currency of harness.currencies) {
        const ref = freshAddress(lane.adapter);
        const leg = await lane.fillLeg({ currency, recipient: ref.address });
        if (!(await lane.check(leg)).ok) continue;
        const again = await stage.watch(lane.adapter, watch.newest, new KitBook(ref));
        await lane.land(await lane.sign(leg));
        await wholeSum(stage, again, { address: ref.address, currency, amount: leg.amount });
        await again.stop();
      }
    },
  },
]);

async function seenAgain(watch: Watch, address: string, count: number): Promise<readonly DepositObservation[]> {
  await watch.until(`${count} transfers`, () => watch.at(address).length === count);
  return watch.at(address);
}
