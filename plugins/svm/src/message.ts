import {
  type AddressLookupTableAccount,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

/** Bytes of a transaction that the network carries, signatures included. */
export const WIRE_LIMIT = 1232;

/** Any blockhash: all of them are equally long. */
const ANY_BLOCKHASH = '11111111111111111111111111111111';

/**
 * Size on the wire of the version 0 transaction that a wallet makes of these instructions. Undefined where it is so far
 * beyond every limit that it cannot be written down at all.
 */
export function wireSize(
  payer: string,
  instructions: readonly TransactionInstruction[],
  tables: readonly AddressLookupTableAccount[],
): number | undefined {
  const message = new TransactionMessage({
    payerKey: new PublicKey(payer),
    recentBlockhash: ANY_BLOCKHASH,
    instructions: [...instructions],
  }).compileToV0Message([...tables]);
  try {
    return new VersionedTransaction(message).serialize().length;
  } catch (error) {
    // The library writes into a buffer of the greatest size that the network carries.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

