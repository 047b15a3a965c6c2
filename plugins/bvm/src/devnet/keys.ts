import { createHash } from 'node:crypto';
import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto } from 'bitcoinjs-lib';
import { ECPairFactory, type ECPairInterface } from 'ecpair';
import { encodeAddress } from '../addresses.js';
import type { Network } from '../network.js';

export const pairs = ECPairFactory(ecc);

export interface TestAccount {
  readonly address: string;
  /** WIF. */
  readonly privateKey: string;
}

/** The key derives from public data: never use it on a public chain. */
export function publicAccount(name: string, network: Network): TestAccount {
  const secret = createHash('sha256').update(`causeway devnet ${name}`).digest();
  return accountOf(pairs.fromPrivateKey(secret, { network }), network);
}

export function newAccount(network: Network): TestAccount {
  return accountOf(pairs.makeRandom({ network }), network);
}

export function users(network: Network): readonly TestAccount[] {
  return Array.from({ length: 8 }, (_, n) => publicAccount(`user ${n}`, network));
}

function accountOf(pair: ECPairInterface, network: Network): TestAccount {
  const payload = crypto.hash160(pair.publicKey);
  return { address: encodeAddress({ type: 'p2wpkh', payload }, network), privateKey: pair.toWIF() };
}
