import assert from 'node:assert/strict';
import type { ChainAdapter, CostEstimate } from '../../../contract/chain-adapter.js';
import { VM_TYPE } from '../../../contract/ids.js';
import { EVERY_LEG, type LegKind } from '../../../contract/legs.js';
import { SHORT_ORDER_BYTES } from '../../../domain/short-order.js';
import { chainCases } from '../chain-case.js';
import type { ChainAbility, ChainHarness } from '../chain-harness.js';
import { amountOf, firstCurrency, freshOrder, until } from '../chain-tools.js';

/** Includes an unknown kind: a later version may ask for one that the adapter lacks. */
const KINDS: readonly LegKind[] = [...EVERY_LEG, 'unheardOf' as LegKind];

const OF_ADAPTERS: ReadonlySet<ChainAbility> = new Set<ChainAbility>([
  ...(['signerHistory', 'fillOnce', 'withdrawOnce', 'fillDeadline', 'destinationCalls', 'topUpForCalls'] as const),
  ...(['rawCalls', 'permits', 'nonceMappings'] as const),
  ...(['depositAddresses', 'sweeps'] as const),
]);

const HOUR_MS = 3_600_000;

async function costOnce(harness: ChainHarness, adapter: ChainAdapter, currency: string): Promise<CostEstimate> {
  let cost: CostEstimate | undefined;
  await until(harness, 'adapter: legCost to be known; read ChainState.legCost', () => {
    cost = adapter.legCost('fill', currency);
    return cost !== undefined;
  });
  return cost ?? assert.fail();
}

/** Everything that must be answered from memory, without values that may age. */
function answersFromMemory(adapter: ChainAdapter, harness: ChainHarness): readonly unknown[] {
  const payer = harness.user(1);
  const orderId = `0x${'ab'.repeat(32)}` as const;
  const addresses = adapter.capabilities.depositAddresses;
  const perCurrency = harness.currencies.flatMap((currency) => [
    adapter.currency(currency),
    adapter.isTokenContract(currency),
    KINDS.map((kind) => typeof adapter.legCost(kind, currency)),
    typeof adapter.depositCost(currency),
    typeof adapter.laneBalance(adapter.lanes[0]?.signer ?? '', currency),
    adapter.depositSteps({ payer, currency, amount: harness.unit(currency), orderId }).map(({ id }) => id),
    addresses?.steps({ payer, address: addresses.derive(orderId), currency, amount: harness.unit(currency) }),
  ]);
  return [
    adapter.parseAddress(payer),
    adapter.parseAddress('nonsense'),
    adapter.addressBytes(payer),
    adapter.currencies(),
    adapter.orderExtraData(),
    adapter.acceptDepth(1_000_000n),
    adapter.quorum(1_000_000n),
    adapter.useKey('funding', 'refund'),
    addresses?.derive(orderId),
    typeof adapter.status().healthy,
    ...perCurrency,
  ];
}

