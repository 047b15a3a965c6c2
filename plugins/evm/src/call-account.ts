import type { OrderId } from '@causeway/core';
import { concatHex, getContractAddress, keccak256 } from 'viem/utils';
import { asHex } from './addresses.js';

const BEFORE = '0x6100413d81600a3d39f3363d3d373d3d3d363d73';
const AFTER = '0x5af43d82803e903d91602b57fd5bf3';

/**
 * Where the calls of an order come from: a clone that a contract of ours deploys under the order's id, whose code ends
 * with the one that what is left in it goes to. As `accountOf` of the contract tells it.
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
