import {
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMintInstruction,
  createInitializeTransferFeeConfigInstruction,
  createMintToInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
} from '@solana/spl-token';
import { type Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import type { CurrencyOptions } from '../options.js';
import { PROGRAMS } from '../programs.js';
import { minter, publicKeypair } from './accounts.js';
import { rpc } from './rpc.js';
import type { LocalTransaction } from './send.js';

export interface LocalToken {
  readonly keys: Keypair;
  readonly program: PublicKey;
  readonly decimals: number;
  readonly feeBasisPoints: number | undefined;
}

const MAX_MINTED = 2n ** 64n / 1_000n;
const FEE_SYMBOL = 'FEE';
const FEE_BASIS_POINTS = 100;
const ACCOUNTS_AT_ONCE = 8;

export function localToken({ symbol, decimals, program = 'token' }: CurrencyOptions): LocalToken {
  const later = program === 'token-2022';
  return {
    keys: publicKeypair(`mint ${program} ${symbol} ${decimals}`),
    program: new PublicKey(later ? PROGRAMS.token2022 : PROGRAMS.token),
    decimals,
    feeBasisPoints: later && symbol === FEE_SYMBOL ? FEE_BASIS_POINTS : undefined,
  };
}

export function tokenAccount({ keys, program }: LocalToken, owner: string): PublicKey {
  return getAssociatedTokenAddressSync(keys.publicKey, new PublicKey(owner), true, program);
}

export async function mintCreation(url: string, token: LocalToken): Promise<LocalTransaction> {
  const { keys, program, decimals, feeBasisPoints } = token;
  const owner = minter.publicKey;
  const mint = keys.publicKey;
  const space = getMintLen(feeBasisPoints === undefined ? [] : [ExtensionType.TransferFeeConfig]);
  const lamports = await rpc<number>(url, 'getMinimumBalanceForRentExemption', [space]);
  const account = { fromPubkey: owner, newAccountPubkey: mint, space, lamports, programId: program };
  return {
    signers: [minter, keys],
    instructions: [
      SystemProgram.createAccount(account),
      ...(feeBasisPoints === undefined
        ? []
        : [createInitializeTransferFeeConfigInstruction(mint, owner, owner, feeBasisPoints, MAX_MINTED, program)]),
      createInitializeMintInstruction(mint, decimals, owner, null, program),
    ],
  };
}

/** Tokens for users, with the accounts that hold them. @param tokens whole ones for each. */
export function gifts(token: LocalToken, owners: readonly string[], tokens: bigint): readonly LocalTransaction[] {
  const transactions: LocalTransaction[] = [];
  for (let from = 0; from < owners.length; from += ACCOUNTS_AT_ONCE) {
    const instructions = owners
      .slice(from, from + ACCOUNTS_AT_ONCE)
      .flatMap((owner) => [opening(token, owner), minting(token, owner, tokens)]);
    transactions.push({ signers: [minter], instructions });
  }
  return transactions;
}

/** Tokens for an account that exists. @param tokens whole ones. */
export function inventory(token: LocalToken, owner: string, tokens: bigint): LocalTransaction {
  return { signers: [minter], instructions: [minting(token, owner, tokens)] };
}

function opening(token: LocalToken, owner: string): TransactionInstruction {
  const { keys, program } = token;
  const account = tokenAccount(token, owner);
  const holder = new PublicKey(owner);
  return createAssociatedTokenAccountIdempotentInstruction(minter.publicKey, account, holder, keys.publicKey, program);
}

function minting(token: LocalToken, owner: string, tokens: bigint): TransactionInstruction {
  const { keys, program, decimals } = token;
  const asked = tokens * 10n ** BigInt(decimals);
  const amount = asked < MAX_MINTED ? asked : MAX_MINTED;
  const account = tokenAccount(token, owner);
  return createMintToInstruction(keys.publicKey, account, minter.publicKey, amount, [], program);
}
