import {
  AuthorityType,
  createApproveInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
} from '@solana/spl-token';
import { Keypair, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SvmAdapter } from '../src/svm-adapter.js';
import type { LocalNode } from './support/node.js';
import { type PayingGround, payingGround } from './support/paying.js';
import { sendBy, type TestToken } from './support/tokens.js';

let ground: PayingGround;
let node: LocalNode;
let payer: Keypair;
let other: Keypair;
let token: TestToken;
let adapter: SvmAdapter;

beforeAll(async () => {
  ground = await payingGround();
  ({ node, payer, other, token, adapter } = ground);
});
afterAll(() => ground?.stop());

async function proven(instructions: readonly TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]]) {
  const reported = await ground.reported(instructions, signers);
  return Promise.all(reported.map((transfer) => adapter.paidAlone(transfer)));
}

describe('a transfer', () => {
  it('is proven of who signs it, pays its fee and owns what is spent', async () => {
    expect(await proven([ground.coins(payer.publicKey)], [payer])).toEqual([true]);
    const own = ground.tokens(ground.accountOf(payer.publicKey), ground.vaultAccount, payer.publicKey);
    expect(await proven([own], [payer])).toEqual([true]);
  });

  it('is not where another account pays the fee, though both sign', async () => {
    expect(await proven([ground.coins(payer.publicKey)], [other, payer])).toEqual([false]);
    const own = ground.tokens(ground.accountOf(payer.publicKey), ground.vaultAccount, payer.publicKey);
    expect(await proven([own], [other, payer])).toEqual([false]);
  });

  it('is not where a delegate spends what is another one’s', async () => {
    const approve = createApproveInstruction(ground.accountOf(other.publicKey), payer.publicKey, other.publicKey, 100n);
    await sendBy(node, [approve], [other]);
    const spend = ground.tokens(ground.accountOf(other.publicKey), ground.vaultAccount, payer.publicKey);
    expect(await proven([spend], [payer])).toEqual([false]);
  });

  it('is not of an account that was opened on the way, whether it was closed again or not', async () => {
    const one = await ground.temporary(payer.publicKey);
    const fill = ground.tokens(ground.accountOf(other.publicKey), one.account, other.publicKey);
    const pay = ground.tokens(one.account, ground.vaultAccount, payer.publicKey);
    const close = createCloseAccountInstruction(one.account, payer.publicKey, payer.publicKey, [], token.program);
    expect(await proven([...one.open, fill, pay, close], [payer, other, one.keys])).toEqual([false]);
    const two = await ground.temporary(payer.publicKey);
    const from = ground.tokens(ground.accountOf(other.publicKey), two.account, other.publicKey);
    const stays = [...two.open, from, ground.tokens(two.account, ground.vaultAccount, payer.publicKey)];
    expect(await proven(stays, [payer, other, two.keys])).toEqual([false]);
  });

  it('is not of an account that changed hands on the way', async () => {
    const account = await token.give(Keypair.generate().publicKey, 0n);
    const holder = await node.account(1);
    const mine = await token.give(holder.publicKey, 100n);
    const give = createSetAuthorityInstruction(mine, holder.publicKey, AuthorityType.AccountOwner, payer.publicKey);
    expect(await proven([ground.tokens(mine, ground.vaultAccount, holder.publicKey), give], [payer, holder])).toEqual([
      false,
    ]);
    expect(account).toBeDefined();
  });

  it('is not where its depositor is another one, and has no answer where it is not shown', async () => {
    const signature = await sendBy(node, [ground.coins(payer.publicKey)], [payer]);
    const depositor = other.publicKey.toBase58();
    expect(await adapter.paidAlone({ transactionHash: signature, depositor })).toBe(false);
    const lamports = { fromPubkey: payer.publicKey, toPubkey: other.publicKey, lamports: 5 };
    const idle = await sendBy(node, [SystemProgram.transfer(lamports)], [payer]);
    const own = { transactionHash: idle, depositor: payer.publicKey.toBase58() };
    expect(await adapter.paidAlone(own)).toBe(false);
    await expect(adapter.paidAlone({ ...own, transactionHash: '5'.repeat(87) })).rejects.toThrow(/not shown/);
  });
});
