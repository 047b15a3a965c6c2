import type { DepositStep } from '@causeway/core';
import {
  type AddressLookupTableAccount,
  type MessageV0,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import type { DepositData, InstructionData } from './deposits.js';

/** Network limit in bytes, signatures included. */
export const WIRE_LIMIT = 1232;

/** Any blockhash: all have the same length. */
const ANY_BLOCKHASH = '11111111111111111111111111111111';

/** Size of the version 0 transaction that a wallet builds. */
export function wireSize(
  payer: string,
  instructions: readonly TransactionInstruction[],
  tables: readonly AddressLookupTableAccount[],
): number {
  return sizeOf(
    new TransactionMessage({
      payerKey: new PublicKey(payer),
      recentBlockhash: ANY_BLOCKHASH,
      instructions: [...instructions],
    }).compileToV0Message([...tables]),
  );
}

const SIGNATURE = 64;
const KEY = 32;
const HEAD = 1 + 3 + KEY;

/** Wire size in bytes. Computed, because the library does not serialize oversized messages. */
export function sizeOf({ header, staticAccountKeys, compiledInstructions, addressTableLookups }: MessageV0): number {
  const instructions = compiledInstructions.map(
    ({ accountKeyIndexes, data }) => 1 + listed(accountKeyIndexes.length, 1) + listed(data.length, 1),
  );
  const lookups = addressTableLookups.map(
    ({ writableIndexes, readonlyIndexes }) =>
      KEY + listed(writableIndexes.length, 1) + listed(readonlyIndexes.length, 1),
  );
  return (
    listed(header.numRequiredSignatures, SIGNATURE) +
    HEAD +
    listed(staticAccountKeys.length, KEY) +
    listed(instructions.length, 0) +
    sum(instructions) +
    listed(lookups.length, 0) +
    sum(lookups)
  );
}

/** Length in seven-bit groups, then the items. */
function listed(count: number, each: number): number {
  return (count < 0x80 ? 1 : count < 0x4000 ? 2 : 3) + count * each;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((a, b) => a + b, 0);
}

export function oversize(
  steps: readonly DepositStep[],
  tables: readonly AddressLookupTableAccount[],
): { readonly bytes: number; readonly limit: number } | undefined {
  for (const { data } of steps.flatMap(({ items }) => items)) {
    const bytes = depositSize(data as DepositData, tables);
    if (bytes > WIRE_LIMIT) return { bytes, limit: WIRE_LIMIT };
  }
  return undefined;
}

export function depositSize(data: DepositData, tables: readonly AddressLookupTableAccount[]): number {
  const instructions = data.instructions.map(instructionOf);
  const signer = instructions.flatMap(({ keys }) => keys).find(({ isSigner }) => isSigner)?.pubkey;
  const payer = data.feePayer ?? signer?.toBase58();
  if (payer === undefined) throw new Error('a deposit without a signer');
  return wireSize(payer, instructions, tables);
}

export function instructionOf({ keys, programId, data }: InstructionData): TransactionInstruction {
  return new TransactionInstruction({
    keys: keys.map(({ pubkey, ...flags }) => ({ pubkey: new PublicKey(pubkey), ...flags })),
    programId: new PublicKey(programId),
    data: Buffer.from(data, 'hex'),
  });
}
