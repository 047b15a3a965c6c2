import type { DepositObservation, Hex } from '@causeway/core';
import {
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, parseAddress } from '../src/addresses.js';
import { type DepositData, type DepositTarget, depositInstructions, depositSteps, memo } from '../src/deposits.js';
import { depositSize, instructionOf, wireSize } from '../src/message.js';
import { associatedAccount } from '../src/token-accounts.js';
import { readTransaction } from '../src/transactions/read.js';
import { readDeposits, type Vault } from '../src/watch/read-deposits.js';
import { type LocalNode, startNode } from './support/node.js';
import { feeToken, plainToken, type TestToken } from './support/tokens.js';

const CHAIN = 792703809;
const id = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

let node: LocalNode;
let payer: Keypair;
let vault: PublicKey;
let plain: TestToken;
let costly: TestToken;
let target: DepositTarget;

beforeAll(async () => {
  node = await startNode();
  payer = await node.account(1_000);
  vault = (await node.account(1)).publicKey;
  plain = await plainToken(node, payer);
  costly = await feeToken(node, payer, 100);
  for (const each of [plain, costly]) {
    await each.give(payer.publicKey, 10n ** 9n);
    await each.give(vault, 0n);
  }
  const tokens = new Map([plain, costly].map((each) => [each.mint.toBase58(), each]));
  target = {
    ...{ chainId: CHAIN, vault: vault.toBase58(), lookupTables: [] },
    arriving: (_, sent) => sent,
    tokenOf: (currency) => {
      const found = tokens.get(currency);
      return found && { program: found.program.toBase58(), decimals: 6, symbol: 'T' };
    },
  };
});
afterAll(() => node?.stop());

const deposit = (n: number, currency: string, amount: bigint) =>
  depositInstructions(target, { payer: payer.publicKey.toBase58(), currency, amount, orderId: id(n) });

type Signers = readonly [Keypair, ...Keypair[]];

async function send(instructions: readonly TransactionInstruction[], signers: Signers = [payer]) {
  const { blockhash } = await node.connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: signers[0].publicKey,
    recentBlockhash: blockhash,
    instructions: [...instructions],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([...signers]);
  const signature = await node.connection.sendTransaction(transaction);
  await node.confirmed(signature);
  return { signature, bytes: transaction.serialize().length };
}

async function observed(instructions: readonly TransactionInstruction[]): Promise<readonly DepositObservation[]> {
  return depositsOf((await send(instructions)).signature);
}

const foreign: string[] = [];

async function depositsOf(signature: string): Promise<readonly DepositObservation[]> {
  const read = readTransaction(await node.transaction(signature));
  const block = { height: read.slot, id: 'block', timestamp: 0 };
  return readDeposits(vaultOf(plain, costly), read, 'included', block, (mint) => foreign.push(mint));
}

function vaultOf(...tokens: readonly TestToken[]): Vault {
  const accounts = tokens.map(({ mint, program }) => {
    const text = mint.toBase58();
    return [associatedAccount(text, target.vault, program.toBase58()), text] as const;
  });
  return { chainId: CHAIN, address: target.vault, accounts: new Map(accounts) };
}

async function openFor(owner: PublicKey, { mint, program }: TestToken) {
  const keys = Keypair.generate();
  const space = program.equals(plain.program) ? 165 : 200;
  const lamports = await node.connection.getMinimumBalanceForRentExemption(space);
  const made = { fromPubkey: payer.publicKey, newAccountPubkey: keys.publicKey, space, lamports, programId: program };
  const open = [
    SystemProgram.createAccount(made),
    createInitializeAccount3Instruction(keys.publicKey, mint, owner, program),
  ];
  return { keys, account: keys.publicKey, open };
}

function sendTokens({ mint, program }: TestToken, to: PublicKey, amount: bigint): TransactionInstruction {
  const from = getAssociatedTokenAddressSync(mint, payer.publicKey, true, program);
  return createTransferCheckedInstruction(from, mint, to, payer.publicKey, amount, 6, [], program);
}

