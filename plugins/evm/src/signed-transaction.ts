import type { Hex, Secp256k1Signer } from '@causeway/core';
import type { TransactionSerializableEIP1559, TransactionSerializableEIP7702 } from 'viem';
import { bytesToHex, hexToBytes, serializeTransaction } from 'viem/utils';
import { keccak256 } from './keccak.js';

export type UnsignedTransaction =
  | (TransactionSerializableEIP1559 & { readonly type: 'eip1559' })
  | (TransactionSerializableEIP7702 & { readonly type: 'eip7702' });

/** An account whose key is in another program, which signs whole transactions. */
export interface RemoteAccount {
  readonly address: Hex;
  /** Exactly this transaction, signed by the account. @throws NotSignedError */
  signTransaction(transaction: UnsignedTransaction): Promise<Hex>;
}

/** Signs whole transactions, with a key here or elsewhere. */
export type TransactionSigner = Secp256k1Signer | RemoteAccount;

export async function signTransaction(signer: TransactionSigner, transaction: UnsignedTransaction): Promise<Hex> {
  if (!('sign' in signer)) return signer.signTransaction(transaction);
  const { r, s, recovery } = signer.sign(hexToBytes(digestOf(transaction)));
  return serializeTransaction(transaction, { r: bytesToHex(r), s: bytesToHex(s), yParity: recovery });
}

/** What is signed of it. */
export function digestOf(transaction: UnsignedTransaction): Hex {
  return keccak256(serializeTransaction(transaction));
}
