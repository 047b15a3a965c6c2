import type { LegKind } from '@causeway/core';
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { associatedAccount } from '../token-accounts.js';

export interface PaidAccount {
  readonly mint: string;
  /** Token program of the mint. */
  readonly program: string;
  /** The owner from which the account's address is derived. */
  readonly recipient: string;
}

/**
 * Precedes each token transfer to another party: an idempotent create of the recipient's associated account.
 *
 * Invariant: nothing is paid to an account that the recipient does not own. A token account of the first program can
 * be given to another key at the same address until the transfer; the whole transaction then fails.
 *
 * Invariant: uncharged rent is never paid. For an existing account the recipient is named as opener: it does not sign
 * and is not writable, so the account could only be opened with coins that others sent to its address. Closing it
 * meanwhile therefore fails the transaction.
 *
 * @param opener pays for a missing account; undefined: not the solver.
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

/** Whether legs of this kind pay other parties, who control their accounts; collects and sweeps pay the solver's. */
export function paysOthers(kind: LegKind): boolean {
  return kind !== 'collect' && kind !== 'sweep';
}
