import { secp256k1 } from '@noble/curves/secp256k1';
import { recoverAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../src/domain/hex.js';
import { keccak256 } from '../../src/domain/keccak.js';
import { signOrder } from '../../src/domain/order-signature.js';
import { nativeCurve, pureCurve, secp256k1Signer } from '../../src/signing/secp256k1.js';

const SECRET = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** 200 deterministic digests. */
const digests = Array.from({ length: 200 }, (_, index) => keccak256(new TextEncoder().encode(`digest ${index}`)));
const curves = [pureCurve, nativeCurve()].filter((curve) => curve !== null);

describe('secp256k1Signer', () => {
  it.skipIf(nativeCurve() === null)('gives the same bytes from the native binding and without it', () => {
    const secrets = digests.slice(0, 5);
    for (const secret of secrets) {
      const [pure, native] = curves.map((curve) => secp256k1Signer(secret, curve));
      expect(native?.address).toBe(pure?.address);
      for (const digest of digests) expect(native?.sign(digest)).toEqual(pure?.sign(digest));
    }
  });

  it.each(curves)('knows its address', (curve) => {
    expect(secp256k1Signer(hexToBytes(SECRET), curve).address).toBe(ADDRESS);
    expect(secp256k1Signer(hexToBytes(SECRET)).address).toBe(ADDRESS);
  });

  it.each(curves)('signs with low s, as others verify it', (curve) => {
    const signer = secp256k1Signer(hexToBytes(SECRET), curve);
    const publicKey = secp256k1.getPublicKey(hexToBytes(SECRET));
    for (const digest of digests.slice(0, 20)) {
      const { r, s } = signer.sign(digest);
      expect(secp256k1.verify(Uint8Array.from([...r, ...s]), digest, publicKey, { lowS: true })).toBe(true);
    }
  });

  it.each(curves)('refuses what is no key, without showing it', (curve) => {
    for (const secret of ['', '00', 'ab'.repeat(31), '00'.repeat(32), 'ff'.repeat(32), 'ab'.repeat(33)]) {
      expect(() => secp256k1Signer(hexToBytes(`0x${secret}`), curve)).toThrow(/^the secret is not a secp256k1 key$/);
    }
    const signer = secp256k1Signer(hexToBytes(SECRET), curve);
    expect(() => signer.sign(new Uint8Array(31))).toThrow(RangeError);
    expect(JSON.stringify(signer)).toBe(JSON.stringify({ address: ADDRESS }));
  });

  it('keeps its own copy of the secret', () => {
    const secret = hexToBytes(SECRET);
    const signer = secp256k1Signer(secret);
    const before = signer.sign(digests[0] as Uint8Array);
    secret.fill(7);
    expect(signer.sign(digests[0] as Uint8Array)).toEqual(before);
  });
});

describe('signOrder', () => {
  it('is 65 bytes over the raw order id that recover the signer', async () => {
    const signer = secp256k1Signer(hexToBytes(SECRET));
    for (const digest of digests.slice(0, 20)) {
      const signature = signOrder(bytesToHex(digest), signer);
      expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
      const recovered = await recoverAddress({ hash: bytesToHex(digest), signature });
      expect(recovered.toLowerCase()).toBe(ADDRESS);
    }
  });
});
