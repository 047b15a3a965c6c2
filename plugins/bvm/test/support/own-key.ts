import * as ecc from '@bitcoinerlab/secp256k1';
import { payments, Transaction } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import type { Network } from '../../src/network.js';
import { hash256 } from '../../src/raw/hashes.js';

/** First BIP 137 header for P2WPKH. */
const COMPACT = 39;

/** Shared: construction tests the curve. */
const pairs = ECPairFactory(ecc);

/** P2WPKH key that signs faster than a node's wallet. */
export interface OwnKey {
  readonly address: string;
  readonly script: Uint8Array;
  sign(tx: Transaction, input: number, satoshis: bigint): void;
  /** Compact signature in base64. @param text of less than 253 bytes. */
  signText(text: string): string;
}

export function ownKey(network: Network): OwnKey {
  const pair = pairs.makeRandom();
  const { output: script, address } = payments.p2wpkh({ pubkey: pair.publicKey, network });
  const code = payments.p2pkh({ pubkey: pair.publicKey, network }).output;
  if (script === undefined || address === undefined || code === undefined) throw new Error('no script');
  return {
    address,
    script,
    sign: (tx, input, satoshis) => {
      const all = Transaction.SIGHASH_ALL;
      const signature = pair.sign(tx.hashForWitnessV0(input, code, satoshis, all));
      tx.setWitness(input, [Buffer.concat([der(signature), Buffer.from([all])]), pair.publicKey]);
    },
    signText: (text) => {
      const bytes = Buffer.from(text);
      const parts = [Buffer.from(network.messagePrefix, 'latin1'), Buffer.from([bytes.length]), bytes];
      const hash = hash256(Buffer.concat(parts));
      const { signature, recoveryId } = ecc.signRecoverable(hash, pair.privateKey as Uint8Array);
      return Buffer.concat([Buffer.from([COMPACT + recoveryId]), signature]).toString('base64');
    },
  };
}

export function addInput(tx: Transaction, { txid, vout }: { readonly txid: string; readonly vout: number }): void {
  tx.addInput(Buffer.from(txid, 'hex').reverse(), vout);
}

function der(signature: Uint8Array): Buffer {
  const number = (bytes: Uint8Array): Buffer => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const trimmed = Buffer.from(bytes.subarray(start));
    const padded = (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed;
    return Buffer.concat([Buffer.from([2, padded.length]), padded]);
  };
  const body = Buffer.concat([number(signature.subarray(0, 32)), number(signature.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}
