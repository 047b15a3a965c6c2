import { createCloseAccountInstruction, createFreezeAccountInstruction, getAccount } from '@solana/spl-token';
import { type Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { PROGRAMS } from '../src/programs.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { associatedAccount } from '../src/token-accounts.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { anyAddress, eventually, fillLeg, refundLeg } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { plainToken, sendBy, type TestToken } from './support/tokens.js';

let node: LocalNode;
let minter: Keypair;
let token: TestToken;
let mint: string;
let solver: TestSolver;
let adapter: SvmAdapter;

beforeAll(async () => {
  node = await startNode();
  minter = await node.account(1_000);
  token = await plainToken(node, minter, true);
  mint = token.mint.toBase58();
  solver = await fundedSolver(node, [token]);
  adapter = await solver.start();
});
afterAll(async () => {
  await adapter?.stop();
  await node?.stop();
});

const check = (leg: Parameters<SvmAdapter['check']>[0]) => adapter.check(leg);
const rejected = { ok: false, kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' };

describe('a recipient who could never get at it', () => {
  it('is refused: a program', async () => {
    expect(await check(fillLeg(NATIVE, 10_000_000n, PROGRAMS.token))).toMatchObject(rejected);
    expect(await check(fillLeg(mint, 10n, PROGRAMS.token))).toMatchObject(rejected);
  });

  it('is refused: a token account, or the mint itself', async () => {
    const account = associatedAccount(mint, minter.publicKey.toBase58(), PROGRAMS.token);
    await token.give(minter.publicKey, 0n);
    for (const recipient of [account, mint]) {
      expect(await check(fillLeg(mint, 10n, recipient))).toMatchObject(rejected);
      expect(await check(fillLeg(NATIVE, 10_000_000n, recipient))).toMatchObject(rejected);
    }
  });

  it('is refused before anything is promised: what the address says, and what its account says', async () => {
    const { fill, vault } = solver;
    const sysvar = 'SysvarC1ock11111111111111111111111111111111';
    const known = [fill, vault].map(({ publicKey }) => publicKey.toBase58());
    for (const recipient of [...known, NATIVE, PROGRAMS.token2022, sysvar])
      expect(adapter.refuseFill({ currency: mint, amount: 10n, recipient })).toMatchObject({ why: 'recipient' });
    expect(adapter.refuseFill({ currency: mint, amount: 10n, recipient: anyAddress() })).toBeUndefined();
    const account = associatedAccount(mint, minter.publicKey.toBase58(), PROGRAMS.token);
    await token.give(minter.publicKey, 0n);
    for (const recipient of [account, mint, PROGRAMS.token])
      for (const currency of [NATIVE, mint])
        expect(await adapter.fillCost({ currency, amount: 10_000_000n, recipient })).toMatchObject(rejected);
    expect(await adapter.fillCost({ currency: mint, amount: 1n, recipient: anyAddress() })).toBeUndefined();
  });

  it('is refused: a token account that is not open yet, and what the chain keeps', async () => {
    const owner = (await node.account(1)).publicKey.toBase58();
    const unopened = associatedAccount(mint, owner, PROGRAMS.token);
    const destroys = '1nc1nerator11111111111111111111111111111111';
    for (const recipient of [unopened, destroys])
      for (const currency of [NATIVE, mint])
        expect(await check(fillLeg(currency, 10_000_000n, recipient))).toMatchObject(rejected);
    await token.give(minter.publicKey, 0n);
    const opened = associatedAccount(mint, minter.publicKey.toBase58(), PROGRAMS.token);
    for (const address of [unopened, opened, mint, PROGRAMS.token, PROGRAMS.memo])
      expect(await adapter.refuseAccount(address)).toMatch(/not open|token account|program/);
    for (const address of [owner, anyAddress()]) expect(await adapter.refuseAccount(address)).toBeUndefined();
    for (const address of [destroys, PROGRAMS.token, 'SysvarC1ock11111111111111111111111111111111'])
      expect(adapter.refuseAddress(address)).toMatch(/program/);
    expect(adapter.refuseAddress(owner)).toBeUndefined();
    expect(await check(refundLeg(mint, 10n, unopened))).not.toMatchObject(rejected);
    expect(adapter.leastLeft(NATIVE)).toBe(BigInt(await node.connection.getMinimumBalanceForRentExemption(0)));
    expect(adapter.leastLeft(mint)).toBeUndefined();
  });

  it('is given the least that a new account can be paid, and nothing where there is one', async () => {
    const least = BigInt(await node.connection.getMinimumBalanceForRentExemption(0));
    const recipient = anyAddress();
    for (let again = 0; again < 2; again += 1) {
      expect(await adapter.fillCost({ currency: NATIVE, amount: least - 1n, recipient })).toMatchObject({
        ...{ ok: false, kind: 'refused', reason: 'INSUFFICIENT_FUNDS_FOR_RENT', least },
      });
      expect(await adapter.fillCost({ currency: NATIVE, amount: least, recipient })).toBeUndefined();
    }
    expect(await check(fillLeg(NATIVE, least - 1n, recipient))).toMatchObject({
      reason: 'INSUFFICIENT_FUNDS_FOR_RENT',
    });
    expect(await check(fillLeg(NATIVE, least, recipient))).toMatchObject({ ok: true });
    const there = (await node.account(1)).publicKey.toBase58();
    expect(await adapter.fillCost({ currency: NATIVE, amount: 1n, recipient: there })).toBeUndefined();
    expect(await check(fillLeg(NATIVE, 1n, there))).toMatchObject({ ok: true });
  });

  it('is refused: a frozen account', async () => {
    const owner = (await node.account(1)).publicKey;
    const account = await token.give(owner, 5n);
    expect(await check(fillLeg(mint, 10n, owner.toBase58()))).toMatchObject({ ok: true });
    await sendBy(node, [createFreezeAccountInstruction(account, token.mint, minter.publicKey)], [minter]);
    await eventually(
      () => getAccount(node.connection, account, 'confirmed'),
      ({ isFrozen }) => isFrozen,
    );
    expect(await check(fillLeg(mint, 10n, owner.toBase58()))).toMatchObject(rejected);
  });

  it('is refused: what is no address, as a depositor whom the chain does not name', async () => {
    const noOne = `token-account:${anyAddress()}`;
    expect(adapter.legCost('refund', mint, noOne)?.rent).toBeGreaterThan(0n);
    expect(adapter.legCost('refund', NATIVE, noOne)?.native).toBeGreaterThan(0n);
    for (const currency of [mint, NATIVE]) {
      for (const leg of [fillLeg(currency, 10n, noOne), refundLeg(currency, 10n, noOne)]) {
        expect(await check(leg)).toMatchObject(rejected);
        expect(await adapter.paidBy(leg, await node.time())).toBeUndefined();
      }
      expect(await adapter.checkTogether?.([fillLeg(currency, 10n, noOne)])).toBeUndefined();
    }
    const known = (await node.account(1)).publicKey;
    await token.give(known, 0n);
    await eventually(
      async () => adapter.legCost('fill', mint, known.toBase58())?.rent,
      (rent) => rent === 0n,
    );
  });

  it('is refused: the solver itself, for a payment to the vault would look like a deposit', async () => {
    for (const { publicKey } of [solver.vault, solver.fill]) {
      expect(await check(fillLeg(mint, 10n, publicKey.toBase58()))).toMatchObject(rejected);
      expect(await check(fillLeg(NATIVE, 10_000_000n, publicKey.toBase58()))).toMatchObject(rejected);
    }
    expect(await check(refundLeg(NATIVE, 10n, solver.vault.publicKey.toBase58()))).toMatchObject(rejected);
  });
});

describe('rent', () => {
  it('keeps less than an account must hold from a new account, and only from a new one', async () => {
    const reported = await check(fillLeg(NATIVE, 1_000n));
    expect(reported).toMatchObject({ ok: false, kind: 'refused', reason: 'INSUFFICIENT_FUNDS_FOR_RENT' });
    const funded = (await node.account(1)).publicKey.toBase58();
    expect(await check(fillLeg(NATIVE, 1_000n, funded))).toMatchObject({ ok: true });
  });

  it('is charged for a recipient who is not known to have an account, and not for one who is', async () => {
    const [without, owner] = [anyAddress(), (await node.account(1)).publicKey];
    await token.give(owner, 0n);
    const bare = adapter.legCost('fill', mint);
    const rent = BigInt(await node.connection.getMinimumBalanceForRentExemption(165));
    expect(bare?.rent).toBeUndefined();
    expect(adapter.legCost('fill', NATIVE, without)?.rent).toBe(0n);
    const known = await eventually(
      async () => adapter.legCost('fill', mint, owner.toBase58()),
      (cost) => cost?.rent === 0n,
    );
    expect(known?.native).toBe(bare?.native);
    const cost = adapter.legCost('fill', mint, without);
    expect(cost?.rent).toBe(rent);
    expect(cost?.native).toBeGreaterThan((bare?.native ?? 0n) + rent - 1n);
  });

  it('is charged, and the fill is made, where a third party sent coins to where the account will be', async () => {
    const owner = anyAddress();
    const account = new PublicKey(associatedAccount(mint, owner, token.program.toBase58()));
    await node.fund(account, 5_000_000);
    expect(adapter.legCost('fill', mint, owner)?.rent).toBeGreaterThan(0n);
    const leg = fillLeg(mint, 10n, owner);
    expect(await check(leg)).toMatchObject({ ok: true, plan: expect.stringContaining('"opensAccount":true') });
    await eventually(
      async () => adapter.legCost('fill', mint, owner)?.rent,
      (rent) => rent !== undefined && rent > 0n,
    );
    expect(await check(leg)).toMatchObject({ ok: true, plan: expect.stringContaining('"opensAccount":true') });
  });

  it('is refused where it was not charged for', async () => {
    const rent = BigInt(await node.connection.getMinimumBalanceForRentExemption(165));
    const wants = async (mostRent: bigint) => check(fillLeg(mint, 10n, anyAddress(), { mostRent }));
    const refused = { ok: false, kind: 'refused', reason: 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE' };
    expect(await wants(0n)).toMatchObject(refused);
    expect(await wants(rent - 1n)).toMatchObject(refused);
    expect(await wants(rent)).toMatchObject({ ok: true });
    const owner = (await node.account(1)).publicKey;
    await token.give(owner, 0n);
    expect(await check(fillLeg(mint, 10n, owner.toBase58(), { mostRent: 0n }))).toMatchObject({ ok: true });
  });
});

describe('what is refunded', () => {
  it('is priced again where an account was charged for that is there, and where one is gone that was not', async () => {
    await token.give(solver.vault.publicKey, 1_000n);
    const owner = await node.account(1);
    const account = await token.give(owner.publicKey, 0n);
    const leg = refundLeg(mint, 10n, owner.publicKey.toBase58());
    const cost = () => adapter.legCost('refund', mint, leg.recipient)?.rent;
    const again = { ok: false, kind: 'unavailable', message: expect.stringContaining('priced again') };
    expect(await check(leg)).toMatchObject(again);
    expect(cost()).toBe(0n);
    expect(await check(leg)).toMatchObject({ ok: true });
    const closing = createCloseAccountInstruction(account, minter.publicKey, owner.publicKey);
    await sendBy(node, [closing], [minter, owner]);
    await eventually(
      () => node.connection.getAccountInfo(account, 'confirmed'),
      (found) => found === null,
    );
    expect(await check(leg)).toMatchObject(again);
    expect(cost()).toBeGreaterThan(0n);
    expect(await check(leg)).toMatchObject({ ok: true });
  });
});

describe('a solver that is short', () => {
  it('says nothing about the leg', async () => {
    const short = { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' };
    expect(await check(fillLeg(mint, 10n ** 15n))).toMatchObject(short);
    expect(await check(fillLeg(NATIVE, 10n ** 15n))).toMatchObject(short);
    expect(await check(refundLeg(mint, 10n ** 9n))).toMatchObject(short);
    const held = await adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, NATIVE);
    expect(await check(refundLeg(NATIVE, held - 1n))).toMatchObject(short);
    const least = BigInt(await node.connection.getMinimumBalanceForRentExemption(0));
    expect(await check(refundLeg(NATIVE, held - least))).toMatchObject({ ok: true });
  });

  it('says nothing either where its fill signer cannot pay fees or accounts', async () => {
    const poor = await fundedSolver(node, [token], 0.0009);
    const other = await poor.start();
    const short = { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW' };
    expect(await other.check(fillLeg(mint, 10n))).toMatchObject(short);
    await other.stop();
  });
});
