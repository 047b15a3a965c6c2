import {
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMintInstruction,
  createInitializeTransferFeeConfigInstruction,
  createMintToInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { confirmed, submit } from '../../src/devnet/send.js';
import type { LocalNode } from './node.js';

export interface TestToken {
  readonly mint: PublicKey;
  readonly program: PublicKey;
  give(owner: PublicKey, amount: bigint): Promise<PublicKey>;
}

const DECIMALS = 6;

/** First token program. @param freezes whether its authority may freeze accounts. */
export async function plainToken(node: LocalNode, authority: Keypair, freezes = false): Promise<TestToken> {
  return made(node, authority, TOKEN_PROGRAM_ID, [], () => [], freezes);
}

/** Token-2022 with a transfer fee in basis points. */
export async function feeToken(node: LocalNode, authority: Keypair, basisPoints: number): Promise<TestToken> {
  const owner = authority.publicKey;
  const most = 10n ** 12n;
  const program = TOKEN_2022_PROGRAM_ID;
  return made(node, authority, program, [ExtensionType.TransferFeeConfig], (mint) => [
    createInitializeTransferFeeConfigInstruction(mint, owner, owner, basisPoints, most, program),
  ]);
}

async function made(
  node: LocalNode,
  authority: Keypair,
  program: PublicKey,
  extensions: ExtensionType[],
  extended: (mint: PublicKey) => readonly TransactionInstruction[],
  freezes = false,
): Promise<TestToken> {
  const keys = Keypair.generate();
  const [mint, owner] = [keys.publicKey, authority.publicKey];
  const space = getMintLen(extensions);
  const lamports = await node.connection.getMinimumBalanceForRentExemption(space);
  const account = { fromPubkey: owner, newAccountPubkey: mint, space, lamports, programId: program };
  await sendBy(
    node,
    [
      SystemProgram.createAccount(account),
      ...extended(mint),
      createInitializeMintInstruction(mint, DECIMALS, owner, freezes ? owner : null, program),
    ],
    [authority, keys],
  );
  return {
    mint,
    program,
    give: async (holder, amount) => {
      const to = getAssociatedTokenAddressSync(mint, holder, true, program);
      const open = createAssociatedTokenAccountIdempotentInstruction(owner, to, holder, mint, program);
      const put = amount > 0n ? [createMintToInstruction(mint, to, owner, amount, [], program)] : [];
      await sendBy(node, [open, ...put], [authority]);
      return to;
    },
  };
}

/** Resolves when confirmed. The first signer pays. Polled, because a notification may come too early. */
export async function sendBy(
  { url }: LocalNode,
  instructions: readonly TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): Promise<string> {
  const signature = await submit(url, { signers, instructions });
  await confirmed(url, [signature]);
  return signature;
}
