import { keccak_256 } from '@noble/hashes/sha3';
import { createKeccak } from 'hash-wasm';

type Hash = (bytes: Uint8Array) => Uint8Array;

let hash: Hash = keccak_256;

/** Keccak-256 as in Solidity and EIP-712. A new array of 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hash(bytes);
}

/**
 * Switches from the pure implementation to WebAssembly once it is compiled and gives the same test results.
 *
 * Measured on Node 20, one core, microseconds a hash: 32 bytes 11.4 pure, 0.9 WebAssembly; 160 bytes 19.4 and 1.2;
 * 320 bytes 28.7 and 1.6.
 */
export async function initKeccak(): Promise<void> {
  try {
    const hasher = await createKeccak(256);
    // Synchronous from init to digest, so calls cannot interleave in the one hasher.
    const fast: Hash = (bytes) => hasher.init().update(bytes).digest('binary');
    if (agree(fast, keccak_256)) hash = fast;
  } catch {
    hash = keccak_256;
  }
}

function agree(left: Hash, right: Hash): boolean {
  return [0, 1, 32, 135, 136, 137, 1000].every((length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) & 0xff);
    const other = right(bytes);
    return left(bytes).every((byte, index) => byte === other[index]);
  });
}
