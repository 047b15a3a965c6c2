import type { OrderId } from '@causeway/core';
import { concatHex, getContractAddress, keccak256 } from 'viem/utils';
import { asHex } from './addresses.js';

const BEFORE = '0x6100413d81600a3d39f3363d3d373d3d3d363d73';
const AFTER = '0x5af43d82803e903d91602b57fd5bf3';

/**
 * The account that makes an order's calls: a clone under the order id, whose code ends with the recipient of
 * leftovers. Must equal `accountOf` of the contract.
 */
export function accountOf(router: string, orderId: OrderId, recipient: string): string {
  const template = getContractAddress({ from: asHex(router), nonce: 1n });
  const code = keccak256(concatHex([BEFORE, template, AFTER, asHex(recipient)]));
  return getContractAddress({
    opcode: 'CREATE2',
    from: asHex(router),
    salt: orderId,
    bytecodeHash: code,
  }).toLowerCase();
}
