import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto, script as scripts, Transaction } from 'bitcoinjs-lib';
import { ECPairFactory, type ECPairInterface } from 'ecpair';
import { type AddressParts, encodeAddress, scriptOf } from './addresses.js';
import type { Network } from './network.js';
import type { OwnType } from './transactions/sizes.js';

/** What signatures commit to. */
export interface Spent {
  readonly value: bigint;
  readonly script: Uint8Array;
}

/** The key never leaves it. */
export interface OutputSigner {
  readonly address: string;
  readonly script: Buffer;
  readonly type: OwnType;
  /**
   * Deterministic.
   *
   * @param spent what all inputs of the transaction spend, in order.
   */
  witness(transaction: Transaction, input: number, spent: readonly Spent[]): Uint8Array[];
}

const pairs = ECPairFactory(ecc);
/** No auxiliary randomness (BIP 340): signatures are deterministic. */
const NO_NOISE = new Uint8Array(32);

/**
 * WIF of this network for a compressed key, or 32 bytes as hex. Errors never contain the secret.
 *
 * @throws RangeError
 */
export function outputSigner(secret: string, type: OwnType, network: Network): OutputSigner {
  const pair = pairOf(secret.trim(), network);
  return type === 'p2tr' ? taprootSigner(pair, network) : witnessSigner(pair, network);
}

/** The private key, in 32 bytes. @throws RangeError as `outputSigner`. */
export function secretBytes(secret: string, network: Network): Uint8Array {
  const { privateKey } = pairOf(secret.trim(), network);
  if (privateKey === undefined) throw new Error('a key of a signer has a private part');
  return privateKey;
}

function pairOf(secret: string, network: Network): ECPairInterface {
  let pair: ECPairInterface;
  try {
    pair = /^(0x)?[0-9a-fA-F]{64}$/.test(secret)
      ? pairs.fromPrivateKey(Buffer.from(secret.replace(/^0x/, ''), 'hex'))
      : pairs.fromWIF(secret, network);
  } catch {
    throw new RangeError(`the secret is no key of ${network.name}: WIF, or hex of 32 bytes`);
  }
  if (!pair.compressed) throw new RangeError('the secret is of an uncompressed key, which segwit outputs do not take');
  return pair;
}

function witnessSigner(pair: ECPairInterface, network: Network): OutputSigner {
  const payload = crypto.hash160(pair.publicKey);
  // Script code of P2WPKH (BIP 143).
  const code = scriptOf({ type: 'p2pkh', payload });
  return Object.freeze({
    ...ownOutput({ type: 'p2wpkh', payload }, network),
    type: 'p2wpkh',
    witness(transaction: Transaction, input: number, spent: readonly Spent[]) {
      const all = Transaction.SIGHASH_ALL;
      const hash = transaction.hashForWitnessV0(input, code, spent[input]?.value ?? 0n, all);
      // Low R, so that the size is known in advance.
      return [scripts.signature.encode(pair.sign(hash, true), all), pair.publicKey];
    },
  } as const);
}

/** Key path (BIP 341), no scripts (BIP 86). */
function taprootSigner(pair: ECPairInterface, network: Network): OutputSigner {
  if (!network.taproot) throw new RangeError(`${network.name} has no taproot outputs`);
  const tweaked = pair.tweak(crypto.taggedHash('TapTweak', pair.publicKey.subarray(1)));
  const { privateKey } = tweaked;
  if (privateKey === undefined) throw new Error('a tweaked key of a signer has a private part');
  const payload = tweaked.publicKey.subarray(1);
  return Object.freeze({
    ...ownOutput({ type: 'p2tr', payload }, network),
    type: 'p2tr',
    witness(transaction: Transaction, input: number, spent: readonly Spent[]) {
      const all = Transaction.SIGHASH_DEFAULT;
      const hash = transaction.hashForWitnessV1(
        input,
        spent.map(({ script }) => script),
        spent.map(({ value }) => value),
        all,
      );
      return [ecc.signSchnorr(hash, privateKey, NO_NOISE)];
    },
  } as const);
}

function ownOutput(parts: AddressParts, network: Network): { readonly address: string; readonly script: Buffer } {
  return { address: encodeAddress(parts, network), script: Buffer.from(scriptOf(parts)) };
}
