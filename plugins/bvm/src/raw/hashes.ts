import { hash } from 'node:crypto';

/** SHA-256 twice, as names of blocks and transactions are made. */
export function hash256(data: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', data, 'buffer'), 'buffer');
}

/** Names are displayed in the reverse order of their bytes. */
export function displayed(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex');
}

/** Bytes of a displayed name. */
export function nameBytes(name: string): Buffer {
  return Buffer.from(name, 'hex').reverse();
}
