import assert from 'node:assert/strict';
import type { Sighting } from '../../../contract/deposits.js';
import type { LegInstruction } from '../../../contract/legs.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { ChainAbility, ChainProcess, WrongProvider } from '../chain-harness.js';
import { able, amountOf, deadlineIn, firstCurrency, freshOrder, until } from '../chain-tools.js';
import { type Attempt, jsonOf, Lane } from '../lane.js';

const MANUAL = 'read "A second provider" in docs/conformance.md';
/** More blocks than the lagging provider lacks. */
const LAG_BLOCKS = 4;

const WRONG: readonly (readonly [WrongProvider, readonly ChainAbility[]])[] = [
  ['behind', ['secondProvider']],
  ['elsewhere', ['secondProvider', 'strangeProvider']],
];

/** Lanes of a process whose first of two providers is wrong; undefined where the process refuses to start. */
async function extra(stage: ChainStage, wrong: WrongProvider): Promise<Lane | undefined> {
  const process = await openSecond(stage, wrong);
  return process && (await Lane.at(stage.harness, process.adapter));
}

async function openSecond(stage: ChainStage, wrong: WrongProvider, from?: number): Promise<ChainProcess | undefined> {
  const { harness } = stage;
  const process = await able(harness.openSecond, 'secondProvider').call(harness, wrong, from);
  if (process === undefined)
    assert.equal(wrong, 'elsewhere', `adapter: it does not start while one of two providers is ${wrong}; ${MANUAL}`);
  else await stage.opened(Promise.resolve(process));
  return process;
}

