import type { DepositStep, DepositStepItem, DepositStepsInput } from '../../../contract/deposits.js';
import type { OrderId } from '../../../contract/ids.js';
import { executeOf } from '../execute-text.js';
import type { FakeAction } from '../transaction.js';
import { swapInOf } from './payer-swaps.js';
import type { FakeConfig } from './setup.js';

interface StepData {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly chainId: number;
  readonly data: string;
}

/** Tokens need an approval first, except where a deposit is a plain payment. */
export function depositSteps(config: FakeConfig, input: DepositStepsInput): readonly DepositStep[] {
  const { payer, currency, amount, orderId, byTransfer, nonce } = input;
  const known = config.currencies.get(currency);
  const { depository, id, displayName } = config.facts;
  const item = (to: string, value: bigint, action: object): DepositStepItem => {
    const data: StepData = { from: payer, to, value: value.toString(), chainId: id, data: JSON.stringify(action) };
    return { data: { ...data } };
  };
  const native = known?.isNative === true;
  const deposit = item(depository, native ? amount : 0n, {
    do: 'deposit',
    depositor: payer,
    currency,
    amount: amount.toString(),
    orderId: nonce === undefined ? orderId : null,
  });
  const symbol = known?.symbol ?? 'token';
  const last: DepositStep = {
    id: 'deposit',
    action: 'Confirm transaction in your wallet',
    description: `Deposit ${symbol} on ${displayName} for the solver to execute the order`,
    items: [deposit],
  };
  if (native || byTransfer || !config.rules.enforced) return [last];
  const approve: DepositStep = {
    id: 'approve',
    action: 'Confirm transaction in your wallet',
    description: `Sign an approval for ${symbol}`,
    items: [item(currency, 0n, { do: 'approve' })],
  };
  return [approve, last];
}

/** @throws on data of no fake-chain step. */
export function actionOfStep(data: Readonly<Record<string, unknown>>): { from: string; action: FakeAction } {
  const { from, data: text } = data as unknown as StepData;
  const action = JSON.parse(text) as { do: string; depositor: string; currency: string; amount: string };
  if (action.do === 'approve') return { from, action: { do: 'approve' } };
  if (action.do === 'execute') return { from, action: executeOf(JSON.parse(text)) };
  if (action.do === 'swapIn') return { from, action: swapInOf(JSON.parse(text)) };
  if (action.do === 'transfer') {
    const { to, currency, amount } = action as typeof action & { readonly to: string };
    return { from, action: { do: 'transfer', currency, to, amount: BigInt(amount) } };
  }
  if (action.do !== 'deposit') throw new Error(`a wallet does not execute "${action.do}"`);
  const { depositor, currency } = action;
  const orderId = (action as { orderId?: OrderId | null }).orderId ?? null;
  return { from, action: { do: 'deposit', depositor, currency, amount: BigInt(action.amount), orderId } };
}
