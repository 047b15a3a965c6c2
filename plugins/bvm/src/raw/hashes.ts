import { hash } from 'node:crypto';

/** Double SHA-256. */
export function hash256(data: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', data, 'buffer'), 'buffer');
}

/** Displayed hashes are byte-reversed. */
export function displayed(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex');
}

export function nameBytes(name: string): Buffer {
  return Buffer.from(name, 'hex').reverse();
}
