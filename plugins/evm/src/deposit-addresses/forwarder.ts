import type { Hex } from '@causeway/core';
import { concatHex, getContractAddress, keccak256 } from 'viem/utils';
import { asHex } from '../addresses.js';

/** Creation code of a deposit address, around the template's address. */
const BEFORE = '0x3d603380600a3d3981f336600557005b363d3d373d3d3d363d73';
const AFTER = '0x5af43d82803e903d91603157fd5bf3';

/** Deposit addresses by their 32-byte salt, lower case. Must equal `addressOf` of the contract. */
export function forwardersOf(factory: Hex): (salt: Hex) => string {
  const template = getContractAddress({ from: factory, nonce: 1n });
  const code = keccak256(concatHex([BEFORE, template, AFTER]));
  return (salt) => {
    if (salt.length !== 66) throw new RangeError(`${salt} is not 32 bytes`);
    return asHex(`0x${keccak256(concatHex(['0xff', factory, salt, code])).slice(-40)}`);
  };
}
