import * as ecc from '@bitcoinerlab/secp256k1';
import { payments, Transaction } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import type { Network } from '../../src/network.js';

/** Made once: it tests its curve each time. */
const pairs = ECPairFactory(ecc);

/** A key of a test, which signs quicker than a node's wallet. Its outputs are P2WPKH. */
export interface OwnKey {
  readonly address: string;
  readonly script: Uint8Array;
  /** Signs one input, which spends an output of this key. */
  sign(tx: Transaction, input: number, satoshis: bigint): void;
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
  };
}

/** Spends an output by its displayed name. */
export function addInput(tx: Transaction, { txid, vout }: { readonly txid: string; readonly vout: number }): void {
  tx.addInput(Buffer.from(txid, 'hex').reverse(), vout);
}

/** A signature as scripts have it. */
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
