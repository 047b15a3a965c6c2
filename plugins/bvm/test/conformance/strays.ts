import type { OrderId } from '@causeway/core';
import { decodeAddress, encodeAddress } from '../../src/addresses.js';
import type { Network } from '../../src/network.js';

const RETURN = 0x6a;
const PUSHDATA1 = 0x4c;

/** An address of another type for the same key. */
export function otherAddress(address: string, network: Network): string {
  const parts = decodeAddress(address, network);
  if (parts?.type !== 'p2wpkh' && parts?.type !== 'p2pkh') throw new Error(`${address} is of no key hash`);
  return encodeAddress({ ...parts, type: parts.type === 'p2pkh' ? 'p2wpkh' : 'p2pkh' }, network);
}

export function namingScript(orderId: OrderId, depositor: string): Buffer {
  const text = Buffer.from(`${orderId}|depositor=${depositor}|`, 'latin1');
  return Buffer.concat([Buffer.from([RETURN, PUSHDATA1, text.length]), text]);
}
