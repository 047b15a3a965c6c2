import { EVERY_LEG, type LegInstruction, laneThatSends } from '@causeway/core';
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { associatedAccount } from '../src/token-accounts.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { type Attempt, anyId, collectLeg, eventually, fillLeg, refundLeg, signed } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { plainToken, type TestToken } from './support/tokens.js';

let node: LocalNode;
let token: TestToken;
let solver: TestSolver;
let before: SvmAdapter;
let after: SvmAdapter;
let since: number;

const NEW = Keypair.generate();
const ENOUGH = 3_000_000n;

beforeAll(async () => {
  node = await startNode();
  token = await plainToken(node, await node.account(1_000));
  solver = await fundedSolver(node, [token]);
  before = await solver.start();
  since = await node.time();
});
afterAll(async () => {
  await Promise.all([before?.stop(), after?.stop()]);
  await node?.stop();
});

const former = () => solver.fill.publicKey.toBase58();
const coins = (address: PublicKey) => node.connection.getBalance(address, 'confirmed');
const tokens = async (owner: string) => {
  const account = associatedAccount(token.mint.toBase58(), owner, token.program.toBase58());
  const { value } = await node.connection.getTokenAccountBalance(new PublicKey(account), 'confirmed');
  return BigInt(value.amount);
};

async function signedBy(signer: string, leg: LegInstruction): Promise<Attempt> {
  const check = await after.check(leg, signer);
  if (!check.ok) throw new Error(`${check.reason}: ${check.message}`);
  const position = await after.keys.lanePosition(signer);
  const outcome = await after.prepare({ lane: { signer, position }, legs: [{ leg, plan: check.plan }] });
  if (!outcome.ok) throw new Error(outcome.message);
  return { leg, prepared: outcome.prepared, transaction: await after.sign(outcome.prepared, signer) };
}

/** Sent by the service after the change. */
async function lands({ leg, prepared, transaction }: Attempt, signer = former()) {
  expect(await after.send(transaction)).toEqual({ outcome: 'accepted' });
  const key = { key: prepared.key, signer, attempts: [{ hash: transaction.hash, legs: [leg] }] };
  const evidence = await eventually(
    async () => (await after.look([key]))[0],
    (one) => one?.state === 'spent',
  );
  if (evidence?.state !== 'spent') throw new Error('not spent');
  return evidence;
}

describe('a fill signer that was replaced', () => {
  let stuck: Attempt;

  it('has a lane of its own, which gets nothing new, and is no recipient of fills', async () => {
    stuck = await signed(before, fillLeg(NATIVE, ENOUGH));
    await node.fund(NEW.publicKey, 10 * LAMPORTS_PER_SOL);
    await token.give(NEW.publicKey, 1_000_000n);
    after = await solver.rotatedTo(NEW).start();
    expect(after.lanes).toEqual([
      { signer: NEW.publicKey.toBase58(), sends: EVERY_LEG },
      { signer: former(), sends: EVERY_LEG, former: true },
    ]);
    for (const kind of EVERY_LEG) expect(laneThatSends(after.lanes, kind)?.signer).toBe(NEW.publicKey.toBase58());
    expect(after.status()).toMatchObject({ healthy: true });
    expect(after.laneBalance(former(), NATIVE)?.value).toBe(BigInt(await coins(solver.fill.publicKey)));
    expect(after.laneBalance(former(), token.mint.toBase58())?.value).toBe(10n ** 12n);
    for (const recipient of [former(), NEW.publicKey.toBase58()]) {
      expect(after.refuseFill({ currency: NATIVE, amount: ENOUGH, recipient })).toMatchObject({ why: 'recipient' });
      expect(await after.check(fillLeg(NATIVE, ENOUGH, recipient))).toMatchObject({ ok: false, kind: 'refused' });
    }
  });

  it('completes what it had signed, with the same bytes; the proof names it', async () => {
    const { leg, transaction } = stuck;
    const evidence = await lands(stuck);
    expect(evidence).toMatchObject({
      ...{ ok: true, hash: transaction.hash, feePaidBy: { pot: 'lane', owner: former() } },
      effects: [{ legId: leg.legId, done: true, moved: ENOUGH }],
    });
    expect(await coins(new PublicKey(leg.recipient))).toBe(Number(ENOUGH));
    const paid = await eventually(
      () => after.paidBy(leg, since),
      (one) => one !== undefined,
    );
    expect(paid).toMatchObject({ hash: transaction.hash, sender: former(), moved: ENOUGH });
  });

  it('signs what it was given, each kind, out of its own funds and for its own fees', async () => {
    const mint = token.mint.toBase58();
    await node.fund(solver.vault.publicKey, LAMPORTS_PER_SOL);
    await token.give(solver.vault.publicKey, 500n);
    const untouched = [await coins(NEW.publicKey), await tokens(NEW.publicKey.toBase58())];
    const inventory = await tokens(former());
    const legs = [fillLeg(mint, 200n), refundLeg(NATIVE, ENOUGH), collectLeg(mint, 300n, former())];
    for (const leg of legs) {
      const evidence = await lands(await signedBy(former(), leg));
      expect(evidence).toMatchObject({ ok: true, feePaidBy: { owner: former() }, effects: [{ done: true }] });
      const paid = await eventually(
        () => after.paidBy(leg, since),
        (one) => one !== undefined,
      );
      expect(paid).toMatchObject({ hash: evidence.hash, sender: former(), recipient: leg.recipient });
    }
    expect([await coins(NEW.publicKey), await tokens(NEW.publicKey.toBase58())]).toEqual(untouched);
    expect(await tokens(former())).toBe(inventory + 100n);
  });

  it('shares a message for several of its fills, tried out of its own funds', async () => {
    const signer = former();
    const more = BigInt(await coins(NEW.publicKey)) + ENOUGH;
    const legs = [fillLeg(NATIVE, more), { ...fillLeg(NATIVE, ENOUGH), legId: 'second' }];
    const checks = await after.checkTogether(legs, signer);
    expect(checks).toHaveLength(2);
    expect(await after.checkTogether(legs, NEW.publicKey.toBase58())).toBeUndefined();
  });

  it('leaves the new one its own lane', async () => {
    const leg = fillLeg(NATIVE, ENOUGH);
    const evidence = await lands(await signedBy(NEW.publicKey.toBase58(), leg), NEW.publicKey.toBase58());
    expect(evidence).toMatchObject({ ok: true, feePaidBy: { owner: NEW.publicKey.toBase58() } });
    const start = await before.keys.lanePosition(former());
    const sent = async (signer: string) => {
      const { sent } = await after.keys.sentSince(signer, '0/0', start);
      return sent.flatMap(({ filled }) => filled);
    };
    expect(await sent(NEW.publicKey.toBase58())).toEqual([leg.orderId]);
    expect(await sent(former())).toContain((stuck.leg as typeof leg).orderId);
  });

  it('has filled what its history names: only what neither filled is permanently unfilled', async () => {
    const { leg } = stuck;
    if (leg.kind !== 'fill') throw new Error('a fill');
    // Long past, so that only the histories decide.
    await eventually(
      () => after.unfilledForGood(anyId(), 1, since),
      (unfilled) => unfilled,
    );
    expect(await after.unfilledForGood(leg.orderId, 1, since)).toBe(false);
  });

  it('has a lane only where it is named', async () => {
    const lane = { signer: NEW.publicKey.toBase58(), position: await before.keys.lanePosition('') };
    await expect(before.prepare({ lane, legs: [] })).rejects.toThrow(/no key for/);
  });
});
