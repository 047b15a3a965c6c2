import type { ChainAdapter, DepositObservation, Hex, SweepLeg } from '@causeway/core';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { ComputeBudgetProgram, type Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { DepositData } from '../src/deposits.js';
import { instructionOf } from '../src/message.js';
import { toOtherAccount } from './conformance/accounts.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { type AddressWatching, type TestBook, testBook, watchAddresses } from './support/address-book.js';
import { anyId, eventually, lookAt, signed } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { feeToken, plainToken, sendBy, type TestToken } from './support/tokens.js';

type Adapter = Awaited<ReturnType<TestSolver['start']>>;

const SOL = BigInt(LAMPORTS_PER_SOL);
const LEAST = 890_880n;

let node: LocalNode;
let solver: TestSolver;
let adapter: Adapter;
let payer: Keypair;
let plain: TestToken;
let costly: TestToken;
let prices = 0;

beforeAll(async () => {
  node = await startNode();
  const minter = await node.account(100);
  plain = await plainToken(node, minter);
  costly = await feeToken(node, minter, 100);
  solver = await fundedSolver(node, [plain, costly], 1_000, true);
  payer = await node.account(1_000);
  for (const token of [plain, costly]) await token.give(payer.publicKey, 10n ** 12n);
  adapter = await solver.start();
});

afterAll(async () => {
  await adapter?.stop();
  await node?.stop();
});

function capability(of: ChainAdapter = adapter) {
  const { depositAddresses } = of.capabilities;
  if (depositAddresses === undefined) throw new Error('there are no deposit addresses');
  return depositAddresses;
}

function made(book: TestBook, salt: Hex = anyId()): { readonly salt: Hex; readonly address: string } {
  return { salt, address: book.add(salt, capability().derive(salt)) };
}

/** Through the steps of a quote. */
async function pay(address: string, currency: string, amount: bigint): Promise<string> {
  prices += 1;
  const steps = capability().steps({ payer: payer.publicKey.toBase58(), address, currency, amount });
  const [data] = steps.flatMap(({ items }) => items.map((item) => item.data as DepositData));
  const apart = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: prices });
  return sendBy(node, [apart, ...(data?.instructions ?? []).map(instructionOf)], [payer]);
}

function sweepOf(seen: DepositObservation, salt: Hex): SweepLeg {
  const { fundingKey, amount, currency, depositAddress } = seen;
  return {
    ...{ kind: 'sweep', legId: `sweep ${fundingKey}`, fundingKey, amount, currency },
    useKey: adapter.useKey(fundingKey, 'sweep'),
    expiration: Math.floor(Date.now() / 1_000) + 600,
    from: { address: depositAddress ?? '', salt },
    recipient: adapter.facts.depository,
  };
}

async function sweep(leg: SweepLeg) {
  const attempt = await signed(adapter, leg);
  expect((await adapter.send(attempt.transaction)).outcome).toBe('accepted');
  const spent = await eventually(
    () => lookAt(adapter, attempt),
    (evidence) => evidence.state === 'spent',
  );
  if (spent.state !== 'spent') throw new Error('it was not spent');
  return spent;
}

const mintOf = ({ mint }: TestToken): string => mint.toBase58();
const vaultHolds = (currency: string): Promise<bigint> =>
  adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, currency);
const sweeperHolds = async (): Promise<bigint> => {
  const { sweeper } = solver;
  if (sweeper === undefined) throw new Error('there is no sweeper');
  return BigInt(await node.connection.getBalance(sweeper.publicKey, 'confirmed'));
};
const held = async (address: string, currency: string): Promise<bigint> =>
  (await capability().held([address], currency))[0] ?? -1n;

async function watching<T>(book: TestBook, task: (watch: AddressWatching) => Promise<T>): Promise<T> {
  const watch = watchAddresses(adapter, book);
  try {
    await eventually(
      async () => watch.batches.length,
      (count) => count > 0,
    );
    return await task(watch);
  } finally {
    await watch.end();
  }
}

it('derives the same address from the same keys, and another for each salt', async () => {
  const again = solver.unstarted();
  const [one, other] = [anyId(), anyId()];
  expect(capability(again).derive(one)).toBe(capability().derive(one));
  expect(capability().derive(one)).not.toBe(capability().derive(other));
  expect(adapter.lanes.map(({ sends }) => sends)).toEqual([['fill', 'refund', 'excess', 'collect'], ['sweep']]);
  expect(adapter.legCost('sweep', NATIVE)?.native).toBeGreaterThan(0n);
  expect(adapter.legCost('sweep', mintOf(plain))?.native).toBeGreaterThan(0n);
});

