import type { Hex } from '@causeway/core';
import { toFunctionSelector } from 'viem/utils';
import type { FailReason } from './fail-reason.js';

const error = (signature: string): Hex => toFunctionSelector(`function ${signature}`);

/** Errors of common libraries, by selector. */
const BY_SELECTOR: ReadonlyMap<Hex, FailReason> = new Map<Hex, FailReason>([
  [error('ERC20InsufficientBalance(address,uint256,uint256)'), 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
  [error('ERC20InsufficientAllowance(address,uint256,uint256)'), 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
  [error('InsufficientBalance()'), 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
  [error('InsufficientAllowance()'), 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
  [error('TransferFromFailed()'), 'TRANSFER_FROM_FAILED'],
  [error('TransferFailed()'), 'TRANSFER_FAILED'],
  [error('Blocked(address)'), 'BLOCKED_WALLET'],
  [error('ERC20Blocked(address)'), 'BLOCKED_WALLET'],
  [error('EnforcedPause()'), 'CONTRACT_PAUSED'],
  [error('ERC2612ExpiredSignature(uint256)'), 'SIGNATURE_EXPIRED'],
  [error('ECDSAInvalidSignature()'), 'INVALID_SIGNATURE'],
  [error('V3TooLittleReceived()'), 'TOO_LITTLE_RECEIVED'],
  [error('V2TooLittleReceived()'), 'TOO_LITTLE_RECEIVED'],
  [error('MintQuantityExceedsMaxMintedPerWallet(uint256,uint256)'), 'MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET'],
  [error('MintQuantityExceedsMaxSupply(uint256,uint256)'), 'MINT_QUANTITY_EXCEEDS_MAX_SUPPLY'],
  [error('NotActive(uint256,uint256,uint256)'), 'MINT_NOT_ACTIVE'],
  [error('IncorrectPayment(uint256,uint256)'), 'INCORRECT_PAYMENT'],
]);

const BY_TEXT: readonly (readonly [RegExp, FailReason])[] = [
  [/exceeds allowance|insufficient[ -]allowance/i, 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
  [/exceeds balance|insufficient[ -]balance/i, 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
  [/TRANSFER_FROM_FAILED|^STF$/, 'TRANSFER_FROM_FAILED'],
  [/TRANSFER_FAILED|^STE?$|^TF$/, 'TRANSFER_FAILED'],
  [/too little received|INSUFFICIENT_OUTPUT_AMOUNT/i, 'TOO_LITTLE_RECEIVED'],
  [/INSUFFICIENT_LIQUIDITY/, 'INSUFFICIENT_POOL_LIQUIDITY'],
  [/\bpaused\b/i, 'CONTRACT_PAUSED'],
  [/signature.{0,20}expired|expired.{0,20}signature|permit.{0,20}expired|expired deadline/i, 'SIGNATURE_EXPIRED'],
  [/black-?list|block-?list/i, 'BLOCKED_WALLET'],
  [/invalid signature/i, 'INVALID_SIGNATURE'],
  [/(sale|mint)\w* (is )?(not|in)[ -]?(active|open|started)/i, 'MINT_NOT_ACTIVE'],
  [/per wallet/i, 'MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET'],
  [/(max|exceeds?) (total )?supply|sold out/i, 'MINT_QUANTITY_EXCEEDS_MAX_SUPPLY'],
  [/(incorrect|insufficient|wrong) (payment|price|ether value)/i, 'INCORRECT_PAYMENT'],
];

/**
 * Why a call of an order failed; undefined if unknown. Revert data is untrusted: it informs the client and decides
 * nothing.
 *
 * @param text of a plain `Error(string)`, undefined for any other revert data.
 */
export function reasonOfCall(data: Hex, text: string | undefined): FailReason | undefined {
  if (text === undefined) return BY_SELECTOR.get(data.slice(0, 10).toLowerCase() as Hex);
  return BY_TEXT.find(([words]) => words.test(text))?.[1];
}
