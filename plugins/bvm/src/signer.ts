import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto, script as scripts, Transaction } from 'bitcoinjs-lib';
import { ECPairFactory, type ECPairInterface } from 'ecpair';
import { type AddressParts, encodeAddress, scriptOf } from './addresses.js';
import type { Network } from './network.js';
import type { OwnType } from './transactions/sizes.js';

/** What an input spends, as far as signatures commit to it. */
export interface Spent {
  readonly value: bigint;
  readonly script: Uint8Array;
}

/** Signs for the outputs of one key, which never leaves it. */
export interface OutputSigner {
  /** Canonical address of its outputs. */
  readonly address: string;
  readonly script: Buffer;
  readonly type: OwnType;
  /**
   * Witness of one input. The same transaction always gives the same one.
   *
   * @param spent what all inputs of the transaction spend, in their order.
   */
  witness(transaction: Transaction, input: number, spent: readonly Spent[]): Uint8Array[];
}

const pairs = ECPairFactory(ecc);
/** BIP 340 lets noise be mixed in; without it the same is always signed alike. */
const NO_NOISE = new Uint8Array(32);

/**
 * Reads what wallets of this family export (WIF of this network, of a compressed key), or hex of the 32 bytes. Errors never
 * contain the text.
 *
 * @throws RangeError
 */
export function outputSigner(secret: string, type: OwnType, network: Network): OutputSigner {
  const pair = pairOf(secret.trim(), network);
  return type === 'p2tr' ? taprootSigner(pair, network) : witnessSigner(pair, network);
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

/** P2WPKH. */
function witnessSigner(pair: ECPairInterface, network: Network): OutputSigner {
  const payload = crypto.hash160(pair.publicKey);
  // What stands for the script of such an output in what is signed (BIP 143).
  const code = scriptOf({ type: 'p2pkh', payload });
  return Object.freeze({
    ...ownOutput({ type: 'p2wpkh', payload }, network),
    type: 'p2wpkh',
    witness(transaction: Transaction, input: number, spent: readonly Spent[]) {
      const all = Transaction.SIGHASH_ALL;
      const hash = transaction.hashForWitnessV0(input, code, spent[input]?.value ?? 0n, all);
      // Ground to a low R, so that its size is known before.
      return [scripts.signature.encode(pair.sign(hash, true), all), pair.publicKey];
    },
  } as const);
}

/** P2TR, spent by its key (BIP 341), without scripts (BIP 86). */
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
