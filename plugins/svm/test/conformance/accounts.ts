import type { TurningRecipient } from '@causeway/core/testing';
import {
  AuthorityType,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createInitializeAccountInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { type Connection, Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { TestToken } from '../support/tokens.js';

const ACCOUNT_BYTES = 165;
const DECIMALS = 6;

export type Included = (instructions: readonly TransactionInstruction[], signers: readonly Keypair[]) => Promise<void>;

export function accountOf({ mint, program }: TestToken, owner: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(mint, owner, true, program);
}

interface TurningWish {
  readonly by: PublicKey;
  readonly solver: PublicKey;
  readonly send: Included;
  held(owner: string): Promise<bigint>;
}

/** Their token accounts are given away or closed. */
export async function turningOwners(
  token: TestToken,
  { by, solver, send, held }: TurningWish,
): Promise<readonly TurningRecipient[]> {
  const { mint, program } = token;
  const open = async (
    how: string,
    turnBy: (account: PublicKey, owner: PublicKey, held: bigint) => readonly TransactionInstruction[],
  ): Promise<TurningRecipient> => {
    const keys = Keypair.generate();
    const owner = keys.publicKey;
    const account = accountOf(token, owner);
    await send([createAssociatedTokenAccountIdempotentInstruction(by, account, owner, mint, program)], []);
    const address = owner.toBase58();
    const turn = async (): Promise<void> => send(turnBy(account, owner, await held(address)), [keys]);
    return { how, address, currency: mint.toBase58(), turn };
  };
  const give = (to: PublicKey) => (account: PublicKey, owner: PublicKey) => [
    createSetAuthorityInstruction(account, owner, AuthorityType.AccountOwner, to, [], program),
  ];
  return [
    await open('its account is given away', give(Keypair.generate().publicKey)),
    await open('its account is given to the solver', give(solver)),
    await open('its account is closed', (account, owner, amount) => [
      createBurnInstruction(account, mint, owner, amount, [], program),
      createCloseAccountInstruction(account, by, owner, [], program),
    ]),
  ];
}

/** Opens another token account for the vault within the transaction and pays it. */
export async function toOtherAccount(
  connection: Connection,
  token: TestToken,
  { from, vault, amount }: { readonly from: PublicKey; readonly vault: PublicKey; readonly amount: bigint },
): Promise<{ readonly instructions: readonly TransactionInstruction[]; readonly signers: readonly Keypair[] }> {
  const keys = Keypair.generate();
  const lamports = await connection.getMinimumBalanceForRentExemption(ACCOUNT_BYTES);
  const made = { fromPubkey: from, newAccountPubkey: keys.publicKey, space: ACCOUNT_BYTES, lamports };
  const { mint, program } = token;
  const source = accountOf(token, from);
  const instructions = [
    SystemProgram.createAccount({ ...made, programId: program }),
    createInitializeAccountInstruction(keys.publicKey, mint, vault, program),
    createTransferCheckedInstruction(source, mint, keys.publicKey, from, amount, DECIMALS, [], program),
  ];
  return { instructions, signers: [keys] };
}
