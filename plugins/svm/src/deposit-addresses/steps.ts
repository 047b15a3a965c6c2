import type { AddressStepInput, DepositStep } from '@causeway/core';
import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { isNative } from '../addresses.js';
import { type DepositData, type DepositTarget, instructionData, keptNote } from '../deposits.js';
import { associatedAccount } from '../token-accounts.js';

type Target = Pick<DepositTarget, 'chainId' | 'tokenOf' | 'arriving'>;

/** A plain transfer, as any wallet makes it; it opens the address's token account where there is none. */
export function addressSteps(target: Target, input: AddressStepInput): readonly DepositStep[] {
  const data: DepositData = {
    chainId: target.chainId,
    instructions: transfer(target, input).map(instructionData),
    addressLookupTableAddresses: [],
  };
  const { symbol = 'funds' } = target.tokenOf(input.currency) ?? {};
  const description = `Sending ${symbol} to the deposit address${keptNote(target, input)}`;
  return [{ id: 'deposit', action: 'Confirm transaction in your wallet', description, items: [{ data }] }];
}

function transfer(
  target: Target,
  { payer, address, currency, amount }: AddressStepInput,
): readonly TransactionInstruction[] {
  const [from, to] = [new PublicKey(payer), new PublicKey(address)];
  if (isNative(currency)) return [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: amount })];
  const token = target.tokenOf(currency);
  if (token === undefined) throw new Error(`chain ${target.chainId} has no currency ${currency}`);
  const [mint, program] = [new PublicKey(currency), new PublicKey(token.program)];
  const source = new PublicKey(associatedAccount(currency, payer, token.program));
  const account = new PublicKey(associatedAccount(currency, address, token.program));
  return [
    createAssociatedTokenAccountIdempotentInstruction(from, account, to, mint, program),
    createTransferCheckedInstruction(source, mint, account, from, amount, token.decimals, [], program),
  ];
}
