import type { DepositStep, DepositStepItem, Hex, PayerSwap, SwapDeposit } from '@causeway/core';
import { encodeFunctionData, toFunctionSelector } from 'viem/utils';
import { erc20Abi, swapEntryAbi } from '../abi.js';
import { asHex, isNative, NATIVE } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import { feeFields } from '../deposits.js';
import type { FeeSource } from '../fees.js';
import { addressWord, uintWord } from '../words.js';

const APPROVE = toFunctionSelector(erc20Abi[2]);

type Settings = Pick<ChainConfig, 'currencies' | 'approveReset' | 'facts'>;

/**
 * Unsigned, in order: approvals of exactly the input, then the swap with the order id, or the payment of what is not
 * swapped.
 */
export function payerSwapSteps(config: Settings, entry: Hex, fees: FeeSource, swap: PayerSwap): readonly DepositStep[] {
  const { currencies, facts } = config;
  const [from, to] = symbolsOf(currencies, swap);
  const last =
    swap.calls.length === 0
      ? ({ id: 'send', description: `Send ${from} to ${swap.recipient} on ${facts.displayName}` } as const)
      : ({ id: 'swap', description: `Swap ${from} for ${to} on ${facts.displayName}` } as const);
  const args = [orderOf(swap, swap.fee), asHex(swap.recipient)] as const;
  const data = encodeFunctionData({ abi: swapEntryAbi, functionName: 'swap', args });
  return approved(config, entry, fees, swap, { ...last, data });
}

export function swapDepositSteps(
  config: Settings,
  entry: Hex,
  fees: FeeSource,
  swap: SwapDeposit,
): readonly DepositStep[] {
  const [from, to] = symbolsOf(config.currencies, swap);
  const description = `Swap ${from} for ${to} on ${config.facts.displayName} and deposit it for the solver to execute the order`;
  const data = encodeFunctionData({ abi: swapEntryAbi, functionName: 'swapAndDeposit', args: [orderOf(swap, null)] });
  return approved(config, entry, fees, swap, { id: 'deposit', description, data });
}

function symbolsOf(currencies: Settings['currencies'], { input, output }: SwapDeposit): readonly string[] {
  return [input, output].map((currency) => currencies.get(currency)?.symbol ?? 'token');
}

function approved(
  { approveReset, facts, currencies }: Settings,
  entry: Hex,
  fees: FeeSource,
  { payer, input, amountIn }: SwapDeposit,
  { data, ...named }: Pick<DepositStep, 'id' | 'description'> & { readonly data: Hex },
): readonly DepositStep[] {
  const action = 'Confirm transaction in your wallet';
  const item = (target: Hex, data: Hex, value: bigint): DepositStepItem => ({
    data: { from: payer, to: target, data, value: value.toString(), chainId: facts.id, ...feeFields(fees) },
  });
  const last: DepositStep = { ...named, action, items: [item(entry, data, isNative(input) ? amountIn : 0n)] };
  if (isNative(input)) return [last];
  const approve = (description: string, allowance: bigint): DepositStep => ({
    ...{ id: 'approve', action, description },
    items: [item(asHex(input), `${APPROVE}${addressWord(entry)}${uintWord(allowance)}`, 0n)],
  });
  const symbol = currencies.get(input)?.symbol ?? 'token';
  const reset = approveReset.has(input)
    ? [approve(`Reset the allowance of ${symbol}, which refuses to change one that is not zero`, 0n)]
    : [];
  return [...reset, approve(`Sign an approval for ${symbol}`, amountIn), last];
}

function orderOf({ orderId, input, amountIn, output, least, deadline, calls }: SwapDeposit, fee: PayerSwap['fee']) {
  return {
    ...{ orderId, tokenIn: asHex(input), amountIn, tokenOut: asHex(output), least, deadline: BigInt(deadline) },
    ...{ fee: fee?.amount ?? 0n, feeTo: asHex(fee?.to ?? NATIVE) },
    calls: calls.map(({ to, value, data }) => ({ to: asHex(to), value, data })),
  };
}
