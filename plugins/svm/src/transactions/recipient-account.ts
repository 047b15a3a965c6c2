import type { LegKind } from '@causeway/core';
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { associatedAccount } from '../token-accounts.js';

/** A token account that is about to be paid. */
export interface PaidAccount {
  readonly mint: string;
  /** Token program of the mint. */
  readonly program: string;
  /** Whom the leg pays: the owner that the account's address stands for. */
  readonly recipient: string;
}

/**
 * Stands before each transfer of a token that leaves for somebody else: asks the associated token program for the account
 * of the recipient, as one that is there already is taken as it is.
 *
 * Invariant: nothing is paid to an account that the recipient does not own. The owner of a token account of the first
 * program may give it to another key, at the same address, up to the moment of the transfer; the program fails then, and the
 * whole transaction with it.
 *
 * Invariant: a rent that was not charged for is not paid. Who opens an account is named here, and so long as it is there
 * nobody is charged. Where it was there, the recipient itself is named, which signs nothing and may not be written to: the
 * account can only be opened by what others sent to its address. So closing it meanwhile fails the transaction too.
 *
 * @param opener who pays for an account that has to be opened; undefined: nobody of ours.
 */
export function ensureAccount(
  { mint, program, recipient }: PaidAccount,
  opener: string | undefined,
): TransactionInstruction {
  const [owner, asset, tokens] = [new PublicKey(recipient), new PublicKey(mint), new PublicKey(program)];
  const account = new PublicKey(associatedAccount(mint, recipient, program));
  const payer = opener === undefined ? owner : new PublicKey(opener);
  const instruction = createAssociatedTokenAccountIdempotentInstruction(payer, account, owner, asset, tokens);
  if (opener !== undefined) return instruction;
  const [first, ...rest] = instruction.keys;
  if (first === undefined) throw new Error('an instruction without accounts');
  instruction.keys = [{ ...first, isSigner: false, isWritable: false }, ...rest];
  return instruction;
}

/** Whether legs of this kind pay somebody else, who may do as they like with the account; a collect pays our own. */
export function paysOthers(kind: LegKind): boolean {
  return kind !== 'collect';
}
