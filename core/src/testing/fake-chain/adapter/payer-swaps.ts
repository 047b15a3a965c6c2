import type {
  PayerSwap,
  PayerSwaps,
  RevertedExecution,
  SwapDeposit,
  SwapDeposits,
} from '../../../contract/payer-swaps.js';
import type { ExecuteText } from '../execute-text.js';
import type { FakeProvider } from '../fake-provider.js';
import { EXCHANGE_UNITS, type FakeSwapIn } from '../transaction.js';
import { decodeCall, encodeCall } from './calls.js';
import { ownCost } from './fees.js';
import type { AdapterParts, FakeConfig } from './setup.js';

export function payerSwaps(parts: AdapterParts): PayerSwaps {
  return Object.freeze({
    steps: (swap: PayerSwap) => payerSteps(parts.config, swap),
    account: (orderId: string, payer: string) => `own:${orderId.slice(2, 10)}:${payer.slice(2, 10)}`,
    ...(parts.config.swapDeposits ? { deposits: swapDeposits(parts.config) } : {}),
    cost: ({ input, deposits, overhead }) =>
      ownCost(parts, { isNative: parts.config.currencies.get(input)?.isNative === true, deposits, overhead }),
  } satisfies PayerSwaps);
}

/** Swaps go straight into the depository; refunds straight into the pool. */
function swapDeposits(config: FakeConfig): SwapDeposits {
  return {
    depositor: config.facts.depository,
    steps: (swap) => {
      const steps = payerSteps(config, { ...swap, recipient: config.facts.depository, fee: null }, depositOf(swap));
      return steps.map((step) => (step.id === 'approve' ? step : { ...step, id: 'deposit' as const }));
    },
    refundAccount: ({ signer, useKey }) => `back:${signer.slice(2, 10)}:${useKey.slice(2, 10)}`,
    refundWork: EXCHANGE_UNITS,
  };
}

function depositOf({ orderId, payer, least, deadline, calls }: SwapDeposit): object {
  const [call] = calls.map((one) => decodeCall(encodeCall(one)));
  if (call?.swap === undefined) throw new Error('a swap without a pool');
  const { swap } = call;
  const asked = { ...swap, amount: `${swap.amount}`, least: `${swap.least}` };
  return { do: 'swapIn', orderId, depositor: payer, least: `${least}`, deadline, swap: asked };
}

function payerSteps(
  { facts, currencies }: FakeConfig,
  swap: PayerSwap,
  does = actionOf(swap),
): ReturnType<PayerSwaps['steps']> {
  const { payer, input, amountIn, calls } = swap;
  const item = (action: object) => ({
    data: { from: payer, to: facts.depository, value: '0', chainId: facts.id, data: JSON.stringify(action) },
  });
  const confirm = 'Confirm transaction in your wallet';
  const last = {
    id: calls.length === 0 ? ('send' as const) : ('swap' as const),
    action: confirm,
    description: `Execute an order on ${facts.displayName}`,
    items: [item(does)],
  };
  if (currencies.get(input)?.isNative === true) return [last];
  const description = `Sign an approval of ${amountIn}`;
  return [{ id: 'approve', action: confirm, description, items: [item({ do: 'approve' })] }, last];
}

function actionOf({ orderId, input, amountIn, output, recipient, least, deadline, fee, calls }: PayerSwap): object {
  const [call] = calls.map((one) => decodeCall(encodeCall(one)));
  const { swap } = call ?? {};
  return {
    ...{ do: 'execute', orderId, input, amountIn: `${amountIn}`, output, to: recipient, least: `${least}`, deadline },
    ...{ fee: `${fee?.amount ?? 0n}`, feeTo: fee?.to ?? ZERO_ADDRESS },
    ...(swap === undefined ? {} : { swap: { ...swap, amount: `${swap.amount}`, least: `${swap.least}` } }),
  };
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

interface SwapInText extends Omit<FakeSwapIn, 'least' | 'swap'> {
  readonly least: string;
  readonly swap: NonNullable<ExecuteText['swap']>;
}

export function swapInOf({ least, swap, ...rest }: SwapInText): FakeSwapIn {
  const asked = { ...swap, amount: BigInt(swap.amount), least: BigInt(swap.least) };
  return { ...rest, least: BigInt(least), swap: asked };
}

export function revertedExecution(node: FakeProvider, hash: string): RevertedExecution | undefined {
  const receipt = node.core.tree.receipt(node.receiptHead, hash);
  if (receipt === undefined || receipt.ok) return undefined;
  const { transaction, block, failure } = receipt;
  const action = transaction.actions.find((one) => one.do === 'execute');
  if (action === undefined) return undefined;
  const { height, id, timestamp } = block;
  return {
    ...{ orderId: action.orderId, payer: transaction.from, block: { height, id, timestamp } },
    ...{ final: height <= node.finalized.height, message: failure },
  };
}
