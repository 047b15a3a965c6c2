import type { ExecutionObservation } from '../contract/payer-swaps.js';
import type { QuoteBody } from './quote.js';

/** Promise of an order that its payer executes. JSON-safe: amounts are decimal strings in the input's smallest unit. */
export interface PayerSwapTerms {
  /** Total paid to the solver out of the input. */
  readonly fee: string;
  readonly feeTo: string | null;
  /** Parts of `fee` owed to integrators, one per `terms.appFees`. */
  readonly appFees: readonly string[];
  readonly sources: readonly string[];
}

/**
 * Whether payer, recipient, currencies, minimum output and fee match. Anyone can execute under any id with their own
 * calldata; a mismatch is no execution of the order.
 */
export function executes(body: QuoteBody, seen: ExecutionObservation): boolean {
  const { payerSwap, origin, destination } = body;
  if (payerSwap === undefined) return false;
  if (
    seen.chainId !== origin.chainId ||
    /* guard: own-executions-by-payer */ seen.payer !== body.user ||
    seen.recipient !== body.recipient
  )
    return false;
  if (seen.input !== origin.currency || seen.output !== destination.currency) return false;
  if (seen.amountOut < BigInt(body.minimumAmount)) return false;
  return payerSwap.feeTo === null || (seen.feeTo === payerSwap.feeTo && seen.fee >= BigInt(payerSwap.fee));
}
