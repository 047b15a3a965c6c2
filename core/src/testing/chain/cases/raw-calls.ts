import assert from 'node:assert/strict';
import type { CallLeg } from '../../../contract/legs.js';
import type { RawCall, RawCalls, RawCallTrial } from '../../../contract/raw-calls.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { Callee } from '../chain-harness.js';
import { able, unused } from '../chain-tools.js';
import { jsonOf, type Lane, signerOf } from '../lane.js';

const ASKER = { party: 'kit', signal: new AbortController().signal };

type Done = Extract<RawCallTrial, { is: 'done' }>;

interface Scene {
  readonly lane: Lane;
  readonly signer: string;
  readonly rawCalls: RawCalls;
  readonly callee: Callee;
}

async function sceneOf(stage: ChainStage): Promise<Scene> {
  const { harness } = stage;
  const lane = await stage.lane();
  const { rawCalls } = lane.adapter.capabilities;
  assert.ok(rawCalls !== undefined, 'calls for others are served');
  const callee = await able(harness.callee, 'rawCalls').call(harness);
  return { lane, signer: signerOf(lane.adapter, 'call'), rawCalls, callee };
}

async function tried({ rawCalls, signer }: Scene, call: RawCall): Promise<Done> {
  const trial = await rawCalls.simulate(call, signer, ASKER);
  assert.ok(trial.is === 'done', `its trial is ${jsonOf(trial)}`);
  return trial;
}

export function callLeg({ adapter }: Lane, { to, data, authorizations }: RawCall, work: bigint): CallLeg {
  const legId = `call-${unused()}`;
  return {
    ...{ kind: 'call', legId, currency: adapter.facts.currency.address, amount: 0n, recipient: to, data, work },
    useKey: adapter.useKey(legId, 'call'),
    ...(authorizations.length === 0 ? {} : { authorizations }),
  };
}

export const rawCallCases = chainCases('executing', 'RawCalls', [
  {
    name: 'makes a call once, from a lane that sends nothing else, for at most what its trial said',
    guarantees: ['G10', 'G12'],
    needs: ['rawCalls'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { lane, signer, callee } = scene;
      const { cost } = await tried(scene, callee.call);
      assert.ok(cost.work > 0n && cost.native <= cost.most, jsonOf(cost));
      const coin = lane.adapter.facts.currency.address;
      const before = await stage.harness.balance(signer, coin);
      const attempt = await lane.sign(callLeg(lane, callee.call, cost.work));
      assert.notEqual(attempt.signer, lane.signer, 'it is not the account that fills');
      assert.ok(attempt.prepared.maxFee <= cost.most, `${attempt.prepared.maxFee} may be burnt of ${cost.most}`);
      const { fee } = await lane.land(attempt);
      await lane.send(attempt);
      await stage.harness.include();
      assert.equal(await callee.made(), 1, 'how often it was made');
      assert.equal(before - (await stage.harness.balance(signer, coin)), fee, 'its fee is all that it takes');
      assert.ok(fee <= cost.most, `${fee} was burnt of ${cost.most}`);
    },
  },
  {
    name: 'says of a call that would fail that it would, with what it fails with, and signs none',
    guarantees: ['G10'],
    needs: ['rawCalls'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { rawCalls, signer, callee, lane } = scene;
      const trial = await rawCalls.simulate(callee.failing, signer, ASKER);
      assert.ok(trial.is === 'reverted', jsonOf(trial));
      assert.ok(trial.revert.path.length > 0 && trial.revert.revert.label !== '', jsonOf(trial.revert));
      const { cost } = await tried(scene, callee.call);
      const check = await lane.check(callLeg(lane, callee.failing, cost.work));
      assert.ok(!check.ok && check.kind === 'refused', jsonOf(check));
    },
  },
  {
    name: 'refuses calls of the accounts and contracts of the service, and no others',
    guarantees: ['G4', 'G10'],
    needs: ['rawCalls'],
    async run(stage) {
      const { lane, rawCalls, callee } = await sceneOf(stage);
      const { facts, lanes } = lane.adapter;
      const own = [
        facts.depository,
        ...(facts.router === null ? [] : [facts.router]),
        ...lanes.map(({ signer }) => signer),
      ];
      for (const to of own) assert.ok(rawCalls.refuse({ to, data: callee.call.data }) !== undefined, `${to} is called`);
      assert.equal(rawCalls.refuse(callee.call), undefined, 'a call of a stranger is refused');
    },
  },
]);
