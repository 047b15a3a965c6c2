import type { ExecutionObservation } from '../contract/own-swaps.js';
import type { QuoteBody } from './quote.js';

/** What a quote promises that its payer executes. JSON-safe: amounts are decimal strings in the input's smallest unit. */
export interface OwnSwapTerms {
  /** All that goes to the solver out of the input. */
  readonly fee: string;
  /** Account of the solver; null where there is no fee. */
  readonly feeTo: string | null;
  /** Parts of `fee` that are owed to integrators, one per `terms.appFees`. */
  readonly appFees: readonly string[];
  /** Liquidity sources that it passes; empty where nothing is exchanged. */
  readonly sources: readonly string[];
}

/**
 * Whether an execution is the one that was quoted: by the quote's own payer, to its recipient, in its currencies, with no less
 * coming out and the fee paid. Anybody can execute under any id, with money of their own and calldata of their making: what
 * differs in any of this is no execution of the order, and none of the service's business.
 */
export function executes(body: QuoteBody, seen: ExecutionObservation): boolean {
  const { ownSwap, origin, destination } = body;
  if (ownSwap === undefined) return false;
  if (seen.chainId !== origin.chainId || seen.payer !== body.user || seen.recipient !== body.recipient) return false;
  if (seen.input !== origin.currency || seen.output !== destination.currency) return false;
  if (seen.amountOut < BigInt(body.minimumAmount)) return false;
  return ownSwap.feeTo === null || (seen.feeTo === ownSwap.feeTo && seen.fee >= BigInt(ownSwap.fee));
}
