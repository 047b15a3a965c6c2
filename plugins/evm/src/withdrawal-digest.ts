import type { Hex } from '@causeway/core';
import { concatHex, encodeAbiParameters, keccak256, stringToHex } from 'viem/utils';
import { addressWord, idWord, uintWord } from './words.js';

export interface Withdrawal {
  readonly token: string;
  readonly to: string;
  readonly amount: bigint;
  readonly key: Hex;
  /** Unix seconds. */
  readonly expiration: bigint;
  readonly submitter: string;
}

const TYPE = 'Withdrawal(address token,address to,uint256 amount,bytes32 key,uint256 expiration,address submitter)';
const TYPE_HASH = keccak256(stringToHex(TYPE));
const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

export function domainSeparator(chainId: number, depository: Hex): Hex {
  const types = ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address'].map((type) => ({ type }));
  const hash = (text: string): Hex => keccak256(stringToHex(text));
  const values = [hash(DOMAIN_TYPE), hash('CausewayDepository'), hash('1'), BigInt(chainId), depository];
  return keccak256(encodeAbiParameters(types, values));
}

export function withdrawalDigest(domain: Hex, { token, to, amount, key, expiration, submitter }: Withdrawal): Hex {
  const words = [
    addressWord(token),
    addressWord(to),
    uintWord(amount),
    idWord(key),
    uintWord(expiration),
    addressWord(submitter),
  ];
  const struct = keccak256(`${TYPE_HASH}${words.join('')}`);
  return keccak256(concatHex(['0x1901', domain, struct]));
}
