import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../../contract/chain-adapter.js';
import { EVERY_LEG } from '../../../contract/legs.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import { amountOf, firstCurrency, freshRecipient } from '../chain-tools.js';
import { jsonOf, type Lane } from '../lane.js';

const MANUAL = 'read ChainState.refuseFill and ChainPayouts.check';

function ownAccounts({ facts, lanes }: ChainAdapter): readonly string[] {
  const vaults = facts.depositoryVault === undefined ? [] : [facts.depositoryVault];
  return [...new Set([...lanes.map(({ signer }) => signer), facts.depository, ...vaults])];
}

/** Sends a fill whatever `check` says. False where it cannot be signed. */
async function forced({ harness }: ChainStage, lane: Lane, recipient: string): Promise<boolean> {
  const planned = await lane.plan(await lane.fillLeg());
  const leg = { ...planned.leg, recipient };
  const attempt = await lane.signPlanned([{ leg, plan: planned.plan }]).catch(() => undefined);
  if (attempt === undefined) return false;
  await lane.adapter.send(attempt.transaction);
  await harness.include();
  return true;
}

export const ownAccountCases = chainCases('own', 'ChainPayouts.lanes', [
  {
    name: 'refuses to fill to an account of the solver, or to the address that represents native coin',
    read: 'ChainPayouts.check',
    guarantees: ['G2', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter } = lane;
      const currency = firstCurrency(harness);
      const noOne = adapter.parseAddress(adapter.facts.currency.address);
      for (const recipient of [...ownAccounts(adapter), ...(noOne.ok ? [noOne.value] : [])]) {
        const leg = await lane.fillLeg({ currency, recipient });
        if (adapter.refuseFill !== undefined) {
          const early = adapter.refuseFill({ currency, amount: leg.amount, recipient });
          assert.equal(early?.why, 'recipient', `adapter: refuseFill lets a quote pay ${recipient}; ${MANUAL}`);
        }
        const check = await lane.check(leg);
        assert.ok(!check.ok && check.kind === 'refused', `adapter: check lets a fill pay ${recipient}; ${MANUAL}`);
      }
    },
  },
  {
    name: 'says why no one could spend what an address is paid, and nothing against those who could',
    read: 'ChainCodec.refuseAddress',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter } = lane;
      const words = async (address: string) =>
        adapter.refuseAddress?.(address) ?? (await adapter.refuseAccount?.(address));
      for (const recipient of (await harness.swallowing?.()) ?? []) {
        assert.ok((await words(recipient))?.length, `adapter: nothing is said against ${recipient}`);
        for (const currency of harness.currencies) {
          const check = await lane.check(await lane.fillLeg({ currency, recipient }));
          assert.ok(!check.ok && check.kind === 'refused', `adapter: check lets a fill pay ${recipient}; ${MANUAL}`);
        }
      }
      for (const address of [harness.user(1), harness.user(2), freshRecipient(harness)])
        assert.equal(await words(address), undefined, `adapter: it refuses ${address}, who can be paid`);
    },
  },
  {
    name: 'takes what a lane of its own sends to the depository for no deposit',
    read: 'DepositObservation',
    guarantees: ['G2', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const { adapter } = lane;
      const watch = await stage.watch(adapter);
      const own = ownAccounts(adapter);
      const { facts } = adapter;
      await forced(stage, lane, facts.depositoryVault ?? facts.depository);
      await watch.caughtUp();
      await harness.finalize();
      await watch.caughtUp();
      const taken = watch.all().filter(({ depositor, stray }) => own.includes(depositor) && stray === undefined);
      assert.deepEqual(taken, [], 'adapter: watchDeposits reports money of the solver; read DepositObservation');
    },
  },
  {
    name: 'sends from each account only the legs that it owes',
    guarantees: ['G2', 'G12'],
    async run(stage) {
      const { harness } = stage;
      const lane = await stage.lane();
      const currency = firstCurrency(harness);
      const wish = { currency, amount: amountOf(harness, currency, 2) };
      const legs = [await lane.fillLeg(wish), await lane.refundLeg('nothing', wish)];
      for (const { signer, sends } of lane.adapter.lanes)
        for (const leg of legs) {
          if (sends.includes(leg.kind)) continue;
          const check = await lane.adapter.check(leg, signer).catch(() => undefined);
          assert.ok(check?.ok !== true, `adapter: check lets ${signer} pay a ${leg.kind}; read LaneRef.sends`);
          const input = { lane: { signer, position: lane.positionOf(signer) }, legs: [{ leg, plan: '{}' }] };
          const prepared = await lane.adapter.prepare(input).catch(() => undefined);
          assert.ok(prepared?.ok !== true, `adapter: prepare has ${signer} pay a ${leg.kind}; read LaneRef.sends`);
        }
      assert.deepEqual(
        EVERY_LEG.filter((kind) => !lane.adapter.lanes.some(({ sends }) => sends.includes(kind))),
        [],
      );
    },
  },
  {
    name: 'refuses a fill that asks for more than the chain can do',
    read: 'ChainPayouts.check',
    guarantees: ['G1', 'G7'],
    async run(stage) {
      const lane = await stage.lane();
      const { destinationCalls } = lane.adapter.capabilities;
      const leg = await lane.fillLeg();
      const asked = [
        ...(destinationCalls === undefined ? [{ ...leg, calls: ['0x00'] as const }] : []),
        ...(destinationCalls?.carriesTopUp === true
          ? []
          : [{ ...leg, topUp: { orderId: leg.orderId, amount: leg.amount } }]),
      ];
      for (const more of asked) {
        const check = await lane.check(more).catch(() => undefined);
        assert.ok(
          check?.ok !== true,
          `adapter: check passes a fill of which it would do a part: ${jsonOf(more)}; read LegKind and ChainCapabilities`,
        );
      }
    },
  },
]);