export const identityCases = chainCases('identity', 'ChainFacts', [
  {
    name: 'states facts that are whole, and the same in every process at any time',
    guarantees: ['G2'],
    async run(stage) {
      const [one, two] = [await stage.adapter(), await stage.adapter()];
      const { facts } = one;
      const before = structuredClone(facts);
      assert.ok(Number.isSafeInteger(facts.id) && facts.id > 0, 'a chain id is a positive whole number');
      for (const field of ['name', 'displayName', 'depository'] as const)
        assert.notEqual(facts[field].trim(), '', `facts.${field} says something`);
      assert.match(facts.vmType, VM_TYPE, 'facts.vmType is a word');
      assert.ok(['mainnet', 'testnet', 'local'].includes(facts.network), 'facts.network');
      for (const field of ['blockTimeMs', 'finalityMs', 'quoteValidityMs'] as const)
        assert.ok(Number.isFinite(facts[field]) && facts[field] > 0, `facts.${field} is a time`);
      const { orderIdBytes } = facts;
      const { least, most } = SHORT_ORDER_BYTES;
      assert.ok(
        orderIdBytes === undefined || (Number.isInteger(orderIdBytes) && orderIdBytes >= least && orderIdBytes <= most),
        `adapter: facts.orderIdBytes is ${least} to ${most}, or absent; read ChainFacts.orderIdBytes`,
      );
      assert.equal(facts.currency.isNative, true, 'facts.currency is the native coin');
      assert.equal(facts.currency.chainId, facts.id);
      for (const burn of facts.burnAddresses)
        assert.deepEqual(one.parseAddress(burn), { ok: true, value: burn }, 'burn addresses are in canonical text');
      await stage.harness.mine(2);
      assert.deepEqual(one.facts, before);
      assert.deepEqual(two.facts, before);
      const lanes = one.lanes.map(({ signer }) => ({ signer }));
      assert.ok(lanes.length > 0, 'a lane to send with');
      assert.equal(new Set(lanes.map(({ signer }) => signer)).size, lanes.length, 'a signer has one lane');
      assert.deepEqual(two.lanes, one.lanes);
      const sent = one.lanes.flatMap(({ sends }) => sends);
      const sweeps = one.capabilities.depositAddresses?.sweeps === true ? (['sweep'] as const) : [];
      const calls = one.capabilities.rawCalls === undefined ? [] : (['call'] as const);
      assert.deepEqual(
        [...sent].sort(),
        [...EVERY_LEG, ...sweeps, ...calls].sort(),
        'each kind of leg has one lane that sends it',
      );
      for (const { signer, pot, sends } of one.lanes) {
        if (sends.includes('call'))
          assert.deepEqual(sends, ['call'], 'others choose the calls: their lane sends nothing else');
        const isVault = signer === facts.depository || signer === facts.depositoryVault;
        assert.ok(!isVault || pot === 'depository', 'a lane that signs for the depository says so: `pot`');
        if (pot !== 'depository') continue;
        assert.equal(signer, facts.depository, 'a lane of the depository signs for the account that is named as such');
        assert.ok(!sends.includes('fill'), 'what is deposited fills no order');
        assert.ok(facts.refundsSpendDeposits === undefined, 'what a refund withholds stays where its fee is paid');
      }
      for (const { signer } of lanes) assert.deepEqual(one.parseAddress(signer), { ok: true, value: signer });
    },
  },
  {
    name: 'is healthy, with a head that follows the chain',
    read: 'ChainState.status',
    guarantees: ['G13'],
    async run(stage) {
      const adapter = await stage.adapter();
      assert.equal(adapter.status().healthy, true, adapter.status().reason ?? '');
      assert.equal(adapter.status().reason, null);
      await stage.harness.mine(1);
      const { height } = await stage.harness.head();
      await until(stage.harness, 'the head to be known', () => (adapter.status().head?.value ?? -1) >= height);
    },
  },
  {
    name: 'has what its harness does not say it lacks',
    read: 'ChainHarness.lacks',
    guarantees: [],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const has: readonly (readonly [ChainAbility, boolean])[] = [
        ['signerHistory', adapter.keys.by === 'history'],
        ['fillOnce', adapter.facts.guarantees.fillOnce],
        ['withdrawOnce', adapter.facts.guarantees.withdrawOnce],
        ['fillDeadline', adapter.facts.guarantees.fillDeadline],
        ['batches', harness.mostLegs > 1],
        ['orphans', harness.payOrphan !== undefined],
        ['foreignCurrencies', harness.payForeign !== undefined],
        ['depositsTogether', harness.payTogether !== undefined],
        ['shiftingEvents', harness.payShifting !== undefined],
        ['paymentReplacement', harness.replacePayment !== undefined],
        ['reorgs', harness.reorg !== undefined],
        ['keyExpiry', harness.expireKeys !== undefined],
        ['messageExpiry', harness.expireMessages !== undefined],
        ['strays', harness.payStrays !== undefined],
        ['failedDeposits', harness.payFailing !== undefined],
        ['namedDepositors', harness.payNaming !== undefined],
        ['signedTexts', harness.signText !== undefined],
        ['turningRecipients', harness.turning !== undefined],
        ['recipientCode', harness.liars !== undefined],
        ['destinationCalls', adapter.capabilities.destinationCalls !== undefined],
        ['topUpForCalls', adapter.capabilities.destinationCalls?.carriesTopUp === true],
        ['depositAddresses', adapter.capabilities.depositAddresses !== undefined],
        ['sweeps', adapter.capabilities.depositAddresses?.sweeps === true],
        ['rawCalls', adapter.capabilities.rawCalls !== undefined],
        ['permits', adapter.capabilities.permits !== undefined],
        ['nonceMappings', adapter.capabilities.nonceMappings !== undefined],
        ['keepingTokens', harness.keeping !== undefined],
        ['garbledNames', harness.payGarbled !== undefined],
        ['writtenNames', harness.payWritten !== undefined],
        ['forgottenHistory', harness.forget !== undefined],
        ['secondProvider', harness.openSecond !== undefined],
        ['refusedQuestions', harness.openRefusing !== undefined],
      ];
      for (const [ability, present] of has) {
        const said = harness.lacks[ability] === undefined ? 'not said to be lacking' : 'said to be lacking';
        const who = OF_ADAPTERS.has(ability) ? 'adapter' : 'harness';
        const has = present ? 'it has' : 'it does not have';
        assert.equal(present, harness.lacks[ability] === undefined, `${who}: ${has} "${ability}", which is ${said}`);
      }
      // A transaction that waits nowhere may be replaced even where nodes accept no replacement.
      assert.ok(adapter.replace !== undefined || harness.lacks.replacement !== undefined, 'the adapter has no replace');
      const isReused = adapter.replace !== undefined;
      assert.equal(
        isReused,
        adapter.keys.by === 'position',
        'a place can be given to another transaction, a message cannot',
      );
      const verifies = adapter.capabilities.verifyMessage !== undefined;
      assert.equal(
        verifies,
        harness.signText !== undefined,
        'harness: texts are signed where the adapter verifies them',
      );
      assert.equal(
        harness.payAddress !== undefined,
        adapter.capabilities.depositAddresses !== undefined,
        'harness: deposit addresses are paid where the adapter has them; read ChainHarness.payAddress',
      );
      const { sharedKeys, signerHistory } = harness.lacks;
      assert.ok(
        sharedKeys === undefined || signerHistory === undefined,
        'harness: a restored ledger must learn of what it lost, by one of sharedKeys and signerHistory',
      );
      if (harness.reorg !== undefined)
        assert.ok(harness.reorgDepth >= 1, 'harness: a reorg replaces at least one block');
    },
  },
  {
    name: 'answers at once what needs no I/O, without asking a provider',
    read: 'ChainState',
    guarantees: ['G13'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const first = answersFromMemory(adapter, harness);
      // Background refreshes continue: far fewer requests than rounds means that no round asks.
      const rounds = 200;
      const before = harness.requests();
      for (let round = 0; round < rounds; round += 1) assert.deepEqual(answersFromMemory(adapter, harness), first);
      await harness.pass(10);
      const asked = harness.requests() - before;
      assert.ok(asked < rounds / 2, `${asked} calls to providers for ${rounds} rounds of questions that need no I/O`);
      assert.deepEqual(first.filter(isPromise), [], 'answers that need no I/O are values');
    },
  },
  {
    name: 'knows prices and balances of its lane once started',
    read: 'ChainState.legCost',
    guarantees: ['G12'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const signer = adapter.lanes[0]?.signer ?? '';
      for (const currency of harness.currencies) {
        const cost = adapter.legCost('fill', currency);
        assert.ok(cost !== undefined && cost.native > 0n, `the cost of a fill in ${currency}`);
        const refund = adapter.legCost('refund', currency);
        assert.ok(refund !== undefined && refund.native > 0n, `the cost of a refund in ${currency}`);
        const deposit = adapter.depositCost(currency)?.native ?? -1n;
        assert.ok(deposit >= 0n, `the payer's cost of a deposit in ${currency}`);
        const withOverhead = adapter.depositCost(currency, 1_000_000n)?.native ?? -1n;
        assert.ok(
          withOverhead >= deposit,
          `gas that the payer's wallet adds makes a deposit in ${currency} no cheaper`,
        );
        const truth = await harness.balance(signer, currency);
        assert.equal(adapter.laneBalance(signer, currency)?.value, truth, `the lane's balance of ${currency}`);
        assert.equal(await adapter.potBalance({ pot: 'lane', owner: signer }, currency), truth);
        assert.equal(adapter.laneBalance(harness.user(1), currency), undefined, 'users have no lane');
      }
      const lane = await stage.lane(adapter);
      await lane.fill({ currency: firstCurrency(harness) });
      for (const currency of harness.currencies)
        await until(
          harness,
          `adapter: laneBalance of ${currency} to follow what was paid; read ChainState`,
          async () => {
            await harness.mine(1);
            return adapter.laneBalance(signer, currency)?.value === (await harness.balance(signer, currency));
          },
        );
    },
  },
  {
    name: 'keeps answering what needs no I/O while no provider answers',
    read: 'ChainState.status',
    guarantees: ['G13'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const before = answersFromMemory(adapter, harness);
      harness.silence(true);
      await harness.pass(50);
      assert.deepEqual(answersFromMemory(adapter, harness), before);
      await until(harness, 'adapter: status to say that no provider answers; read ChainStatus', () => {
        const { healthy, reason } = adapter.status();
        return !healthy && reason !== null;
      });
      adapter.hint('no such transaction');
      harness.silence(false);
      await until(harness, 'the chain to be healthy again', () => adapter.status().healthy);
    },
  },
  {
    name: 'offers nothing by fees that were read long ago',
    read: 'ChainState.legCost',
    guarantees: ['G12', 'G13'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const currency = firstCurrency(harness);
      const known = await costOnce(harness, adapter, currency);
      harness.silence(true);
      // Drains requests that are already in flight.
      await harness.pass(50);
      const long = HOUR_MS + 100 * adapter.facts.blockTimeMs;
      await harness.skip(long);
      const old = {
        ...Object.fromEntries(
          adapter.lanes.flatMap(({ sends }) => sends.map((kind) => [kind, adapter.legCost(kind, currency)])),
        ),
        deposit: adapter.depositCost(currency),
      };
      const { healthy } = adapter.status();
      harness.silence(false);
      const later = await costOnce(harness, await stage.adapter(), currency);
      assert.ok(later.at - known.at >= long, 'harness: clocks of processes do not go ahead; read ChainHarness.skip');
      const offered = Object.entries(old).filter(([, cost]) => cost !== undefined);
      assert.deepEqual(
        offered.map(([kind]) => kind),
        [],
        'adapter: legCost and depositCost answer by a fee that was read long ago; read ChainState.legCost',
      );
      assert.equal(healthy, false, 'adapter: status is healthy by a head of long ago; read ChainStatus');
    },
  },
  {
    name: 'gives a payer complete steps, with the transfer last',
    read: 'ChainDeposits.depositSteps',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const payer = harness.user(1);
      for (const currency of harness.currencies) {
        const amount = amountOf(harness, currency, 3);
        const steps = adapter.depositSteps({ payer, currency, amount, orderId: freshOrder() });
        assert.equal(steps.at(-1)?.id, 'deposit', 'the last step funds the order');
        assert.equal(steps.filter(({ id }) => id === 'deposit').length, 1);
        for (const { action, description, items } of steps) {
          assert.ok(action !== '' && description !== '' && items.length > 0, 'a step says what it does');
          for (const { data } of items) {
            assert.deepEqual(JSON.parse(JSON.stringify(data)), data, 'data survives JSON');
            assert.equal(data['chainId'], adapter.facts.id, 'data names the chain that the wallet has to use');
          }
        }
      }
      const again = { payer, currency: firstCurrency(harness), amount: harness.unit(firstCurrency(harness)) };
      const [one, two] = [freshOrder(), freshOrder()].map((orderId) => adapter.depositSteps({ ...again, orderId }));
      assert.notDeepEqual(one, two, 'the steps carry the order id');
    },
  },
]);

function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}
