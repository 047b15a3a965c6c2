import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, hashMessage, hexToBytes, publicKeyToAddress } from 'viem/utils';

/** r, s and v. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/**
 * Whether the key of an account signed this text as wallets sign texts (EIP-191, `personal_sign`). Local work only, and false
 * for everything that is no such signature.
 *
 * Wallets give v as 27 or 28, some devices as 0 or 1. Anybody who has a signature can make its twin with the other s, and the
 * twin proves the same: nothing here may tell signatures apart by their bytes. Contracts sign nothing (EIP-1271 would have
 * to ask them).
 */
export function isPersonalSignature(address: string, text: string, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  const bytes = hexToBytes(signature as `0x${string}`);
  const parity = parityOf(bytes[64] ?? 0);
  if (parity === undefined) return false;
  try {
    const signed = secp256k1.Signature.fromCompact(bytes.subarray(0, 64)).addRecoveryBit(parity);
    return formsOf(text).some((digest) => {
      const key = signed.recoverPublicKey(hexToBytes(digest)).toRawBytes(false);
      return publicKeyToAddress(bytesToHex(key)).toLowerCase() === address.toLowerCase();
    });
  } catch {
    // No point of the curve has these numbers: nobody signed anything with them.
    return false;
  }
}

/** 32 bytes as hex. */
const WORD = /^0x[0-9a-fA-F]{64}$/;

/** What is signed of a text: wallets take 32 bytes that are given as hex for those bytes, or for the text that they see. */
function formsOf(text: string): readonly `0x${string}`[] {
  return WORD.test(text) ? [hashMessage({ raw: text as `0x${string}` }), hashMessage(text)] : [hashMessage(text)];
}

function parityOf(v: number): 0 | 1 | undefined {
  if (v === 0 || v === 27) return 0;
  return v === 1 || v === 28 ? 1 : undefined;
}
