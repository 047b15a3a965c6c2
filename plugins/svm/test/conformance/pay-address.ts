import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { NATIVE } from '../../src/addresses.js';
import type { TestToken } from '../support/tokens.js';
import { accountOf } from './accounts.js';

const DECIMALS = 6;

interface Wish {
  readonly address: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** As a wallet or an exchange pays an address: it opens the token account where there is none. */
export function payAddressInstructions(
  from: PublicKey,
  { address, currency, amount }: Wish,
  tokens: readonly TestToken[],
): readonly TransactionInstruction[] {
  const to = new PublicKey(address);
  if (currency === NATIVE) return [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: amount })];
  const token = tokens.find(({ mint }) => mint.toBase58() === currency);
  if (token === undefined) throw new Error(`there is no token ${currency}`);
  const { mint, program } = token;
  const [source, account] = [accountOf(token, from), accountOf(token, to)];
  return [
    createAssociatedTokenAccountIdempotentInstruction(from, account, to, mint, program),
    createTransferCheckedInstruction(source, mint, account, from, amount, DECIMALS, [], program),
  ];
}
