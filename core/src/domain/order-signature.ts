import type { Hex, OrderId } from '../contract/ids.js';
import type { Secp256k1Signer } from '../contract/signer.js';
import { bytesToHex, hexToBytes } from './hex.js';

/** 65 bytes r, s, v over the raw order id, without a message prefix; v is 27 or 28 and s is in the lower half. */
export function signOrder(orderId: OrderId, signer: Secp256k1Signer): Hex {
  return signDigest(hexToBytes(orderId), signer);
}

export function signDigest(digest: Uint8Array, signer: Secp256k1Signer): Hex {
  const { r, s, recovery } = signer.sign(digest);
  const signature = new Uint8Array(65);
  signature.set(r);
  signature.set(s, 32);
  signature[64] = 27 + recovery;
  return bytesToHex(signature);
}
