import {
  AuthorityType,
  createApproveInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { readTransaction } from '../src/transactions/read.js';
import { readDeposits } from '../src/watch/read-deposits.js';
import { CHAIN, fundedSolver, type TestSolver } from './support/adapter.js';
import { type LocalNode, startNode } from './support/node.js';
import { plainToken, sendBy, type TestToken } from './support/tokens.js';

let node: LocalNode;
let payer: Keypair;
let other: Keypair;
let token: TestToken;
let solver: TestSolver;
let adapter: SvmAdapter;
let vaultAccount: PublicKey;

beforeAll(async () => {
  node = await startNode();
  [payer, other] = await Promise.all([node.account(100), node.account(100)]);
  token = await plainToken(node, payer);
  for (const { publicKey } of [payer, other]) await token.give(publicKey, 10n ** 9n);
  solver = await fundedSolver(node, [token]);
  vaultAccount = getAssociatedTokenAddressSync(token.mint, solver.vault.publicKey, true, token.program);
  adapter = await solver.start();
});
afterAll(async () => {
  await adapter?.stop();
  await node?.stop();
});

const accountOf = (owner: PublicKey) => getAssociatedTokenAddressSync(token.mint, owner, true, token.program);
const tokens = (from: PublicKey, to: PublicKey, authority: PublicKey) =>
  createTransferCheckedInstruction(from, token.mint, to, authority, 25n, 6, [], token.program);
const coins = (from: PublicKey) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: solver.vault.publicKey, lamports: 5_000 });

/** Whether each transfer of a transaction is proven to be its depositor's own doing. */
async function proven(instructions: readonly TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]]) {
  const signature = await sendBy(node, instructions, signers);
  const mint = token.mint.toBase58();
  const address = solver.vault.publicKey.toBase58();
  const vault = { chainId: CHAIN, address, accounts: new Map([[vaultAccount.toBase58(), mint]]) };
  const read = readTransaction(await node.transaction(signature));
  const told = readDeposits(vault, read, 'included', { height: read.slot, id: '', timestamp: 0 });
  expect(told.length).toBeGreaterThan(0);
  return Promise.all(told.map(({ depositor, transactionHash }) => adapter.paidAlone({ depositor, transactionHash })));
}

async function temporary(owner: PublicKey) {
  const keys = Keypair.generate();
  const lamports = await node.connection.getMinimumBalanceForRentExemption(165);
  const made = { fromPubkey: payer.publicKey, newAccountPubkey: keys.publicKey, space: 165, lamports };
  const open = [
    SystemProgram.createAccount({ ...made, programId: token.program }),
    createInitializeAccount3Instruction(keys.publicKey, token.mint, owner, token.program),
  ];
  return { keys, account: keys.publicKey, open };
}

describe('a transfer', () => {
  it('is proven of who signs it, pays its fee and owns what is spent', async () => {
    expect(await proven([coins(payer.publicKey)], [payer])).toEqual([true]);
    const own = tokens(accountOf(payer.publicKey), vaultAccount, payer.publicKey);
    expect(await proven([own], [payer])).toEqual([true]);
  });

  it('is not where somebody else pays the fee, though both sign', async () => {
    expect(await proven([coins(payer.publicKey)], [other, payer])).toEqual([false]);
    const own = tokens(accountOf(payer.publicKey), vaultAccount, payer.publicKey);
    expect(await proven([own], [other, payer])).toEqual([false]);
  });

  it('is not where a delegate spends what is another one’s', async () => {
    const approve = createApproveInstruction(accountOf(other.publicKey), payer.publicKey, other.publicKey, 100n);
    await sendBy(node, [approve], [other]);
    const spend = tokens(accountOf(other.publicKey), vaultAccount, payer.publicKey);
    expect(await proven([spend], [payer])).toEqual([false]);
  });

  it('is not of an account that was opened on the way, whether it was closed again or not', async () => {
    const one = await temporary(payer.publicKey);
    const fill = tokens(accountOf(other.publicKey), one.account, other.publicKey);
    const pay = tokens(one.account, vaultAccount, payer.publicKey);
    const close = createCloseAccountInstruction(one.account, payer.publicKey, payer.publicKey, [], token.program);
    expect(await proven([...one.open, fill, pay, close], [payer, other, one.keys])).toEqual([false]);
    const two = await temporary(payer.publicKey);
    const from = tokens(accountOf(other.publicKey), two.account, other.publicKey);
    const stays = [...two.open, from, tokens(two.account, vaultAccount, payer.publicKey)];
    expect(await proven(stays, [payer, other, two.keys])).toEqual([false]);
  });

  it('is not of an account that changed hands on the way', async () => {
    const account = await token.give(Keypair.generate().publicKey, 0n);
    const holder = await node.account(1);
    const mine = await token.give(holder.publicKey, 100n);
    const give = createSetAuthorityInstruction(mine, holder.publicKey, AuthorityType.AccountOwner, payer.publicKey);
    expect(await proven([tokens(mine, vaultAccount, holder.publicKey), give], [payer, holder])).toEqual([false]);
    expect(account).toBeDefined();
  });

  it('is not where its depositor is another one, and has no answer where it is not shown', async () => {
    const signature = await sendBy(node, [coins(payer.publicKey)], [payer]);
    const depositor = other.publicKey.toBase58();
    expect(await adapter.paidAlone({ transactionHash: signature, depositor })).toBe(false);
    // It paid nothing into the vault.
    const lamports = { fromPubkey: payer.publicKey, toPubkey: other.publicKey, lamports: 5 };
    const idle = await sendBy(node, [SystemProgram.transfer(lamports)], [payer]);
    const own = { transactionHash: idle, depositor: payer.publicKey.toBase58() };
    expect(await adapter.paidAlone(own)).toBe(false);
    await expect(adapter.paidAlone({ ...own, transactionHash: '5'.repeat(87) })).rejects.toThrow(/not shown/);
  });
});
