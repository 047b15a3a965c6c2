import { expect, it } from 'vitest';
import type { FillLeg } from '../../src/contract/index.js';
import { RENT } from '../../src/testing/fake-chain/execution.js';
import { fillLeg, look, position, type Scene, scene } from './support/fake-scene.js';

/** The last digit decides about the initial token account. */
const WITHOUT = `0x${'ab'.repeat(19)}a1`;
const WITH = `0x${'ab'.repeat(19)}a2`;

const to = (s: Scene, recipient: string, mostRent?: bigint): FillLeg => ({
  ...fillLeg(s, 1),
  recipient,
  ...(mostRent === undefined ? {} : { mostRent }),
});

const viewOf = (one: Awaited<ReturnType<typeof planned>>, s: Scene, leg: FillLeg) => ({
  key: one.prepared.key,
  signer: s.chain.signer,
  attempts: [{ hash: one.transaction.hash, legs: [leg] }],
});

async function planned(s: Scene, leg: FillLeg) {
  const check = await s.adapter.check(leg, s.chain.signer);
  if (!check.ok) throw new Error(check.message);
  const lane = { signer: s.chain.signer, position: await position(s.adapter) };
  const outcome = await s.adapter.prepare({ lane, legs: [{ leg, plan: check.plan }] });
  if (!outcome.ok) throw new Error(outcome.message);
  const { prepared } = outcome;
  return { prepared, transaction: await s.adapter.sign(prepared, s.chain.signer) };
}

it('charges rent until an account is known to be there, and refuses to pay more of it than was charged', async () => {
  const s = await scene('expiring');
  const { currency } = fillLeg(s, 1);
  const rentFor = (recipient: string) => s.adapter.legCost('fill', currency, recipient)?.rent;
  expect([rentFor(WITH), rentFor(WITHOUT)]).toEqual([RENT, RENT]);
  await s.mine();
  expect([rentFor(WITH), rentFor(WITHOUT)]).toEqual([0n, RENT]);
  expect(await s.adapter.check(to(s, WITHOUT, RENT), s.chain.signer)).toMatchObject({ ok: true });
  expect(await s.adapter.check(to(s, WITH, 0n), s.chain.signer)).toMatchObject({ ok: true });
  s.chain.closeAccount(WITH, 'USDF');
  await s.mine();
  expect(await s.adapter.check(to(s, WITH, 0n), s.chain.signer)).toMatchObject({
    kind: 'refused',
    reason: 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE',
  });
  expect(rentFor(WITH)).toBe(RENT);
});

it('counts the rent of an account that was opened as a part of the fee', async () => {
  const s = await scene('expiring');
  const fees = [];
  for (const recipient of [WITHOUT, WITH]) {
    const leg = to(s, recipient);
    const one = await planned(s, leg);
    await s.adapter.send(one.transaction);
    await s.mine();
    const evidence = await look(s.adapter, viewOf(one, s, leg));
    if (evidence.state !== 'spent') throw new Error(evidence.state);
    expect(evidence.effects).toMatchObject([{ done: true }]);
    fees.push(evidence.fee);
  }
  expect((fees[0] ?? 0n) - (fees[1] ?? 0n)).toBe(RENT);
});

it('takes the fee and the key of a payment whose account was closed meanwhile', async () => {
  const s = await scene('expiring');
  const leg = to(s, WITH);
  const one = await planned(s, leg);
  s.chain.closeAccount(WITH, 'USDF');
  await s.mine();
  await s.adapter.send(one.transaction);
  await s.mine();
  const evidence = await look(s.adapter, viewOf(one, s, leg));
  expect(evidence).toMatchObject({ state: 'spent', ok: false, effects: [{ done: false }] });
  expect(evidence.state === 'spent' && evidence.fee).toBeGreaterThan(0n);
});

it.each([
  ['comes again in a later block', false],
  ['is lost, and never lands once its blocks are over', true],
])('reports what is in a block that no one confirmed as not landed; it %s', async (_, isLost) => {
  const s = await scene('expiring', { finalityDepth: 3 });
  const leg = to(s, WITH);
  const one = await planned(s, leg);
  const view = viewOf(one, s, leg);
  expect((await s.adapter.send(one.transaction)).outcome).toBe('accepted');
  expect(await look(s.adapter, view)).toEqual({ state: 'unspent', inPool: false });
  const { height } = s.chain.history().head;
  s.chain.core.fork(() => isLost);
  expect(await look(s.adapter, view)).toEqual({ state: 'unspent', inPool: true });
  expect(s.chain.history().head.height).toBe(height);
  await s.mine();
  const after = await look(s.adapter, view);
  if (!isLost) return expect(after).toMatchObject({ state: 'spent', ok: true, block: { height: height + 1 } });
  expect(after).toEqual({ state: 'unspent', inPool: false });
  await s.mine(30);
  expect(await look(s.adapter, view)).toEqual({ state: 'spentByOther', final: true });
});
