import type { ExchangedRefund, Hex, PayerSwaps, SwapDeposit } from '@causeway/core';
import { accountOf } from '../call-account.js';
import type { ChainConfig } from '../chain-config.js';
import type { FeeSource } from '../fees.js';
import { payerSwapCost } from './costs.js';
import { refundAccount } from './refund.js';
import { payerSwapSteps, swapDepositSteps } from './steps.js';

/** Gas of the calls, measurements and account of a swapped refund, rounded up. */
const REFUND_WORK = 170_000n;

export function payerSwaps(config: ChainConfig, entry: Hex, fees: FeeSource): PayerSwaps {
  return Object.freeze({
    steps: (swap) => payerSwapSteps(config, entry, fees, swap),
    account: (orderId, payer) => accountOf(entry, orderId, payer),
    deposits: Object.freeze({
      depositor: entry,
      steps: (swap: SwapDeposit) => swapDepositSteps(config, entry, fees, swap),
      refundWork: REFUND_WORK,
      refundAccount: (refund: ExchangedRefund) => refundAccount(entry, refund),
    }),
    cost: (costs) => payerSwapCost(fees, costs),
  } satisfies PayerSwaps);
}
