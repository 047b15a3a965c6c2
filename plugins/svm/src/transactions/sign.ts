import { createHash } from 'node:crypto';
import { VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Ed25519Signer } from '../signer.js';

export interface Signed {
  /** Base64, wire format. */
  readonly bytes: string;
  /** First signature, which names the transaction. */
  readonly signature: string;
}

/** @throws where a required signer is missing. */
export function signMessage(message: Uint8Array, signers: readonly Ed25519Signer[]): Signed {
  const read = VersionedMessage.deserialize(message);
  const asked = read.staticAccountKeys.slice(0, read.header.numRequiredSignatures).map((key) => key.toBase58());
  const signatures = asked.map((address) => {
    const signer = signers.find((each) => each.address === address);
    if (signer === undefined) throw new Error(`no key for ${address}`);
    return signer.sign(message);
  });
  const [first] = signatures;
  if (first === undefined) throw new Error('a message without a signature');
  const transaction = new VersionedTransaction(read, signatures);
  return { bytes: Buffer.from(transaction.serialize()).toString('base64'), signature: bs58.encode(first) };
}

export function messageHash(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('hex');
}
