import type { Hex } from '@causeway/core';
import { concatHex, encodeAbiParameters, getContractAddress, keccak256 } from 'viem/utils';
import { permitSpender } from '../generated/contracts.js';
import type { PermitTerms } from './terms.js';

const MADE_WITH = [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }] as const;
const SALTED_WITH = [{ type: 'bytes32' }, { type: 'uint256' }] as const;

/** Lower case. Must equal `spenderOf` of the contract. */
export function spenderOf(entry: Hex, { token, payer, amount, orderId, deadline }: PermitTerms): Hex {
  const bytecode = concatHex([permitSpender.bytecode, encodeAbiParameters(MADE_WITH, [token, payer, BigInt(amount)])]);
  const salt = keccak256(encodeAbiParameters(SALTED_WITH, [orderId, BigInt(deadline)]));
  return getContractAddress({ opcode: 'CREATE2', from: entry, salt, bytecode }).toLowerCase() as Hex;
}