it('reports what is paid to an address, coins and tokens, once each', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { address } = made(book);
    const coins = await pay(address, NATIVE, SOL);
    const tokens = await pay(address, mintOf(plain), 5_000_000n);
    const more = await pay(address, NATIVE, 2n * SOL);
    const fees = await pay(address, mintOf(costly), 1_000_000n);
    const seen = await watch.until((all) => all.length === 4 && all.every(({ state }) => state === 'final'));
    const account = (token: TestToken): string =>
      getAssociatedTokenAddressSync(token.mint, new PublicKey(address), true, token.program).toBase58();
    const common = {
      ...{ chainId: adapter.facts.id, depositor: payer.publicKey.toBase58(), orderId: null, depositAddress: address },
      ...{ state: 'final', block: expect.anything() },
    };
    const expected = [
      [coins, address, NATIVE, SOL],
      [tokens, account(plain), mintOf(plain), 5_000_000n],
      [more, address, NATIVE, 2n * SOL],
      [fees, account(costly), mintOf(costly), 990_000n],
    ].map(([transactionHash, at, currency, amount]) => ({
      ...{ ...common, transactionHash, currency, amount },
      fundingKey: `${adapter.facts.id}:${transactionHash}:${at}`,
    }));
    expect(new Set(seen)).toEqual(new Set(expected));
    expect(await held(address, NATIVE)).toBe(3n * SOL);
    expect(await held(address, mintOf(costly))).toBe(990_000n);
    const sightings = seen.flatMap((one) => (one.block === null ? [] : [{ ...one, block: one.block, providers: 1 }]));
    expect(await adapter.witness(sightings)).toEqual([true, true, true, true]);
    const others = sightings.map((one) => ({ ...one, amount: one.amount + 1n }));
    expect(await adapter.witness(others)).toEqual([false, false, false, false]);
  });
});

it('finds what came before the address was added, and nothing twice after a restart', async () => {
  const book = testBook();
  const salt = anyId();
  const address = capability().derive(salt);
  await pay(address, NATIVE, SOL);
  await pay(address, mintOf(plain), 7n);
  await watching(book, async (watch) => {
    book.add(salt, address);
    await watch.until((all) => all.length === 2);
  });
  const before = new Map(book.applied.seen);
  await pay(address, NATIVE, SOL);
  const fresh = await solver.start();
  try {
    const watch = watchAddresses(fresh, book);
    const seen = await watch.until((all) => all.length === 3 && all.every(({ state }) => state === 'final'));
    await watch.end();
    expect(seen.filter(({ fundingKey }) => before.has(fundingKey))).toHaveLength(2);
    expect(watch.batches.flatMap(({ deposits }) => deposits.filter(({ state }) => state === 'vanished'))).toEqual([]);
  } finally {
    await fresh.stop();
  }
});

it('sweeps each transfer exactly, coins and tokens, and takes the rent back', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { salt, address } = made(book);
    for (const currency of [NATIVE, NATIVE, mintOf(plain), mintOf(plain), mintOf(costly)])
      await pay(address, currency, currency === NATIVE ? SOL : 3_000_000n);
    const seen = await watch.until((all) => all.length === 5 && all.every(({ state }) => state === 'final'));
    for (const one of seen) {
      const before = { vault: await vaultHolds(one.currency), sweeper: await sweeperHolds() };
      const left = (await held(address, one.currency)) - one.amount;
      const spent = await sweep(sweepOf(one, salt));
      const lost = one.currency === mintOf(costly) ? (one.amount + 99n) / 100n : 0n;
      expect(spent).toMatchObject({
        ...{ ok: true, feePaidBy: { pot: 'lane', owner: solver.sweeper?.publicKey.toBase58() } },
        effects: [{ done: true, moved: one.amount, ...(lost > 0n && { arrived: one.amount - lost }) }],
      });
      expect((await vaultHolds(one.currency)) - before.vault).toBe(one.amount - lost);
      expect(before.sweeper - (await sweeperHolds())).toBe(spent.fee);
      // With the last transfer the account is closed, whose rent is more than the fee.
      expect(spent.fee < 0n).toBe(one.currency !== NATIVE && left === 0n);
      expect(await held(address, one.currency)).toBe(left);
    }
    // Neither sweeps nor what they moved are deposits.
    await node.clock.advance(40);
    expect([...book.applied.seen.values()]).toHaveLength(5);
  });
});