export const providerCases = chainCases('providers', '"A second provider" in docs/conformance.md', [
  {
    name: 'finds its chain well while providers answer, and says so where none does',
    read: 'ChainOperations.probe',
    guarantees: ['G13'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const signal = new AbortController().signal;
      const well = (await adapter.probe?.(signal)) ?? [];
      if (adapter.probe === undefined) return;
      assert.ok(well.length > 0, 'adapter: probe finds something; read ChainOperations.probe');
      assert.deepEqual(
        well.filter(({ ok, level }) => !ok && level === 'error'),
        [],
        'adapter: probe forbids to start a chain that answers; read ProbeResult',
      );
      harness.silence(true);
      const dead = (await adapter.probe?.(signal)) ?? [];
      harness.silence(false);
      assert.ok(
        dead.some(({ ok, level }) => !ok && level === 'error'),
        `adapter: probe calls a chain well that no one reaches: ${jsonOf(dead)}; read ProbeResult`,
      );
      for (const { ok, message } of dead)
        assert.ok(ok || message !== '', 'adapter: what is not well has a message; read ProbeResult');
    },
  },
  ...WRONG.flatMap(([wrong, needs]) => [
    {
      name: `loses and makes up no deposit while one of two providers is ${wrong}`,
      guarantees: ['G2', 'G13'] as const,
      needs,
      async run(stage: ChainStage) {
        const { harness } = stage;
        await harness.include();
        await harness.finalize();
        await harness.mine(LAG_BLOCKS);
        const lane = await extra(stage, wrong);
        if (lane === undefined) return;
        const watch = await stage.watch(lane.adapter);
        const currency = firstCurrency(harness);
        const orders = [freshOrder(), freshOrder()];
        for (const orderId of orders) {
          await stage.deposit(lane.adapter, { currency, amount: amountOf(harness, currency, 3), orderId });
          await harness.include();
          await harness.mine(LAG_BLOCKS);
        }
        for (const orderId of orders) await watch.deposit(orderId);
        const { height } = await harness.head();
        await watch.until('adapter: the watch to go on', () => watch.last.head.height >= height - LAG_BLOCKS);
        const ids = watch.all().map(({ orderId, state }) => [orderId, state !== 'vanished']);
        assert.deepEqual(
          ids.map(([orderId]) => orderId).sort(),
          orders.map((orderId) => watch.carried(orderId)).sort(),
          `adapter: watchDeposits reports what the chain does not have; ${MANUAL}`,
        );
        assert.ok(
          ids.every(([, there]) => there),
          `adapter: watchDeposits takes back a deposit that one provider does not know; ${MANUAL}`,
        );
        assert.ok(
          watch.batches.every((batch) => batch.rewoundTo === undefined),
          `adapter: watchDeposits takes a provider that is ${wrong} for a reorg; ${MANUAL}`,
        );
      },
    },
    {
      name: `declares nothing absent that landed while one of two providers is ${wrong}`,
      guarantees: ['G1', 'G3', 'G7', 'G13'] as const,
      needs,
      async run(stage: ChainStage) {
        const { harness } = stage;
        const lane = await extra(stage, wrong);
        if (lane === undefined) return;
        const { adapter } = lane;
        const since = (await harness.head()).timestamp;
        const deadline = await deadlineIn(harness, 30);
        const leg = await lane.fillLeg({ deadline });
        const attempt = await lane.sign(leg);
        await lane.send(attempt);
        await harness.include();
        await landed(stage, lane, attempt, wrong);
        for (let n = 0; n < 3; n += 1) {
          const evidence = await lane.lookOnce(attempt);
          assert.ok(
            evidence.state === 'spent' || evidence.state === 'unknown',
            `adapter: look unlearns a fill that landed: ${jsonOf(evidence)}; ${MANUAL}`,
          );
        }
        await until(harness, `adapter: paidBy to find the fill; ${MANUAL}`, async () => {
          const paid = await adapter.paidBy(leg, since).catch(() => undefined);
          return paid !== undefined;
        });
        await harness.advanceTo((deadline + 2) * 1000);
        await harness.finalize();
        for (let n = 0; n < 3; n += 1) {
          const unfilled = await adapter.unfilledForGood(leg.orderId, deadline, since).catch(() => false);
          assert.equal(unfilled, false, `adapter: unfilledForGood believes the one that is ${wrong}; ${MANUAL}`);
        }
        await assertAhead(lane);
      },
    },
    {
      name: `sends and lands legs while one of two providers is ${wrong}`,
      guarantees: ['G1', 'G5', 'G13'] as const,
      needs,
      async run(stage: ChainStage) {
        const { harness } = stage;
        const lane = await extra(stage, wrong);
        if (lane === undefined) return;
        assert.ok(
          lane.adapter.quorum(10n ** 18n) >= 2,
          `adapter: one provider is believed for a deposit of any value, though two are configured; ${MANUAL}`,
        );
        await harness.mine(LAG_BLOCKS);
        for (let n = 0; n < 2; n += 1) {
          const leg: LegInstruction = await lane.fillLeg();
          const attempt = await lane.sign(leg);
          await lane.send(attempt);
          await harness.include();
          await landed(stage, lane, attempt, wrong);
          assert.equal(await harness.balance(leg.recipient, leg.currency), leg.amount, 'it is paid once');
        }
      },
    },
  ]),
  {
    name: 'acts upon no deposit in a block that one of two providers contradicts',
    guarantees: ['G2', 'G8'],
    needs: ['secondProvider'],
    async run(stage) {
      const { harness } = stage;
      const sound = await stage.adapter();
      const watch = await stage.watch(sound);
      const sighted = async (): Promise<Sighting> => {
        const [orderId, currency] = [freshOrder(), firstCurrency(harness)];
        await stage.deposit(sound, { currency, amount: amountOf(harness, currency, 3), orderId });
        await harness.include();
        const seen = await watch.deposit(orderId);
        return { ...seen, block: seen.block ?? assert.fail('adapter: an included deposit has a block'), providers: 1 };
      };
      const undisputed = await sighted();
      await harness.mine(1);
      const disputed = await sighted();
      assert.deepEqual(
        await sound.witness([undisputed, disputed]),
        [true, true],
        'adapter: witness does not confirm a deposit that its only provider has; read ChainDeposits.witness',
      );
      await watch.stop();
      const process = await openSecond(stage, 'apart', disputed.block.height);
      const adapter = process?.adapter ?? assert.fail('adapter: it does not start');
      const reports = async (sighting: Sighting, providers: number) =>
        (await adapter.witness([{ ...sighting, providers }]))[0] === true;
      await until(
        harness,
        `adapter: witness to confirm a deposit below the fork, which both providers have; ${MANUAL}`,
        () => reports(undisputed, 2),
      );
      for (let n = 0; n < 5; n += 1) {
        const both = await reports(disputed, 2);
        assert.equal(both, false, `harness: the provider that is apart has the block of the deposit; ${MANUAL}`);
        const one = await reports(disputed, 1);
        assert.equal(one, false, `adapter: witness does not hear the provider that has another block there; ${MANUAL}`);
        await harness.pass(20);
      }
    },
  },
  {
    name: 'calls bytes in doubt that one of two providers refuses and the other one took unheard',
    guarantees: ['G1', 'G5', 'G7'],
    needs: ['secondProvider'],
    async run(stage) {
      const { harness } = stage;
      const lane = (await extra(stage, 'refusing')) ?? assert.fail('adapter: it does not start');
      const leg = await lane.fillLeg();
      const attempt = await lane.sign(leg);
      harness.loseNext('reply');
      const outcome = await lane.adapter.send(attempt.transaction);
      assert.notEqual(
        outcome.outcome,
        'rejected',
        `adapter: send believes the one that refuses, and the other one may have taken the bytes: ${jsonOf(outcome)}; ${MANUAL}`,
      );
      await harness.include();
      await landed(stage, lane, attempt, 'refusing');
      assert.equal(
        await harness.balance(leg.recipient, leg.currency),
        leg.amount,
        `harness: the one that does not refuse takes what is sent, and its reply is lost; read ChainHarness.loseNext`,
      );
    },
  },
]);

/** Waits until the fill is seen as landed. Blocks continue, since a lagging provider passes transactions on late. */
async function landed({ harness }: ChainStage, lane: Lane, attempt: Attempt, wrong: WrongProvider): Promise<void> {
  await until(harness, `adapter: look to see a fill that landed; ${MANUAL}`, async () => {
    await harness.mine(1);
    const evidence = await lane.lookOnce(attempt);
    assert.notEqual(evidence.state, 'spentByOther', `adapter: look believes the one that is ${wrong}; ${MANUAL}`);
    return evidence.state === 'spent' && evidence.ok;
  });
}

/** A position that is too low would be reused. */
async function assertAhead(lane: Lane): Promise<void> {
  const { keys } = lane.adapter;
  if (keys.by !== 'position') return;
  const reported = await keys.lanePosition(lane.signer).catch(() => undefined);
  if (reported === undefined) return;
  assert.equal(
    keys.positionAhead(lane.position, reported),
    false,
    `adapter: lanePosition goes back behind a transaction that landed; ${MANUAL}`,
  );
}
