import {
  createInitializeMintInstruction,
  createInitializeTransferFeeConfigInstruction,
  createMint,
  ExtensionType,
  getMintLen,
  getOrCreateAssociatedTokenAccount,
  mintTo,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram, sendAndConfirmTransaction, Transaction } from '@solana/web3.js';
import type { LocalNode } from './node.js';

export interface TestToken {
  readonly mint: PublicKey;
  readonly program: PublicKey;
  /** Makes the account of an owner where there is none, and puts this much into it. */
  give(owner: PublicKey, amount: bigint): Promise<PublicKey>;
}

const DECIMALS = 6;

/** A mint of the first token program. @param freezes whether its authority may freeze accounts. */
export async function plainToken(node: LocalNode, authority: Keypair, freezes = false): Promise<TestToken> {
  const freezer = freezes ? authority.publicKey : null;
  const mint = await createMint(node.connection, authority, authority.publicKey, freezer, DECIMALS);
  return token(node, authority, mint, TOKEN_PROGRAM_ID);
}

/** A mint of Token-2022 that keeps a part of each transfer, in hundredths of a per cent. */
export async function feeToken(node: LocalNode, authority: Keypair, basisPoints: number): Promise<TestToken> {
  const mint = Keypair.generate();
  const space = getMintLen([ExtensionType.TransferFeeConfig]);
  const owner = authority.publicKey;
  const create = SystemProgram.createAccount({
    fromPubkey: owner,
    newAccountPubkey: mint.publicKey,
    space,
    lamports: await node.connection.getMinimumBalanceForRentExemption(space),
    programId: TOKEN_2022_PROGRAM_ID,
  });
  const fee = createInitializeTransferFeeConfigInstruction(
    mint.publicKey,
    owner,
    owner,
    basisPoints,
    10n ** 12n,
    TOKEN_2022_PROGRAM_ID,
  );
  const init = createInitializeMintInstruction(mint.publicKey, DECIMALS, owner, null, TOKEN_2022_PROGRAM_ID);
  await sendAndConfirmTransaction(node.connection, new Transaction().add(create, fee, init), [authority, mint]);
  return token(node, authority, mint.publicKey, TOKEN_2022_PROGRAM_ID);
}

function token(node: LocalNode, authority: Keypair, mint: PublicKey, program: PublicKey): TestToken {
  return {
    mint,
    program,
    give: async (owner, amount) => {
      const account = await getOrCreateAssociatedTokenAccount(
        node.connection,
        authority,
        mint,
        owner,
        true,
        'confirmed',
        undefined,
        program,
      );
      if (amount > 0n)
        await mintTo(node.connection, authority, mint, account.address, authority, amount, [], undefined, program);
      return account.address;
    },
  };
}
