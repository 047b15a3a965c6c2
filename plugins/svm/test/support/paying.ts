import {
  createInitializeAccount3Instruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { expect } from 'vitest';
import type { SvmAdapter } from '../../src/svm-adapter.js';
import { readTransaction } from '../../src/transactions/read.js';
import { readDeposits, type Vault } from '../../src/watch/read-deposits.js';
import { CHAIN, fundedSolver } from './adapter.js';
import { startNode } from './node.js';
import { plainToken, sendBy } from './tokens.js';

const ACCOUNT_BYTES = 165;

export async function payingGround() {
  const node = await startNode();
  const [payer, other] = await Promise.all([node.account(100), node.account(100)]);
  const token = await plainToken(node, payer);
  for (const { publicKey } of [payer, other]) await token.give(publicKey, 10n ** 9n);
  const solver = await fundedSolver(node, [token]);
  const to = solver.vault.publicKey;
  const accountOf = (owner: PublicKey) => getAssociatedTokenAddressSync(token.mint, owner, true, token.program);
  const vaultAccount = accountOf(to);
  const adapter: SvmAdapter = await solver.start();
  const accounts = new Map([[vaultAccount.toBase58(), token.mint.toBase58()]]);
  const vault: Vault = { chainId: CHAIN, address: to.toBase58(), accounts };

  let lamports = 5_000;
  const nextAmount = () => {
    lamports += 1;
    return lamports;
  };
  return {
    ...{ node, payer, other, token, adapter, vault, vaultAccount, accountOf },
    /** Another amount each time: a node accepts equal transactions once per blockhash. */
    coins: (from: PublicKey, into: PublicKey = to, lamports = nextAmount()) =>
      SystemProgram.transfer({ fromPubkey: from, toPubkey: into, lamports }),
    tokens: (from: PublicKey, into: PublicKey, authority: PublicKey, amount = 25n) =>
      createTransferCheckedInstruction(from, token.mint, into, authority, amount, 6, [], token.program),
    /** Opened and paid by the transaction. */
    temporary: async (owner: PublicKey) => {
      const keys = Keypair.generate();
      const lamports = await node.connection.getMinimumBalanceForRentExemption(ACCOUNT_BYTES);
      const made = { fromPubkey: payer.publicKey, newAccountPubkey: keys.publicKey, space: ACCOUNT_BYTES, lamports };
      const open = [
        SystemProgram.createAccount({ ...made, programId: token.program }),
        createInitializeAccount3Instruction(keys.publicKey, token.mint, owner, token.program),
      ];
      return { keys, account: keys.publicKey, open };
    },
    /** The first signer pays the fee. */
    reported: async (instructions: readonly TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]]) => {
      const signature = await sendBy(node, instructions, signers);
      const read = readTransaction(await node.transaction(signature));
      const block = { height: read.slot, id: '', timestamp: 0 };
      const deposits = readDeposits(vault, read, 'included', block);
      expect(deposits.length).toBeGreaterThan(0);
      return deposits.map(({ depositor, transactionHash }) => ({ depositor, transactionHash }));
    },
    stop: async () => {
      await adapter.stop();
      await node.stop();
    },
  };
}

export type PayingGround = Awaited<ReturnType<typeof payingGround>>;
