import type { AddressStepInput, DepositStep, Hex } from '@causeway/core';
import { toFunctionSelector } from 'viem/utils';
import { asHex, isNative } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import { feeFields } from '../deposits.js';
import type { FeeSource } from '../fees.js';
import { addressWord, uintWord } from '../words.js';

const TRANSFER = toFunctionSelector('function transfer(address to, uint256 amount)');

/** One plain transfer, unsigned. */
export function addressSteps(
  { currencies, facts }: Pick<ChainConfig, 'currencies' | 'facts'>,
  fees: FeeSource,
  { payer, address, currency, amount }: AddressStepInput,
): readonly DepositStep[] {
  const symbol = currencies.get(currency)?.symbol ?? 'token';
  const transfer: Hex = `${TRANSFER}${addressWord(address)}${uintWord(amount)}`;
  const paid = isNative(currency)
    ? { to: asHex(address), data: '0x', value: amount.toString() }
    : { to: asHex(currency), data: transfer, value: '0' };
  const data = { from: payer, ...paid, chainId: facts.id, ...feeFields(fees) };
  const description = `Send ${symbol} on ${facts.displayName} to the deposit address`;
  return [{ id: 'deposit', action: 'Confirm transaction in your wallet', description, items: [{ data }] }];
}
