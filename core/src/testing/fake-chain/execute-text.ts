import type { FakeExecute } from './transaction.js';

/** As the steps of a quote have it, in JSON. */
export interface ExecuteText extends Omit<FakeExecute, 'amountIn' | 'fee' | 'least' | 'swap'> {
  readonly amountIn: string;
  readonly fee: string;
  readonly least: string;
  readonly swap?: { readonly input: string; readonly output: string; readonly amount: string; readonly least: string };
}

export function executeOf(text: ExecuteText): FakeExecute {
  const { amountIn, fee, least, swap, ...rest } = text;
  const amounts = { amountIn: BigInt(amountIn), fee: BigInt(fee), least: BigInt(least) };
  const exchanged = swap && { ...swap, amount: BigInt(swap.amount), least: BigInt(swap.least) };
  return { ...rest, ...amounts, ...(exchanged === undefined ? {} : { swap: exchanged }) };
}
