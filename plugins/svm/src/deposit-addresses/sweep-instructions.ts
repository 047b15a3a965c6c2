import type { SweepLeg } from '@causeway/core';
import {
  createCloseAccountInstruction,
  createHarvestWithheldTokensToMintInstruction,
  createTransferCheckedInstruction,
} from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { isNative } from '../addresses.js';
import { associatedAccount } from '../token-accounts.js';

/** The parts of a sweep in addition to its transfer. JSON. */
export interface SweepPlan {
  /**
   * Lamports, decimal text, that the sweeper lends: the remainder of other transfers is below the rent minimum, which
   * an account must hold unless it is empty.
   */
  readonly lends?: string;
  /** Lamports, decimal text, that the sweeper lent earlier and takes back, so that nothing remains. */
  readonly returns?: string;
  /**
   * Nothing remains in the token account: its rent goes to the sweeper. `harvested`: after withheld transfer fees were
   * harvested.
   */
  readonly closes?: 'plain' | 'harvested';
}

interface Token {
  readonly program: string;
  readonly decimals: number;
}

/**
 * Invariant (G4): exactly the leg's amount goes to the depository, whatever else the address holds.
 *
 * @param token undefined for the native coin.
 */
export function sweepInstructions(
  sweeper: string,
  leg: SweepLeg,
  { lends = '0', returns = '0', closes }: SweepPlan,
  token: Token | undefined,
): readonly TransactionInstruction[] {
  const [payer, owner, vault] = [sweeper, leg.from.address, leg.recipient].map((text) => new PublicKey(text)) as [
    PublicKey,
    PublicKey,
    PublicKey,
  ];
  if (token === undefined) {
    if (!isNative(leg.currency)) throw new Error(`no currency ${leg.currency}`);
    const move = (fromPubkey: PublicKey, toPubkey: PublicKey, lamports: bigint): readonly TransactionInstruction[] =>
      lamports === 0n ? [] : [SystemProgram.transfer({ fromPubkey, toPubkey, lamports })];
    return [
      ...move(payer, owner, BigInt(lends)),
      ...move(owner, vault, leg.amount),
      ...move(owner, payer, BigInt(returns)),
    ];
  }
  const [mint, program] = [new PublicKey(leg.currency), new PublicKey(token.program)];
  const from = new PublicKey(associatedAccount(leg.currency, leg.from.address, token.program));
  const to = new PublicKey(associatedAccount(leg.currency, leg.recipient, token.program));
  return [
    createTransferCheckedInstruction(from, mint, to, owner, leg.amount, token.decimals, [], program),
    ...(closes === 'harvested' ? [createHarvestWithheldTokensToMintInstruction(mint, [from], program)] : []),
    ...(closes === undefined ? [] : [createCloseAccountInstruction(from, payer, owner, [], program)]),
  ];
}
