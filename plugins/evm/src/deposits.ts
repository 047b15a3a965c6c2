import type { DepositStep, DepositStepItem, DepositStepsInput, Hex } from '@causeway/core';
import { encodeFunctionData } from 'viem';
import { depositoryAbi, erc20Abi } from './abi.js';
import { asHex, isNative } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import type { FeeSource } from './fees.js';

/**
 * Unsigned transactions for the payer, in order: approvals of exactly the amount, then the deposit that carries the
 * order id. Each approval is a step of its own, because wallets run the items of one step side by side.
 */
export function depositSteps(config: ChainConfig, fees: FeeSource, input: DepositStepsInput): readonly DepositStep[] {
  const { depository, currencies, approveReset, facts } = config;
  const { payer, currency, amount, orderId } = input;
  const symbol = currencies.get(currency)?.symbol ?? 'token';
  const item = (to: Hex, data: Hex, value: bigint): DepositStepItem => ({
    data: { from: payer, to, data, value: value.toString(), chainId: facts.id, ...feeFields(fees) },
  });
  if (isNative(currency)) {
    const data = encodeFunctionData({
      abi: depositoryAbi,
      functionName: 'depositNative',
      args: [asHex(payer), orderId],
    });
    return [depositStep(symbol, facts.displayName, item(depository, data, amount))];
  }
  const approve = (allowance: bigint): DepositStepItem =>
    item(
      asHex(currency),
      encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [depository, allowance] }),
      0n,
    );
  const args = [asHex(payer), asHex(currency), amount, orderId] as const;
  const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args });
  const reset = approveReset.has(currency)
    ? [approveStep(`Reset the allowance of ${symbol}, which refuses to change one that is not zero`, approve(0n))]
    : [];
  return [
    ...reset,
    approveStep(`Sign an approval for ${symbol}`, approve(amount)),
    depositStep(symbol, facts.displayName, item(depository, data, 0n)),
  ];
}

function approveStep(description: string, item: DepositStepItem): DepositStep {
  return { id: 'approve', action: 'Confirm transaction in your wallet', description, items: [item] };
}

function depositStep(symbol: string, chain: string, item: DepositStepItem): DepositStep {
  const description = `Deposit ${symbol} on ${chain} for the solver to execute the order`;
  return { id: 'deposit', action: 'Confirm transaction in your wallet', description, items: [item] };
}

/** No `gas`: nothing was simulated, and wallets treat a given limit as a hard one. */
function feeFields(fees: FeeSource): Readonly<Record<string, string>> {
  const terms = fees.terms();
  if (terms === undefined || terms === 'feeCap') return {};
  return { maxFeePerGas: terms.maxFeePerGas.toString(), maxPriorityFeePerGas: terms.maxPriorityFeePerGas.toString() };
}
