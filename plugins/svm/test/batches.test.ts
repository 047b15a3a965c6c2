import { createFreezeAccountInstruction, createThawAccountInstruction } from '@solana/spl-token';
import { type Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { readKey } from '../src/keys.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import {
  anyAddress,
  eventually,
  fillLeg,
  lookAt,
  lookAtShared,
  refundLeg,
  type SharedAttempt,
  signed,
  signedTogether,
} from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { feeToken, plainToken, sendBy, type TestToken } from './support/tokens.js';

let node: LocalNode;
let minter: Keypair;
let token: TestToken;
let costly: TestToken;
let solver: TestSolver;
let adapter: SvmAdapter;

beforeAll(async () => {
  node = await startNode();
  minter = await node.account(1_000);
  token = await plainToken(node, minter, true);
  costly = await feeToken(node, minter, 100);
  solver = await fundedSolver(node, [token, costly]);
  adapter = await solver.start();
});
afterAll(async () => {
  await adapter?.stop();
  await node?.stop();
});

const signer = () => solver.fill.publicKey.toBase58();
const mint = () => token.mint.toBase58();
const named = (legs: readonly { legId: string }[]) => legs.map((leg, n) => ({ ...leg, legId: `fill-${n}` }));

async function land(attempt: SharedAttempt) {
  expect(await adapter.send(attempt.transaction)).toEqual({ outcome: 'accepted' });
  const evidence = await eventually(
    () => lookAtShared(adapter, attempt),
    ({ state }) => state === 'spent',
  );
  if (evidence.state !== 'spent') throw new Error('not spent');
  return evidence;
}

async function timesFilled(orderId: string): Promise<number> {
  const entries = await node.connection.getSignaturesForAddress(solver.fill.publicKey, {}, 'confirmed');
  const said = entries.filter(({ err }) => err === null).map(({ memo }) => memo ?? '');
  return said.join(' ').split(orderId).length - 1;
}

describe('fills that share a message', () => {
  it('land as a whole, each named in addition to what was paid for it, and are distinguished by any client that looks back', async () => {
    const since = await node.time();
    const start = await adapter.keys.lanePosition('');
    const both = anyAddress();
    const legs = named([
      fillLeg(mint(), 5_000n, both),
      fillLeg(mint(), 2_000n, both),
      fillLeg(NATIVE, 3_000_000n, both),
    ]) as ReturnType<typeof fillLeg>[];
    const before = await node.connection.getBalance(solver.fill.publicKey, 'confirmed');
    const attempt = await signedTogether(adapter, legs);
    expect(attempt.legs).toHaveLength(3);
    const evidence = await land(attempt);
    expect(evidence).toMatchObject({
      ok: true,
      effects: [
        { legId: 'fill-0', done: true, moved: 5_000n },
        { legId: 'fill-1', done: true, moved: 2_000n },
        { legId: 'fill-2', done: true, moved: 3_000_000n },
      ],
    });
    const spent = BigInt(before - (await node.connection.getBalance(solver.fill.publicKey, 'confirmed')));
    expect(evidence.fee).toBe(spent - 3_000_000n);
    expect(evidence.fee).toBeLessThanOrEqual(attempt.prepared.maxFee);
    expect(await adapter.describeTransaction(evidence.hash)).toMatchObject({
      ...{ txHash: evidence.hash, status: 'success', fee: evidence.fee.toString() },
    });
    const other = await solver.start();
    for (const [n, leg] of legs.entries()) {
      const paid = await eventually(
        () => other.paidBy(leg, since),
        (one) => one !== undefined,
      );
      const moved = [5_000n, 2_000n, 3_000_000n][n];
      expect(paid).toMatchObject({ hash: evidence.hash, sender: signer(), recipient: both, moved });
      expect(paid).not.toHaveProperty('doubtful');
      expect(await timesFilled(leg.orderId)).toBe(1);
    }
    const { sent } = await other.keys.sentSince('', start, start);
    const spender = sent.find(({ hash }) => hash === evidence.hash);
    expect(spender?.filled).toEqual(legs.map(({ orderId }) => orderId));
    await other.stop();
  });

  it('of a mint that charges a fee on transfer all arrive as promised', async () => {
    const legs = named([1, 2].map(() => fillLeg(costly.mint.toBase58(), 9_900n))) as ReturnType<typeof fillLeg>[];
    expect(await land(await signedTogether(adapter, legs))).toMatchObject({
      effects: [
        { done: true, moved: 10_000n },
        { done: true, moved: 10_000n },
      ],
    });
  });

  it('do not share one with what is refused, or is no fill', async () => {
    const good = fillLeg(NATIVE, 3_000_000n);
    const [vault, short] = [solver.vault.publicKey.toBase58(), 10n ** 30n];
    const bad = [fillLeg(NATIVE, 3_000_000n, vault), fillLeg(mint(), short), refundLeg(NATIVE, 3_000_000n)];
    for (const one of bad) expect(await adapter.checkTogether?.([good, one])).toBeUndefined();
    const rent = fillLeg(mint(), 5n, anyAddress(), { mostRent: 1n });
    expect(await adapter.checkTogether?.([good, rent])).toBeUndefined();
  });

  it('are as many as the network carries in one transaction, and as the signer can pay for', async () => {
    const many = Array.from({ length: 12 }, () => fillLeg(NATIVE, 3_000_000n));
    expect(await adapter.checkTogether?.(many)).toBeUndefined();
    const checks = await Promise.all(many.map((leg) => adapter.check(leg)));
    const legs = many.map((leg, n) => ({ leg, plan: (checks[n] as { plan: string }).plan }));
    const lane = { signer: signer(), position: await adapter.keys.lanePosition('') };
    const outcome = await adapter.prepare({ lane, legs });
    if (!outcome.ok) throw new Error(outcome.message);
    const { carries = 0 } = outcome.prepared;
    expect(carries).toBeGreaterThan(3);
    expect(carries).toBeLessThan(12);
    const { bytes } = await adapter.sign(outcome.prepared, signer());
    expect(Buffer.from(bytes, 'base64').length).toBeLessThanOrEqual(1_232);
    const held = adapter.laneBalance(signer(), NATIVE)?.value ?? 0n;
    const plan = (amount: bigint) => JSON.stringify({ units: 1_000, opensAccount: false, sends: `${amount}` });
    const half = [1, 2].map(() => ({ leg: fillLeg(NATIVE, (held * 2n) / 3n), plan: plan((held * 2n) / 3n) }));
    const poor = await adapter.prepare({ lane, legs: half });
    expect(poor).toMatchObject({ ok: true, prepared: { carries: 1 } });
  });
});

