import type { DepositStep, DepositStepsInput } from '@causeway/core';
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { isNative } from './addresses.js';
import { PROGRAMS } from './programs.js';
import { associatedAccount } from './token-accounts.js';
import { TYPICAL_UNITS } from './units.js';

export interface DepositTarget {
  readonly chainId: number;
  readonly vault: string;
  /** For compiling the transaction; wallets fail on a missing table. */
  readonly lookupTables: readonly string[];
  tokenOf(
    currency: string,
  ): { readonly program: string; readonly decimals: number; readonly symbol: string } | undefined;
  /** Minimum that arrives after a transfer fee. No I/O. */
  arriving(currency: string, sent: bigint): bigint;
}

export interface InstructionData {
  readonly keys: readonly { readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }[];
  readonly programId: string;
  readonly data: string;
}

export interface DepositData extends Readonly<Record<string, unknown>> {
  readonly chainId: number;
  readonly instructions: readonly InstructionData[];
  readonly addressLookupTableAddresses: readonly string[];
  /** Required fee payer, where it is not the depositor. */
  readonly feePayer?: string;
}

/** One transfer of `amount` to the vault and one memo with the order id, which `readDeposits` recognizes. */
export function depositInstructions(
  target: DepositTarget,
  { payer, currency, amount, orderId, limitsWork = false }: DepositStepsInput,
): readonly TransactionInstruction[] {
  const units = isNative(currency) ? TYPICAL_UNITS.native : TYPICAL_UNITS.token;
  return [
    ...(limitsWork ? [ComputeBudgetProgram.setComputeUnitLimit({ units })] : []),
    transfer(target, payer, currency, amount),
    memo(orderId),
  ];
}

export function depositSteps(target: DepositTarget, input: DepositStepsInput): readonly DepositStep[] {
  const { feePayer } = input;
  const data: DepositData = {
    chainId: target.chainId,
    instructions: depositInstructions(target, input).map(instructionData),
    addressLookupTableAddresses: target.lookupTables,
    ...(feePayer === undefined ? {} : { feePayer }),
  };
  const token = target.tokenOf(input.currency);
  return [
    {
      id: 'deposit',
      action: 'Confirm transaction in your wallet',
      description: `Depositing ${token?.symbol ?? 'funds'} to the relayer to execute the swap${keptNote(target, input)}`,
      items: [{ data }],
    },
  ];
}

export function keptNote(
  target: Pick<DepositTarget, 'arriving'>,
  { currency, amount }: Pick<DepositStepsInput, 'currency' | 'amount'>,
): string {
  const kept = amount - target.arriving(currency, amount);
  return kept === 0n ? '' : `: ${amount} are sent, of which the token keeps ${kept}`;
}

export function memo(text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(PROGRAMS.memo),
    keys: [],
    data: Buffer.from(text, 'utf8'),
  });
}

function transfer(target: DepositTarget, payer: string, currency: string, amount: bigint): TransactionInstruction {
  const from = new PublicKey(payer);
  const vault = new PublicKey(target.vault);
  if (isNative(currency)) return SystemProgram.transfer({ fromPubkey: from, toPubkey: vault, lamports: amount });
  const token = target.tokenOf(currency);
  if (token === undefined) throw new Error(`chain ${target.chainId} has no currency ${currency}`);
  const mint = new PublicKey(currency);
  const program = new PublicKey(token.program);
  const source = new PublicKey(associatedAccount(currency, payer, token.program));
  const destination = new PublicKey(associatedAccount(currency, target.vault, token.program));
  return createTransferCheckedInstruction(source, mint, destination, from, amount, token.decimals, [], program);
}

export function instructionData({ keys, programId, data }: TransactionInstruction): InstructionData {
  return {
    keys: keys.map(({ pubkey, isSigner, isWritable }) => ({ pubkey: pubkey.toBase58(), isSigner, isWritable })),
    programId: programId.toBase58(),
    data: data.toString('hex'),
  };
}
