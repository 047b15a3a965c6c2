import type { Hex } from '@causeway/core';
import { toFunctionSelector } from 'viem/utils';
import { wordAddress } from '../words.js';

const selectors = (...functions: readonly string[]): ReadonlySet<string> =>
  new Set(functions.map((one) => toFunctionSelector(one)));

const SPENDING = selectors(
  'transfer(address,uint256)',
  'approve(address,uint256)',
  'increaseAllowance(address,uint256)',
  'increaseApproval(address,uint256)',
  'transferAndCall(address,uint256)',
  'transferAndCall(address,uint256,bytes)',
  'approveAndCall(address,uint256)',
  'approveAndCall(address,uint256,bytes)',
  'send(address,uint256,bytes)',
  'authorizeOperator(address)',
  'burn(uint256)',
);

const AUTHORIZED = selectors(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
  'cancelAuthorization(address,bytes32,bytes)',
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'permit(address,address,uint256,uint256,bytes)',
  'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
);

const TRANSFER_FROM = toFunctionSelector('transferFrom(address,address,uint256)');
const SELECTOR_CHARACTERS = 10;
const WORD_DIGITS = 64;

/**
 * What a call of a token does with the tokens of the account that makes it: `spends` or approves them, leaves them `alone`
 * because another account's signature or allowance authorizes it, or `unknown`.
 *
 * @param caller lower case.
 */
export function tokenCallOf(data: Hex, caller: string): 'spends' | 'alone' | 'unknown' {
  const selector = data.slice(0, SELECTOR_CHARACTERS).toLowerCase();
  if (SPENDING.has(selector)) return 'spends';
  if (AUTHORIZED.has(selector)) return 'alone';
  if (selector !== TRANSFER_FROM) return 'unknown';
  // Old tokens ignore what precedes the address in its word.
  const from = wordAddress(data.slice(SELECTOR_CHARACTERS, SELECTOR_CHARACTERS + WORD_DIGITS));
  return from.toLowerCase() === caller ? 'spends' : 'alone';
}