describe('one recipient who refuses after the trial', () => {
  it('lets no one be paid, and the others are paid alone', async () => {
    const holder = anyAddress();
    const account = await token.give(new PublicKey(holder), 0n);
    const legs = named([
      fillLeg(NATIVE, 3_000_000n),
      fillLeg(mint(), 500n, holder),
      fillLeg(mint(), 700n),
    ]) as ReturnType<typeof fillLeg>[];
    const attempt = await signedTogether(adapter, legs);
    await sendBy(node, [createFreezeAccountInstruction(account, token.mint, minter.publicKey)], [minter]);
    const failed = await land(attempt);
    expect(failed).toMatchObject({ ok: false, effects: legs.map(({ legId }) => ({ legId, done: false, moved: 0n })) });
    expect(failed.fee).toBeGreaterThan(0n);
    for (const leg of legs) expect(await adapter.paidBy(leg, await node.time())).toBeUndefined();
    expect(await adapter.checkTogether?.(legs)).toBeUndefined();
    expect(await adapter.check(legs[1] as (typeof legs)[0])).toMatchObject({ ok: false, kind: 'refused' });
    for (const leg of [legs[0], legs[2]] as typeof legs) {
      const alone = await signed(adapter, leg);
      await adapter.send(alone.transaction);
      await eventually(
        () => lookAt(adapter, alone),
        (seen) => seen.state === 'spent' && seen.ok,
      );
    }
    await sendBy(node, [createThawAccountInstruction(account, token.mint, minter.publicKey)], [minter]);
    await adapter.send(attempt.transaction);
    for (const leg of legs)
      await eventually(
        () => timesFilled(leg.orderId),
        (times) => times === (leg === legs[1] ? 0 : 1),
      );
    expect(await lookAtShared(adapter, attempt)).toMatchObject({ state: 'spent', ok: false });
  });
});

describe('a message of several fills that runs out', () => {
  it('is proven dead as any other, and its fills go alone', async () => {
    const legs = [1, 2, 3].map(() => fillLeg(NATIVE, 3_000_000n));
    const attempt = await signedTogether(adapter, legs);
    const { lastValidHeight } = readKey(attempt.prepared.key);
    expect(await lookAtShared(adapter, attempt)).toEqual({ state: 'unspent', inPool: false });
    const final = () => node.connection.getBlockHeight('finalized');
    await node.clock.advance(lastValidHeight - (await final()));
    await node.clock.until(async () => (await final()) > lastValidHeight);
    expect(await lookAtShared(adapter, attempt)).toEqual({ state: 'spentByOther', final: true });
    for (const leg of legs) {
      const alone = await signed(adapter, leg);
      await adapter.send(alone.transaction);
      await eventually(
        () => lookAt(adapter, alone),
        (seen) => seen.state === 'spent' && seen.ok,
      );
    }
    expect(await adapter.send(attempt.transaction)).toMatchObject({ outcome: 'ambiguous' });
    await node.clock.reach('confirmed', (await node.clock.slot('confirmed')) + 6);
    for (const leg of legs) expect(await timesFilled(leg.orderId)).toBe(1);
  }, 120_000);
});
