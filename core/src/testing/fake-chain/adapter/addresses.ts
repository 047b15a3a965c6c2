import type { Parsed } from '../../../contract/chain-adapter.js';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Lower case is canonical. */
export function parseAddress(text: string): Parsed {
  const value = text.toLowerCase();
  return ADDRESS.test(value) ? { ok: true, value } : { ok: false, reason: 'not 0x and 40 hex digits' };
}

export function addressBytes(address: string): Uint8Array {
  const bytes = new Uint8Array(20);
  for (let n = 0; n < 20; n += 1) bytes[n] = Number.parseInt(address.slice(2 + n * 2, 4 + n * 2), 16);
  return bytes;
}
