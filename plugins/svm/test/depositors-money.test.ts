import type { Provider } from '@causeway/core/rpc';
import {
  AuthorityType,
  createApproveInstruction,
  createCloseAccountInstruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
} from '@solana/spl-token';
import type { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDepositorsMoney } from '../src/depositors-money.js';
import { paidAlone } from '../src/paid-alone.js';
import { asked, only } from './support/fake-ledger.js';
import { type PayingGround, payingGround } from './support/paying.js';
import { sendBy } from './support/tokens.js';

let ground: PayingGround;
let payer: Keypair;
let other: Keypair;

beforeAll(async () => {
  ground = await payingGround();
  ({ payer, other } = ground);
});
afterAll(() => ground?.stop());

async function own(instructions: readonly TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]]) {
  const reported = await ground.reported(instructions, signers);
  return Promise.all(reported.map((transfer) => ground.adapter.isDepositorsMoney(transfer)));
}

const ofTheirs = (who: Keypair, amount?: bigint) =>
  ground.tokens(ground.accountOf(who.publicKey), ground.vaultAccount, who.publicKey, amount);
const given = (account: PublicKey, from: PublicKey, to: PublicKey) =>
  createSetAuthorityInstruction(account, from, AuthorityType.AccountOwner, to);
const closed = (account: PublicKey, owner: PublicKey) => createCloseAccountInstruction(account, payer.publicKey, owner);

describe('money is its depositor’s own', () => {
  it('where they signed and it left what was theirs all along, no matter who paid the fee', async () => {
    expect(await own([ground.coins(payer.publicKey)], [payer])).toEqual([true]);
    expect(await own([ground.coins(payer.publicKey)], [other, payer])).toEqual([true]);
    expect(await own([ofTheirs(payer)], [payer])).toEqual([true]);
    expect(await own([ofTheirs(payer)], [other, payer])).toEqual([true]);
  });

  it('also in several transfers', async () => {
    const pays = [ofTheirs(payer), ofTheirs(payer, 30n), ground.coins(payer.publicKey)];
    expect(await own(pays, [other, payer])).toEqual([true, true, true]);
  });
});

