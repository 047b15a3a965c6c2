import { createHmac } from 'node:crypto';
import type { ChainId, Hex } from '@causeway/core';
import { type Ed25519Signer, signerOfSeed } from '../signer.js';

const LABEL = 'causeway deposit address';
const MAX_CACHED_KEYS = 10_000;
const SALT = /^0x[0-9a-f]{64}$/;

/**
 * Key pairs of the deposit addresses of one chain.
 *
 * Invariant: the seed is HMAC-SHA256(master secret, label, chain id, salt). This must never change: issued addresses,
 * and the money at them, depend on it.
 */
export class AddressKeys {
  readonly #master: Uint8Array;
  readonly #chainId: ChainId;
  readonly #known = new Map<Hex, Ed25519Signer>();

  /** @param master 32 bytes. */
  constructor(master: Uint8Array, chainId: ChainId) {
    this.#master = master;
    this.#chainId = chainId;
  }

  /** @param salt 32 bytes. @throws for anything else. */
  signer(salt: Hex): Ed25519Signer {
    const name = salt.toLowerCase() as Hex;
    if (!SALT.test(name)) throw new Error(`${salt} is no salt of 32 bytes`);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const label = `${LABEL}:${this.#chainId}:`;
    const seed = createHmac('sha256', this.#master)
      .update(label)
      .update(Buffer.from(name.slice(2), 'hex'))
      .digest();
    const signer = signerOfSeed(seed);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_CACHED_KEYS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, signer);
    return signer;
  }
}