it('refuses a leg that was swept, though another transfer is there, and finds the payment', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { salt, address } = made(book);
    await pay(address, NATIVE, SOL);
    const [first] = await watch.until((all) => all.length === 1);
    if (first === undefined) throw new Error('nothing was seen');
    const leg = sweepOf(first, salt);
    expect(await adapter.paidBy(leg, 0)).toBeUndefined();
    const { hash } = await sweep(leg);
    await pay(address, NATIVE, SOL);
    const all = await watch.until((every) => every.length === 2);
    expect(await adapter.check(leg, '')).toMatchObject({ ok: false, kind: 'refused', reason: 'INVALID_NONCE' });
    expect(await adapter.paidBy(leg, 0)).toMatchObject({
      ...{ hash, currency: NATIVE, recipient: adapter.facts.depository, moved: SOL },
      sender: solver.sweeper?.publicKey.toBase58(),
    });
    const second = all.find(({ fundingKey }) => fundingKey !== first.fundingKey);
    if (second === undefined) throw new Error('it was not seen');
    expect(await sweep(sweepOf(second, salt))).toMatchObject({ ok: true, effects: [{ done: true, moved: SOL }] });
    expect(await held(address, NATIVE)).toBe(0n);
  });
});

it('reports a transfer that comes after the account was swept and closed', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { salt, address } = made(book);
    for (const currency of [mintOf(plain), mintOf(costly)]) {
      const before = watch.seen().length;
      await pay(address, currency, 14_000n);
      const first = (await watch.until((all) => all.length > before)).at(-1);
      if (first === undefined) throw new Error('nothing was seen');
      await sweep(sweepOf(first, salt));
      await pay(address, currency, 6_000n);
      const second = (await watch.until((all) => all.length > before + 1)).at(-1);
      expect(second?.amount).toBe(currency === mintOf(costly) ? 5_940n : 6_000n);
    }
  });
});

/** Two payments, the second below the rent minimum. */
async function largeAndSmall(watch: AddressWatching, address: string) {
  await pay(address, NATIVE, SOL);
  await pay(address, NATIVE, 300_000n);
  const seen = await watch.until((all) => all.length === 2);
  const [large, small] = [...seen].sort((a, b) => (a.amount < b.amount ? 1 : -1));
  if (large === undefined || small === undefined) throw new Error('nothing was seen');
  return [large, small] as const;
}

it('lends an address the rent minimum where less would remain, and takes it back in the end', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { salt, address } = made(book);
    const [large, small] = await largeAndSmall(watch, address);
    const funds = await sweeperHolds();
    const lending = await sweep(sweepOf(large, salt));
    expect(await held(address, NATIVE)).toBe(LEAST);
    const returning = await sweep(sweepOf(small, salt));
    expect(await held(address, NATIVE)).toBe(0n);
    expect(lending.fee + returning.fee).toBe(funds - (await sweeperHolds()));
    expect(returning.fee).toBeLessThan(0n);
    expect(lending.fee + returning.fee).toBeLessThan(50_000n);
    await node.clock.advance(40);
    expect(watch.seen()).toHaveLength(2);
  });
});

it('lends nothing for dust that strangers send to an address, and takes back what it lent in addition to dust', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { salt, address } = made(book);
    await pay(address, NATIVE, SOL);
    // Less than what is recorded.
    await pay(address, NATIVE, 1n);
    const [large] = await watch.until((all) => all.length === 2);
    if (large === undefined) throw new Error('nothing was seen');
    const dusty = await sweep({ ...sweepOf(large, salt), amount: SOL, others: 0n });
    expect(dusty.fee).toBeLessThan(50_000n);
    expect(await held(address, NATIVE)).toBe(0n);
    await pay(address, NATIVE, SOL);
    await pay(address, NATIVE, 300_000n);
    const later = (await watch.until((all) => all.length === 4)).slice(2);
    const [second, small] = later.sort((a, b) => (a.amount < b.amount ? 1 : -1));
    if (second === undefined || small === undefined) throw new Error('nothing was seen');
    const lending = await sweep({ ...sweepOf(second, salt), others: small.amount });
    expect(await held(address, NATIVE)).toBe(LEAST);
    await pay(address, NATIVE, 1n);
    const returning = await sweep({ ...sweepOf(small, salt), others: 0n });
    expect(await held(address, NATIVE)).toBe(0n);
    expect(lending.fee + returning.fee).toBeLessThan(50_000n);
  });
});

