import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SendOutcome } from '../../src/contract/index.js';
import { type LaneRounds, LaneRounds as Rounds, settleLane } from '../../src/engine/payouts/settle.js';
import { LeaseLost } from '../../src/leases/tenure.js';
import { Scene } from './support/scene.js';
import { type ScriptedChain, SIGNER } from './support/scripted-chain.js';

/** Rounds of a lane with slow sends. */
let scene: Scene;
let chain: ScriptedChain;
let rounds: LaneRounds;
let serial: number;
/** Open sends with their end. */
let begun: { readonly hash: string; end(outcome: SendOutcome | Error): void }[];

beforeEach(async () => {
  scene = await Scene.open();
  chain = scene.destination;
  rounds = new Rounds();
  serial = 0;
  begun = [];
  chain.send = ({ hash }) =>
    new Promise((resolve, reject) => {
      const end = (outcome: SendOutcome | Error) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
      begun.push({ hash, end });
    });
});

afterEach(() => scene.close());

const settles = () => settleLane(scene.context, chain, SIGNER, rounds);

async function due(): Promise<void> {
  serial += 1;
  await scene.sees([scene.deposit(await scene.quote(serial), `deposit-${serial}`)]);
}

function ends(n: number, outcome: SendOutcome | Error = { outcome: 'accepted' }): void {
  const send = begun[n];
  if (send === undefined) throw new Error(`send ${n} has not begun`);
  send.end(outcome);
}

const signed = () => chain.prepared.map(({ key }) => key);

/** Whether it settles without further waits. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  promise.then(end, end);
  await scene.store.openKeys(902, SIGNER, 10);
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it('what is due is judged, tried and made durable while the sends of the round before wait', async () => {
  await due();
  await settles();
  await until(() => begun.length === 1);
  await due();
  const second = settles();
  await until(() => signed().length === 2);
  while ((await scene.store.openKeys(902, SIGNER, 10)).length < 2);
  // Durable and unsent until its turn.
  expect(await isOver(second)).toBe(false);
  expect(begun).toHaveLength(1);
  ends(0);
  await second;
  expect(begun.map(({ hash }) => hash)).toEqual(['filler:0', 'filler:1'].map((key) => chain.hashUnder(key)));
  ends(1);
  await rounds.sends.end();
  const states = (await scene.store.openKeys(902, SIGNER, 10)).map(({ attempts }) => attempts[0]?.state);
  expect(states).toEqual(['sent', 'sent']);
});

it('anyone who ends a lane waits for its sends, and what they record', async () => {
  await due();
  await settles();
  await until(() => begun.length === 1);
  scene.over.abort();
  const end = rounds.sends.end();
  expect(await isOver(end)).toBe(false);
  ends(0);
  await end;
  expect((await scene.store.openKeys(902, SIGNER, 1))[0]?.attempts[0]?.state).toBe('sent');
});

it('a lease that is lost while they wait ends the next round, and nothing more is sent', async () => {
  await due();
  await settles();
  await until(() => begun.length === 1);
  await due();
  const second = settles();
  while ((await scene.store.openKeys(902, SIGNER, 10)).length < 2);
  await scene.overtaken();
  scene.held = false;
  ends(0);
  await second;
  expect(begun).toHaveLength(1);
  await expect(rounds.sends.end()).rejects.toThrow(LeaseLost);
});

it('what fails in them fails the next round, and is reported once', async () => {
  await due();
  await settles();
  await until(() => begun.length === 1);
  ends(0, new Error('a bug'));
  // Its unawaited end is reported.
  await isOver(Promise.resolve());
  await expect(settles()).rejects.toThrow('a bug');
  expect(await settles()).toBe(false);
});

it('what fails in them while the next round is under way keeps none of that from being sent', async () => {
  await due();
  await settles();
  await until(() => begun.length === 1);
  await due();
  const second = settles();
  while ((await scene.store.openKeys(902, SIGNER, 10)).length < 2);
  ends(0, new Error('a bug'));
  await expect(second).rejects.toThrow('a bug');
  await until(() => begun.length === 2);
  ends(1);
  await rounds.sends.end();
});
