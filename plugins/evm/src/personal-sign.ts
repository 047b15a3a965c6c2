import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, hashMessage, hexToBytes, publicKeyToAddress } from 'viem/utils';

/** r, s and v. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/**
 * EIP-191 `personal_sign`. Local work only; false for anything malformed.
 *
 * Wallets give v as 27 or 28, some devices as 0 or 1. The twin with the other s is equally valid, so nothing here may
 * identify signatures by their bytes. Contract signatures (EIP-1271) are not supported.
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
    return false;
  }
}

const WORD_HEX = /^0x[0-9a-fA-F]{64}$/;

/** Wallets sign 32 bytes of hex either as bytes or as text. */
function formsOf(text: string): readonly `0x${string}`[] {
  return WORD_HEX.test(text) ? [hashMessage({ raw: text as `0x${string}` }), hashMessage(text)] : [hashMessage(text)];
}

function parityOf(v: number): 0 | 1 | undefined {
  if (v === 0 || v === 27) return 0;
  return v === 1 || v === 28 ? 1 : undefined;
}