it('sweeps a small transfer whose coins went to the sweeper before it was recorded', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { salt, address } = made(book);
    const [large, small] = await largeAndSmall(watch, address);
    const [vault, sweeper] = [await vaultHolds(NATIVE), await sweeperHolds()];
    await sweep({ ...sweepOf(large, salt), others: 0n });
    expect(await held(address, NATIVE)).toBe(0n);
    await sweep({ ...sweepOf(small, salt), others: 0n });
    expect((await vaultHolds(NATIVE)) - vault).toBe(SOL + 300_000n);
    expect(sweeper - (await sweeperHolds())).toBeLessThan(50_000n);
  });
});

it('takes failed transfers, unknown tokens and lamports of a token account for nothing', async () => {
  const book = testBook();
  const minter = await node.account(100);
  const unknown = await plainToken(node, minter);
  await watching(book, async (watch) => {
    const { address } = made(book);
    const to = new PublicKey(address);
    const beyond = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 10n ** 15n });
    await expect(sendBy(node, [beyond], [payer])).rejects.toThrow();
    await unknown.give(to, 5n);
    await pay(address, NATIVE, SOL);
    // Lamports of a token account are no tokens.
    const account = await plain.give(to, 0n);
    await sendBy(
      node,
      [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: account, lamports: 1_000_000n })],
      [payer],
    );
    const from = getAssociatedTokenAddressSync(plain.mint, payer.publicKey, true, plain.program);
    const paying = createTransferCheckedInstruction(from, plain.mint, account, payer.publicKey, 9n, 6);
    await sendBy(node, [paying], [payer]);
    const seen = await watch.until((all) => all.length >= 2 && all.every(({ state }) => state === 'final'));
    expect(seen.map(({ amount, currency }) => [currency, amount])).toEqual([
      [NATIVE, SOL],
      [mintOf(plain), 9n],
    ]);
  });
});

it('names tokens in another account of an address, and funds nothing with them', async () => {
  const book = testBook();
  await watching(book, async (watch) => {
    const { address } = made(book);
    const owner = new PublicKey(address);
    const other = { from: payer.publicKey, vault: owner, amount: 70_000n };
    const { instructions, signers } = await toOtherAccount(node.connection, plain, other);
    const coins = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: owner, lamports: SOL });
    await sendBy(node, [...instructions, coins], [payer, ...signers]);
    const seen = await watch.until((all) => all.length === 2);
    expect(seen.map(({ currency, amount, stray }) => [currency, amount, stray])).toEqual([
      [NATIVE, SOL, undefined],
      [mintOf(plain), 70_000n, true],
    ]);
  });
});

it('pays for no sweep that it cannot, and sends none twice', async () => {
  const poor = await fundedSolver(node, [plain], 1, true);
  const one = await poor.start();
  try {
    const book = testBook();
    const salt = anyId();
    const address = book.add(salt, capability(one).derive(salt));
    await pay(address, NATIVE, SOL);
    const watch = watchAddresses(one, book);
    const [seen] = await watch.until((all) => all.length === 1);
    await watch.end();
    if (seen === undefined || poor.sweeper === undefined) throw new Error('nothing was seen');
    const leg = { ...sweepOf(seen, salt), recipient: one.facts.depository };
    const { signer = '' } = one.lanes[1] ?? {};
    expect(await one.check({ ...leg, amount: 2n * SOL }, signer)).toMatchObject({ ok: false, kind: 'unavailable' });
    expect(await one.check({ ...leg, recipient: address }, signer)).toMatchObject({ ok: false, kind: 'refused' });
    expect(await one.check({ ...leg, from: { address, salt: anyId() } }, signer)).toMatchObject({ ok: false });
    expect(await one.check(leg, poor.fill.publicKey.toBase58())).toMatchObject({ ok: false, kind: 'refused' });
    const all = BigInt(await node.connection.getBalance(poor.sweeper.publicKey, 'confirmed')) - 1_000_000n;
    const away = { fromPubkey: poor.sweeper.publicKey, toPubkey: payer.publicKey, lamports: all };
    await sendBy(node, [SystemProgram.transfer(away)], [payer, poor.sweeper]);
    expect(await one.check(leg, signer)).toMatchObject({ kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' });
  } finally {
    await one.stop();
  }
});
