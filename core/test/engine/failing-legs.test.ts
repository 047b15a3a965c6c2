import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import { LaneRounds, settleLane } from '../../src/engine/payouts/settle.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER } from './support/scripted-chain.js';

const NOT_OURS: LegCheck = { ok: false, kind: 'unavailable', reason: 'INVALID_SIGNATURE', message: 'BadSignature()' };

let scene: Scene;
let rounds: LaneRounds;
let reported: { readonly level: string; readonly message: string }[];

beforeEach(async () => {
  scene = await Scene.open();
  rounds = new LaneRounds();
  reported = [];
  for (const level of ['info', 'warn'] as const)
    Object.assign(scene.context.log, {
      [level]: (_: object, message: string) => void reported.push({ level, message }),
    });
});

afterEach(async () => {
  await scene.close();
});

async function rounding(chain: ScriptedChain, ms: number): Promise<void> {
  for (const end = scene.now + ms; scene.now < end; scene.now += 500) {
    await settleLane(scene.context, chain, SIGNER, rounds);
    await rounds.sends.end();
  }
}

const notExecutable = () =>
  reported.filter(({ message }) => message === 'leg not executable').map(({ level }) => level);

describe('a withdrawal that keeps failing', () => {
  const alert = `failing-withdrawals:901:${SIGNER}`;

  async function owedBack(): Promise<string> {
    const body = await scene.quote(1, { forceRefund: true });
    await scene.finalises(150);
    await scene.sees([
      scene.deposit(body, 'a', { state: 'final', block: { height: 101, id: 'a', timestamp: scene.now } }),
    ]);
    return legId.refund('901:a:0');
  }

  it('raises an alert that stays until it is paid, and is not news at every try', async () => {
    const id = await owedBack();
    scene.origin.checkAnswer = () => NOT_OURS;
    await rounding(scene.origin, 20_000);
    expect(notExecutable()).toEqual(['info']);
    expect(scene.alerts).not.toContain(alert);
    await rounding(scene.origin, 40_000);
    expect(scene.alerts).toContain(alert);
    expect(notExecutable()).toEqual(['info', 'warn']);
    expect(await scene.leg(id)).toMatchObject({ state: 'owed' });

    scene.origin.checkAnswer = () => ({ ok: true, plan: '{}' });
    await rounding(scene.origin, 20_000);
    expect(await scene.leg(id)).toMatchObject({ state: 'bound' });
    expect(scene.alerts).not.toContain(alert);
  });

  it('is no alert of a lane whose lease is over', async () => {
    await owedBack();
    scene.origin.checkAnswer = () => NOT_OURS;
    await rounding(scene.origin, 60_000);
    expect(scene.alerts).toContain(alert);
    rounds.failing.end(scene.context, scene.origin, SIGNER);
    expect(scene.alerts).not.toContain(alert);
  });
});

it('a fill that was failing and is abandoned in time leaves no alert behind', async () => {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
  scene.destination.checkAnswer = () => NOT_OURS;
  await rounding(scene.destination, 60_000);
  expect(scene.alerts).toContain(`failing-fills:902:${SIGNER}`);
  scene.now = body.deadlineAt;
  await rounding(scene.destination, 180_000);
  expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'void' });
  expect(scene.alerts).not.toContain(`failing-fills:902:${SIGNER}`);
});