describe('money is not known to be its depositor’s own', () => {
  it('where a delegate of theirs spent it without them', async () => {
    const account = ground.accountOf(payer.publicKey);
    await sendBy(ground.node, [createApproveInstruction(account, other.publicKey, payer.publicKey, 100n)], [payer]);
    expect(await own([ground.tokens(account, ground.vaultAccount, other.publicKey)], [other])).toEqual([false]);
    const both = [ground.tokens(account, ground.vaultAccount, other.publicKey), ground.coins(payer.publicKey)];
    expect(await own(both, [other, payer])).toEqual([true, true]);
  });

  it('where another account paid something in with it', async () => {
    expect(await own([ofTheirs(payer), ofTheirs(other)], [payer, other])).toEqual([false, false]);
    expect(await own([ofTheirs(payer), ground.coins(other.publicKey)], [payer, other])).toEqual([false, false]);
  });

  it('where more reached the vault by no transfer', async () => {
    const minted = createMintToInstruction(ground.token.mint, ground.vaultAccount, payer.publicKey, 9n);
    expect(await own([ofTheirs(payer), minted], [payer])).toEqual([false, false]);
  });

  it('where another account put it there on the way', async () => {
    const account = ground.accountOf(payer.publicKey);
    const fed = ground.tokens(ground.accountOf(other.publicKey), account, other.publicKey);
    expect(await own([fed, ofTheirs(payer)], [payer, other])).toEqual([false]);
    expect(await own([ofTheirs(payer), fed], [other, payer])).toEqual([false]);
    const part = ground.tokens(ground.accountOf(other.publicKey), account, other.publicKey, 1n);
    expect(await own([part, ofTheirs(payer, 20n), ofTheirs(payer, 5n)], [payer, other])).toEqual([false, false]);
    const coins = ground.coins(other.publicKey, payer.publicKey, 15_000);
    expect(await own([coins, ground.coins(payer.publicKey)], [other, payer])).toEqual([false]);
  });

  it('where its account was opened on the way, whether it stays or not', async () => {
    for (const stays of [true, false]) {
      const { account, keys, open } = await ground.temporary(payer.publicKey);
      const fill = ground.tokens(ground.accountOf(other.publicKey), account, other.publicKey);
      const pay = ground.tokens(account, ground.vaultAccount, payer.publicKey);
      const end = stays ? [] : [closed(account, payer.publicKey)];
      expect(await own([...open, fill, pay, ...end], [payer, other, keys])).toEqual([false]);
    }
  });

  it('where its account was given away, before it was spent or after', async () => {
    const holder = await ground.node.account(1);
    for (const first of ['give', 'pay'] as const) {
      const account = await ground.token.give(holder.publicKey, 100n);
      const give = given(account, holder.publicKey, payer.publicKey);
      const pay = (owner: PublicKey) => ground.tokens(account, ground.vaultAccount, owner);
      const steps = first === 'give' ? [give, pay(payer.publicKey)] : [pay(holder.publicKey), give];
      expect(await own(steps, [payer, holder])).toEqual([false]);
      await sendBy(ground.node, [given(account, payer.publicKey, holder.publicKey)], [payer]);
    }
  });

  it('where its account was closed, so that no one can say whose it was in the end', async () => {
    const holder = await ground.node.account(1);
    const account = await ground.token.give(holder.publicKey, 0n);
    // The node names the previous owner: one who gave it away, empty, to the party that filled it.
    const steps = [
      given(account, holder.publicKey, other.publicKey),
      ground.tokens(ground.accountOf(other.publicKey), account, other.publicKey),
      ground.tokens(account, ground.vaultAccount, other.publicKey),
      closed(account, other.publicKey),
    ];
    const [transfer, ...more] = await ground.reported(steps, [holder, other]);
    expect({ transfer, more }).toMatchObject({ transfer: { depositor: holder.publicKey.toBase58() }, more: [] });
    if (transfer === undefined) throw new Error('nothing arrived');
    expect(await ground.adapter.isDepositorsMoney(transfer)).toBe(false);
    expect(await ground.adapter.paidAlone(transfer)).toBe(false);
    // Validators omit closed accounts from the balances; the local node shows them.
    const raw = await ground.node.transaction(transfer.transactionHash);
    const place = raw.transaction.message.accountKeys.indexOf(account.toBase58());
    const postTokenBalances = raw.meta?.postTokenBalances?.filter(({ accountIndex }) => accountIndex !== place);
    const { rpc } = asked(() => ({ ...raw, meta: { ...raw.meta, postTokenBalances } }));
    const [provider] = only(rpc).usable() as [Provider];
    expect(await isDepositorsMoney(ground.vault, provider, transfer)).toBe(false);
    expect(await paidAlone(ground.vault, provider, transfer)).toBe(false);
    const whole = await ground.token.give(holder.publicKey, 25n);
    const all = ground.tokens(whole, ground.vaultAccount, holder.publicKey);
    expect(await own([all, closed(whole, holder.publicKey)], [holder])).toEqual([false]);
  });

  it('where the depositor is another one, or nothing arrived; and has no answer where it is not shown', async () => {
    const [transfer] = await ground.reported([ground.coins(payer.publicKey)], [other, payer]);
    if (transfer === undefined) throw new Error('nothing arrived');
    const asked = { ...transfer, depositor: other.publicKey.toBase58() };
    expect(await ground.adapter.isDepositorsMoney(asked)).toBe(false);
    const idle = await sendBy(ground.node, [ground.coins(payer.publicKey, other.publicKey)], [payer]);
    expect(await ground.adapter.isDepositorsMoney({ ...transfer, transactionHash: idle })).toBe(false);
    const unknown = { ...transfer, transactionHash: '5'.repeat(87) };
    await expect(ground.adapter.isDepositorsMoney(unknown)).rejects.toThrow(/not shown/);
  });
});
