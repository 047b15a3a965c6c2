import { type Hex, keccak256 } from '@causeway/core';
import { bytesToHex, concatHex, getContractAddress, hexToBytes } from 'viem/utils';
import { asHex } from '../addresses.js';

/** Creation code of a deposit address, around the template's address. */
const BEFORE = '0x3d603380600a3d3981f336600557005b363d3d373d3d3d363d73';
const AFTER = '0x5af43d82803e903d91603157fd5bf3';

const SALT_AT = 21;

/** Deposit addresses by their 32-byte salt, lower case. Must equal `addressOf` of the contract. */
export function forwardersOf(factory: Hex): (salt: Hex) => string {
  const template = getContractAddress({ from: factory, nonce: 1n });
  const code = keccak256(hexToBytes(concatHex([BEFORE, template, AFTER])));
  // Of CREATE2 (EIP-1014): 0xff, deployer, salt, hash of the creation code. The salt is replaced for each address.
  const hashed = Buffer.concat([Buffer.of(0xff), hexToBytes(factory), Buffer.alloc(32), code]);
  return (salt) => {
    if (salt.length !== 66 || hashed.write(salt.slice(2), SALT_AT, 'hex') !== 32)
      throw new RangeError(`${salt} is not 32 bytes`);
    return asHex(bytesToHex(keccak256(hashed).subarray(12)));
  };
}
