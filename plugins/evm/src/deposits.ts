import type { DepositStep, DepositStepItem, DepositStepsInput, Hex } from '@causeway/core';
import { toFunctionSelector } from 'viem/utils';
import { depositoryAbi, erc20Abi } from './abi.js';
import { asHex, isNative } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import type { FeeSource } from './fees.js';
import type { KeptParts } from './transfer-fees.js';
import { transferWithId } from './watch/carried-ids.js';
import { addressWord, idWord, uintWord } from './words.js';

// Quotes encode these thousands of times a second; a general encoder hashes the signature each time.
const DEPOSIT_NATIVE = toFunctionSelector(depositoryAbi[0]);
const DEPOSIT_ERC20 = toFunctionSelector(depositoryAbi[1]);
const APPROVE = toFunctionSelector(erc20Abi[2]);

/**
 * Unsigned, in order: approvals of exactly the amount, then the deposit. Approvals are separate steps because wallets
 * run the items of one step in parallel.
 */
export function depositSteps(
  config: ChainConfig,
  fees: FeeSource,
  kept: Pick<KeptParts, 'arriving'>,
  input: DepositStepsInput,
): readonly DepositStep[] {
  const { depository, currencies, facts } = config;
  const { payer, currency, orderId, amount } = input;
  const keeps = amount - kept.arriving(currency, amount);
  const note = keeps === 0n ? '' : `: ${amount} are sent, of which the token keeps ${keeps}`;
  const symbol = currencies.get(currency)?.symbol ?? 'token';
  const item = (to: Hex, data: Hex, value: bigint): DepositStepItem => ({
    data: { from: payer, to, data, value: value.toString(), chainId: facts.id, ...feeFields(fees) },
  });
  if (isNative(currency)) {
    const data: Hex = `${DEPOSIT_NATIVE}${addressWord(payer)}${idWord(orderId)}`;
    return [depositStep(symbol, facts.displayName, item(depository, data, amount))];
  }
  if (input.byTransfer) {
    const { nonce } = input;
    const data = transferWithId(depository, amount, nonce === undefined ? orderId : '0x');
    const sent = item(asHex(currency), data, 0n);
    if (nonce === undefined) return [depositStep(symbol, facts.displayName, sent)];
    const numbered = { data: { ...sent.data, nonce: Number(nonce) } };
    return [depositStep(symbol, facts.displayName, numbered, `, by your transaction with nonce ${nonce} alone`)];
  }
  const words = [addressWord(payer), addressWord(currency), uintWord(amount), idWord(orderId)];
  const data: Hex = `${DEPOSIT_ERC20}${words.join('')}`;
  return [
    ...approvals(config, fees, { payer, currency, spender: depository, amount }),
    depositStep(symbol, facts.displayName, item(depository, data, 0n), note),
  ];
}

interface Approval {
  readonly payer: string;
  readonly currency: string;
  readonly spender: Hex;
  /** Smallest unit. */
  readonly amount: bigint;
}

/** One approval of exactly the amount, after one of zero if the token requires that. */
export function approvals(
  { currencies, approveReset, facts }: ChainConfig,
  fees: FeeSource,
  { payer, currency, spender, amount }: Approval,
): readonly DepositStep[] {
  const symbol = currencies.get(currency)?.symbol ?? 'token';
  const approve = (allowance: bigint): DepositStepItem => {
    const data = `${APPROVE}${addressWord(spender)}${uintWord(allowance)}`;
    return { data: { from: payer, to: asHex(currency), data, value: '0', chainId: facts.id, ...feeFields(fees) } };
  };
  const reset = `Reset the allowance of ${symbol}, which refuses to change one that is not zero`;
  return [
    ...(approveReset.has(currency) ? [approveStep(reset, approve(0n))] : []),
    approveStep(`Sign an approval for ${symbol}`, approve(amount)),
  ];
}

function approveStep(description: string, item: DepositStepItem): DepositStep {
  return { id: 'approve', action: 'Confirm transaction in your wallet', description, items: [item] };
}

function depositStep(symbol: string, chain: string, item: DepositStepItem, note = ''): DepositStep {
  const description = `Deposit ${symbol} on ${chain} for the solver to execute the order${note}`;
  return { id: 'deposit', action: 'Confirm transaction in your wallet', description, items: [item] };
}

/** No `gas`: wallets treat a given limit as a hard one. */
export function feeFields(fees: FeeSource): Readonly<Record<string, string>> {
  const terms = fees.terms();
  if (terms === undefined || terms === 'feeCap') return {};
  return { maxFeePerGas: terms.maxFeePerGas.toString(), maxPriorityFeePerGas: terms.maxPriorityFeePerGas.toString() };
}