describe('a transfer to the vault', () => {
  it('funds the order that the memo in addition to it names', async () => {
    expect(await observed(deposit(1, NATIVE, 5_000n))).toMatchObject([
      { currency: NATIVE, amount: 5_000n, depositor: payer.publicKey.toBase58(), orderId: id(1) },
    ]);
    expect(await observed(deposit(2, plain.mint.toBase58(), 777n))).toMatchObject([
      { currency: plain.mint.toBase58(), amount: 777n, depositor: payer.publicKey.toBase58(), orderId: id(2) },
    ]);
  });

  it('is the payer’s also where another account pays the fee, behind a limit of its work', async () => {
    const patron = await node.account(10);
    const patronPays = { payer: payer.publicKey.toBase58(), feePayer: patron.publicKey.toBase58(), limitsWork: true };
    for (const [n, currency] of [NATIVE, plain.mint.toBase58(), costly.mint.toBase58()].entries()) {
      const [step] = depositSteps(target, { ...patronPays, currency, amount: 900n, orderId: id(70 + n) });
      const data = step?.items[0]?.data as DepositData;
      expect(data.feePayer).toBe(patron.publicKey.toBase58());
      const instructions = data.instructions.map(instructionOf);
      expect(instructions.map(({ programId }) => programId.toBase58())[0]).toBe(
        'ComputeBudget111111111111111111111111111111',
      );
      const before = await node.connection.getBalance(payer.publicKey);
      const { signature, bytes } = await send(instructions, [patron, payer]);
      expect(depositSize(data, [])).toBe(bytes);
      const lost = before - (await node.connection.getBalance(payer.publicKey));
      expect(lost).toBe(currency === NATIVE ? 900 : 0);
      expect(await depositsOf(signature)).toMatchObject([
        { currency, depositor: payer.publicKey.toBase58(), orderId: id(70 + n) },
      ]);
    }
  });

  it('counts as what arrived, less what the mint keeps', async () => {
    expect(await observed(deposit(3, costly.mint.toBase58(), 10_001n))).toMatchObject([{ amount: 9_900n }]);
  });

  it('names no order without a memo, and none next to the memo of another order', async () => {
    const [transfer] = deposit(4, NATIVE, 10n) as [TransactionInstruction];
    const orphans = [[transfer], [...deposit(4, NATIVE, 10n), memo(id(5))]];
    for (const instructions of orphans) {
      const found = await observed(instructions);
      expect(found.length).toBeGreaterThan(0);
      expect(found.map(({ orderId }) => orderId)).toEqual(found.map(() => null));
      expect(new Set(found.map(({ fundingKey }) => fundingKey)).size).toBe(found.length);
    }
  });

  it('is a deposit of the named order by itself next to one of another currency', async () => {
    const token = plain.mint.toBase58();
    const found = await observed([...deposit(4, NATIVE, 10n), ...deposit(4, token, 20n).slice(0, 1)]);
    expect(found.map(({ orderId, currency, amount }) => [orderId, currency, amount])).toEqual([
      [id(4), NATIVE, 10n],
      [id(4), token, 20n],
    ]);
    expect(new Set(found.map(({ fundingKey }) => fundingKey)).size).toBe(2);
  });

  it('is one deposit with others of one depositor that pay for the same order', async () => {
    const currency = costly.mint.toBase58();
    const [halves, coins] = [
      await observed([...deposit(7, currency, 333n).slice(0, 1), ...deposit(7, currency, 1_000n)]),
      await observed([...deposit(7, NATIVE, 10n), ...deposit(7, NATIVE, 32n)]),
    ];
    expect(halves).toMatchObject([{ orderId: id(7), amount: 329n + 990n, depositor: payer.publicKey.toBase58() }]);
    expect(coins).toMatchObject([{ orderId: id(7), amount: 42n }]);
  });

  it('is none where coins are sent to a token account of the vault: they are not tokens', async () => {
    const account = getAssociatedTokenAddressSync(plain.mint, vault, true);
    const coins = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: account, lamports: 1_000_000 });
    expect(await observed([coins, memo(id(8))])).toEqual([]);
    expect(await observed([coins, ...deposit(9, plain.mint.toBase58(), 50n)])).toMatchObject([
      { currency: plain.mint.toBase58(), amount: 50n, orderId: id(9) },
    ]);
  });

  it('shares out what is left of several transfers to one account, to the last unit', async () => {
    const currency = costly.mint.toBase58();
    const found = await observed([...deposit(5, currency, 333n), ...deposit(6, currency, 1_000n)]);
    // Fees round up: 4 of 333 and 10 of 1,000.
    expect(found.reduce((sum, { amount }) => sum + amount, 0n)).toBe(329n + 990n);
    expect(found).toHaveLength(2);
  });
});

describe('money that reaches the vault by no transfer', () => {
  const minted = ({ mint, program }: TestToken, amount: bigint) =>
    createMintToInstruction(
      mint,
      getAssociatedTokenAddressSync(mint, vault, true, program),
      payer.publicKey,
      amount,
      [],
      program,
    );

  it('funds the named order: minted tokens, and the coins of a closed account', async () => {
    for (const [n, token] of [plain, costly].entries())
      expect(await observed([minted(token, 777n), memo(id(90 + n))])).toMatchObject([
        { currency: token.mint.toBase58(), amount: 777n, orderId: id(90 + n) },
      ]);
    const { keys, account, open } = await openFor(payer.publicKey, plain);
    await send(open, [payer, keys]);
    const rent = await node.connection.getBalance(account);
    const close = createCloseAccountInstruction(account, vault, payer.publicKey, [], plain.program);
    const closed = await observed([close, memo(id(92))]);
    expect(closed).toMatchObject([{ currency: NATIVE, amount: BigInt(rent), orderId: id(92) }]);
  });

  it('is apart from a transfer, which the mint charges a fee for', async () => {
    const currency = costly.mint.toBase58();
    const found = await observed([...deposit(93, currency, 10_000n), minted(costly, 777n)]);
    expect(found).toMatchObject([
      { amount: 10_000n, orderId: id(93), depositor: payer.publicKey.toBase58() },
      // Of what arrived, 9,900 by the transfer: its fee is not known from the balances alone.
      { amount: 677n, orderId: null },
    ]);
  });
});

