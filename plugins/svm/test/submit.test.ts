import { jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { type Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { readKey } from '../src/keys.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { associatedAccount } from '../src/token-accounts.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import {
  type Attempt,
  anyAddress,
  collectLeg,
  eventually,
  fillLeg,
  lookAt,
  refundLeg,
  signed,
} from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { feeToken, plainToken, type TestToken } from './support/tokens.js';

let node: LocalNode;
let minter: Keypair;
let plain: TestToken;
let costly: TestToken;
let solver: TestSolver;
let adapter: SvmAdapter;

beforeAll(async () => {
  node = await startNode();
  minter = await node.account(1_000);
  plain = await plainToken(node, minter);
  costly = await feeToken(node, minter, 100);
  solver = await fundedSolver(node, [plain, costly]);
  adapter = await solver.start();
});
afterAll(async () => {
  await adapter?.stop();
  await node?.stop();
});

const fillSigner = () => solver.fill.publicKey.toBase58();
const tokensOf = (owner: string, { mint, program }: TestToken) =>
  node.connection
    .getTokenAccountBalance(pubkey(associatedAccount(mint.toBase58(), owner, program.toBase58())), 'confirmed')
    .then(({ value }) => BigInt(value.amount));
const pubkey = (text: string) => new PublicKey(text);

async function land(attempt: Attempt) {
  expect(await adapter.send(attempt.transaction)).toEqual({ outcome: 'accepted' });
  const evidence = await eventually(
    () => lookAt(adapter, attempt),
    ({ state }) => state === 'spent',
  );
  if (evidence.state !== 'spent') throw new Error('not spent');
  return evidence;
}

describe('what a movement does', () => {
  it('reports what arrived of a collection where the mint charges a fee on transfer, and nothing apart where it keeps none', async () => {
    for (const [token, arrived] of [[costly, 9_900n] as const, [plain, undefined] as const]) {
      await token.give(solver.vault.publicKey, 10_000n);
      const before = await tokensOf(fillSigner(), token);
      const evidence = await land(await signed(adapter, collectLeg(token.mint.toBase58(), 10_000n, fillSigner())));
      const reported = { legId: 'collect', done: true, moved: 10_000n };
      expect(evidence.effects).toEqual([arrived === undefined ? reported : { ...reported, arrived }]);
      expect((await tokensOf(fillSigner(), token)) - before).toBe(arrived ?? 10_000n);
    }
  });

  it('opens the account of a recipient who has none, and counts its rent to what it cost', async () => {
    const leg = fillLeg(plain.mint.toBase58(), 1_000n);
    const attempt = await signed(adapter, leg);
    const before = await node.connection.getBalance(solver.fill.publicKey, 'confirmed');
    const evidence = await land(attempt);
    expect(evidence).toMatchObject({ ok: true, effects: [{ done: true, moved: 1_000n }] });
    expect(await tokensOf(leg.recipient, plain)).toBe(1_000n);
    const spent = BigInt(before - (await node.connection.getBalance(solver.fill.publicKey, 'confirmed')));
    const rent = BigInt(await node.connection.getMinimumBalanceForRentExemption(165));
    expect(evidence.fee).toBe(spent);
    expect(spent).toBeGreaterThan(rent);
    expect(spent).toBeLessThanOrEqual(attempt.prepared.maxFee);
    expect(adapter.legCost('fill', leg.currency, anyAddress())?.native).toBeGreaterThanOrEqual(spent);
  });

  it('fills with what arrives where a mint charges a fee on transfer, and refunds what leaves the vault', async () => {
    const currency = costly.mint.toBase58();
    const fill = await land(await signed(adapter, fillLeg(currency, 9_900n, minter.publicKey.toBase58())));
    expect(fill).toMatchObject({ ok: true, effects: [{ done: true, moved: 10_000n }] });
    await costly.give(solver.vault.publicKey, 50_000n);
    const back = refundLeg(currency, 50_000n);
    expect(await land(await signed(adapter, back))).toMatchObject({
      ok: true,
      effects: [{ done: true, moved: 50_000n }],
    });
    expect(await tokensOf(back.recipient, costly)).toBe(49_500n);
    expect(await adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, currency)).toBe(0n);
  });

  it('is described with who gained and lost what', async () => {
    const leg = fillLeg(plain.mint.toBase58(), 77n);
    const { hash, fee } = await land(await signed(adapter, leg));
    const entry = await adapter.describeTransaction(hash);
    expect(entry).toMatchObject({ txHash: hash, status: 'success', type: 'onchain', fee: fee.toString() });
    expect(entry?.data).toMatchObject({ from: fillSigner() });
    const change = (address: string, tokenAddress: string, diff: bigint) => ({
      address,
      change: { kind: 'token', balanceDiff: diff.toString(), data: { tokenKind: 'ft', tokenAddress } },
    });
    const rent = BigInt(await node.connection.getMinimumBalanceForRentExemption(165));
    const account = associatedAccount(leg.currency, leg.recipient, plain.program.toBase58());
    const changes = entry?.stateChanges as readonly unknown[];
    expect(changes).toHaveLength(4);
    expect(changes).toEqual(
      expect.arrayContaining([
        change(fillSigner(), NATIVE, -fee),
        change(account, NATIVE, rent),
        change(fillSigner(), leg.currency, -77n),
        change(leg.recipient, leg.currency, 77n),
      ]),
    );
  });

  it('reports why it failed where it landed and did nothing', async () => {
    const currency = plain.mint.toBase58();
    const all = await adapter.potBalance({ pot: 'lane', owner: fillSigner() }, currency);
    const both = [1, 2].map(() => fillLeg(currency, (all * 2n) / 3n));
    const attempts = await Promise.all(both.map((leg) => signed(adapter, leg)));
    const [one, two] = [await land(attempts[0] as Attempt), await land(attempts[1] as Attempt)];
    expect(one.ok).toBe(true);
    expect(two).toMatchObject({
      ok: false,
      effects: [{ done: false, moved: 0n }],
      failure: {
        reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
        call: { from: fillSigner(), to: plain.program.toBase58() },
      },
    });
    expect(await adapter.describeTransaction(two.hash)).toMatchObject({ status: 'failure', fee: two.fee.toString() });
    await plain.give(solver.fill.publicKey, all);
  });

  it('is found later by any client that asks who paid it, and nothing else is', async () => {
    const leg = fillLeg(NATIVE, 5_000_000n);
    const since = await node.time();
    expect(await adapter.paidBy(leg, since)).toBeUndefined();
    const { hash } = await land(await signed(adapter, leg));
    const paid = await eventually(
      () => adapter.paidBy(leg, since),
      (one) => one !== undefined,
    );
    expect(paid).toMatchObject({ hash, sender: fillSigner(), recipient: leg.recipient, moved: 5_000_000n });
    expect(await adapter.paidBy({ ...leg, orderId: fillLeg(NATIVE, 1n).orderId }, since)).toBeUndefined();
  });
});

describe('a message that runs out', () => {
  it('is dead only when its last height is final at every provider that has kept its blocks', async () => {
    const proxy = await jsonRpcFaultProxy(node.url);
    const two = await solver.start({ rpc: [{ http: node.url }, { http: proxy.url }] });
    const attempt = await signed(two, fillLeg(NATIVE, 5_000_000n));
    const { lastValidHeight } = readKey(attempt.prepared.key);
    const height = (commitment: 'confirmed' | 'finalized') => node.connection.getBlockHeight(commitment);
    const isPast = (commitment: 'confirmed' | 'finalized') => async () => (await height(commitment)) > lastValidHeight;
    await node.clock.hold();
    await node.clock.advance(lastValidHeight - (await height('confirmed')));
    await node.clock.until(isPast('confirmed'));
    expect(await height('finalized')).toBeLessThanOrEqual(lastValidHeight);
    expect(await lookAt(two, attempt)).toEqual({ state: 'unspent', inPool: false });
    expect(await two.send(attempt.transaction)).toMatchObject({ outcome: 'ambiguous' });
    await node.clock.until(isPast('finalized'));
    node.clock.run();
    const reported = async (method: string, result: unknown) => {
      proxy.plan = only(method, { result });
      return lookAt(two, attempt);
    };
    expect(await reported('getFirstAvailableBlock', 100_000)).toMatchObject({ state: 'unknown' });
    expect(await reported('getBlockHeight', lastValidHeight)).toMatchObject({ state: 'unknown' });
    expect(await reported('getSignatureStatuses', { context: { slot: 1 }, value: [null] })).toMatchObject({
      state: 'unknown',
    });
    const landed = { slot: 40, err: null, confirmationStatus: 'finalized' };
    const known = { context: { slot: 10 ** 9 }, value: [landed] };
    expect(await reported('getSignatureStatuses', known)).toMatchObject({ state: 'unknown' });
    proxy.plan = only('getSignatureStatuses', {
      error: { code: -32011, message: 'Transaction history is not available' },
    });
    expect(await lookAt(two, attempt)).toMatchObject({ state: 'unknown' });
    proxy.heal();
    expect(await lookAt(two, attempt)).toEqual({ state: 'spentByOther', final: true });
    await two.stop();
    await proxy.close();
  }, 90_000);

  it('leaves no proof behind where history was pruned', async () => {
    const proxy = await jsonRpcFaultProxy(node.url);
    const one = await solver.start({ rpc: [{ http: proxy.url }] });
    const leg = fillLeg(NATIVE, 5_000_000n);
    const start = await one.keys.lanePosition('');
    expect(await one.paidBy(leg, await node.time())).toBeUndefined();
    expect((await one.keys.sentSince('', start, start)).pending).toBe(true);
    const head = await node.connection.getSlot('confirmed');
    proxy.plan = only('getFirstAvailableBlock', { result: head });
    await expect(one.paidBy(leg, (await node.time()) - 3_600_000)).rejects.toThrow(/pruned/);
    await expect(one.keys.sentSince('', start, start)).rejects.toThrow(/pruned/);
    await one.stop();
    await proxy.close();
  });

  it('takes the word of no node that is behind what was seen: what it lacks may be there', async () => {
    const proxy = await jsonRpcFaultProxy(node.url);
    const one = await solver.start({ rpc: [{ http: proxy.url }] });
    const leg = fillLeg(NATIVE, 5_000_000n);
    const start = await one.keys.lanePosition('');
    const since = await node.time();
    proxy.plan = only('getSlot', { result: 40 });
    await expect(one.paidBy(leg, since)).rejects.toThrow(/lags behind/);
    await expect(one.keys.sentSince('', start, start)).rejects.toThrow(/lags behind/);
    await expect(one.keys.lanePosition('')).rejects.toThrow(/lags behind/);
    await one.stop();
    await proxy.close();
  });
});

describe('what a refusal to send means', () => {
  it('is read by its words, and what no words name is doubt', async () => {
    const proxy = await jsonRpcFaultProxy(node.url);
    const one = await solver.start({ rpc: [{ http: proxy.url }] });
    const { transaction } = await signed(one, fillLeg(NATIVE, 5_000_000n));
    const sent = async (message: string) => {
      proxy.plan = only('sendTransaction', { error: { code: -32002, message } });
      return one.send(transaction);
    };
    const rejected = (meaning: string) => expect.objectContaining({ outcome: 'rejected', meaning });
    expect(await sent('Transaction simulation failed: Blockhash not found')).toEqual(rejected('keySpent'));
    expect(await sent('Transaction signature verification failure')).toEqual(rejected('invalid'));
    expect(await sent('base64 encoded/raw too large: 1800 bytes')).toEqual(rejected('tooLarge'));
    expect(await sent('This transaction has already been processed')).toEqual({ outcome: 'known' });
    expect(await sent('Node is behind by 42 slots')).toMatchObject({ outcome: 'ambiguous' });
    proxy.plan = only('sendTransaction', 'dropAfter');
    expect(await one.send(transaction)).toMatchObject({ outcome: 'ambiguous' });
    proxy.heal();
    await eventually(
      async () => one.status().healthy,
      (healthy) => healthy,
    );
    expect(await one.send(transaction)).toEqual({ outcome: 'known' });
    await one.stop();
    await proxy.close();
  });
});
