import type { DepositStep, DepositStepItem, Hex, OwnSwap } from '@causeway/core';
import { encodeFunctionData, toFunctionSelector } from 'viem/utils';
import { erc20Abi, swapEntryAbi } from '../abi.js';
import { asHex, isNative, NATIVE } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import { feeFields } from '../deposits.js';
import type { FeeSource } from '../fees.js';
import { addressWord, uintWord } from '../words.js';

const APPROVE = toFunctionSelector(erc20Abi[2]);

/**
 * Unsigned transactions for the payer, in order: approvals of exactly the input for the entry, then the swap that carries the order
 * id, or the payment of what is not to be swapped.
 */
export function ownSwapSteps(
  config: Pick<ChainConfig, 'currencies' | 'approveReset' | 'facts'>,
  entry: Hex,
  fees: FeeSource,
  swap: OwnSwap,
): readonly DepositStep[] {
  const { currencies, approveReset, facts } = config;
  const { payer, input, amountIn, calls } = swap;
  const [from, to] = [input, swap.output].map((currency) => currencies.get(currency)?.symbol ?? 'token');
  const item = (target: Hex, data: Hex, value: bigint): DepositStepItem => ({
    data: { from: payer, to: target, data, value: value.toString(), chainId: facts.id, ...feeFields(fees) },
  });
  const approve = (description: string, allowance: bigint): DepositStep => ({
    ...{ id: 'approve', action: 'Confirm transaction in your wallet', description },
    items: [item(asHex(input), `${APPROVE}${addressWord(entry)}${uintWord(allowance)}`, 0n)],
  });
  const last: DepositStep = {
    ...(calls.length === 0
      ? { id: 'send', description: `Send ${from} to ${swap.recipient} on ${facts.displayName}` }
      : { id: 'swap', description: `Swap ${from} for ${to} on ${facts.displayName}` }),
    action: 'Confirm transaction in your wallet',
    items: [item(entry, swapData(swap), isNative(input) ? amountIn : 0n)],
  };
  if (isNative(input)) return [last];
  const reset = approveReset.has(input)
    ? [approve(`Reset the allowance of ${from}, which refuses to change one that is not zero`, 0n)]
    : [];
  return [...reset, approve(`Sign an approval for ${from}`, amountIn), last];
}

function swapData({ orderId, input, amountIn, output, least, deadline, fee, calls, recipient }: OwnSwap): Hex {
  const order = {
    ...{ orderId, tokenIn: asHex(input), amountIn, tokenOut: asHex(output), least, deadline: BigInt(deadline) },
    ...{ fee: fee?.amount ?? 0n, feeTo: asHex(fee?.to ?? NATIVE) },
    calls: calls.map(({ to, value, data }) => ({ to: asHex(to), value, data })),
  };
  return encodeFunctionData({ abi: swapEntryAbi, functionName: 'swap', args: [order, asHex(recipient)] });
}