describe('another token account in the name of the vault', () => {
  it('funds nothing, no matter who names an order in addition to it: what arrives there is reported as a stray', async () => {
    const currency = plain.mint.toBase58();
    const { keys, account, open } = await openFor(vault, plain);
    const { signature } = await send([...open, sendTokens(plain, account, 777n), memo(id(80))], [payer, keys]);
    expect(await depositsOf(signature)).toMatchObject([
      { currency, amount: 777n, orderId: null, stray: true, depositor: payer.publicKey.toBase58() },
    ]);
    const found = await observed([sendTokens(plain, account, 5n), ...deposit(81, currency, 50n)]);
    expect(found).toMatchObject([
      { amount: 50n, orderId: id(81) },
      { amount: 5n, orderId: null, stray: true },
    ]);
    expect(found[0]).not.toHaveProperty('stray');
  });

  it('counts as what arrived there, too', async () => {
    const { keys, account, open } = await openFor(vault, costly);
    const { signature } = await send([...open, sendTokens(costly, account, 10_001n)], [payer, keys]);
    expect(await depositsOf(signature)).toMatchObject([{ amount: 9_900n, stray: true }]);
  });

  it('is none of the service where its mint is not configured, and neither is the associated one', async () => {
    const other = await plainToken(node, payer);
    await other.give(payer.publicKey, 10n ** 9n);
    const own = await other.give(vault, 0n);
    const { keys, account, open } = await openFor(vault, other);
    foreign.length = 0;
    const both = [...open, sendTokens(other, account, 5n), sendTokens(other, own, 6n)];
    const { signature } = await send([...both, ...deposit(82, NATIVE, 10n)], [payer, keys]);
    expect(await depositsOf(signature)).toMatchObject([{ currency: NATIVE, amount: 10n, orderId: id(82) }]);
    expect(foreign).toEqual([other.mint.toBase58(), other.mint.toBase58()]);
  });

  it('of another account is nothing to us', async () => {
    const { keys, account, open } = await openFor(Keypair.generate().publicKey, plain);
    const { signature } = await send([...open, sendTokens(plain, account, 9n), memo(id(83))], [payer, keys]);
    expect(await depositsOf(signature)).toEqual([]);
  });
});

describe('the depositor', () => {
  it('is no address where the account that paid was opened and closed on the way: no one could be paid there', async () => {
    const { mint, program } = plain;
    const { keys, account, open } = await openFor(payer.publicKey, plain);
    const to = getAssociatedTokenAddressSync(mint, vault, true, program);
    const pays = createTransferCheckedInstruction(account, mint, to, payer.publicKey, 40n, 6, [], program);
    const closes = createCloseAccountInstruction(account, payer.publicKey, payer.publicKey, [], program);
    const { signature } = await send(
      [...open, sendTokens(plain, account, 40n), pays, closes, memo(id(84))],
      [payer, keys],
    );
    const [found] = await depositsOf(signature);
    expect(found).toMatchObject({ amount: 40n, orderId: id(84) });
    expect(parseAddress(found?.depositor ?? '').ok).toBe(false);
    expect(found?.depositor.length).toBeLessThanOrEqual(128);
  });
});

describe('the size of a deposit transaction', () => {
  it('is what the wallet sends', async () => {
    for (const currency of [NATIVE, plain.mint.toBase58()]) {
      const instructions = deposit(6, currency, 1n);
      expect(wireSize(payer.publicKey.toBase58(), instructions, [])).toBe((await send(instructions)).bytes);
    }
  });

  it('is reported also where no buffer could hold it', () => {
    const sizes = [10, 40, 200].map((count) => {
      const many = Array.from({ length: count }, () => memo(id(7)));
      return wireSize(payer.publicKey.toBase58(), many, []);
    });
    // Each memo takes its program, two counts and 66 characters; a list of more than 127 takes one byte more.
    expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBe(30 * 69);
    expect((sizes[2] ?? 0) - (sizes[1] ?? 0)).toBe(160 * 69 + 1);
  });
});
