import type { FailReason } from '../fail-reason.js';

/** What an error of a called contract may be mapped to. None of them says anything about the service itself. */
export const CALL_REASONS = [
  'SLIPPAGE',
  'TOO_LITTLE_RECEIVED',
  'TRANSFER_FROM_FAILED',
  'TRANSFER_FAILED',
  'SIGNATURE_EXPIRED',
  'INVALID_SIGNATURE',
  'INSUFFICIENT_NATIVE_TOKENS_SUPPLIED',
  'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE',
  'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
  'INVALID_SENDER',
  'ACCOUNT_ABSTRACTION_INVALID_NONCE',
  'ACCOUNT_ABSTRACTION_SIGNATURE_ERROR',
  'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  'EXTERNAL_INEXACT_FRACTION',
  'EXTERNAL_DEX_ERROR',
  'EXTERNAL_INVALID_FULFILLER',
  'TOKEN_NOT_TRANSFERABLE',
  'ZERO_SELL_AMOUNT',
  'MINT_NOT_ACTIVE',
  'ERC_1155_TOO_MANY_REQUESTED',
  'INCORRECT_PAYMENT',
  'INVALID_GAS_PRICE',
  'INVALID_SIGNER',
  'INVALID_NONCE',
  'MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET',
  'MINT_QUANTITY_EXCEEDS_MAX_SUPPLY',
  'CONTRACT_PAUSED',
  'SWAP_IMPACT_TOO_HIGH',
  'INSUFFICIENT_POOL_LIQUIDITY',
  'ORDER_EXPIRED',
  'ORDER_IS_CANCELLED',
  'BLOCKED_WALLET',
] as const satisfies readonly FailReason[];

export type CallReason = (typeof CALL_REASONS)[number];

/**
 * Reasons upon which the engine acts. Any contract can throw any error, so for a leg only the service's own
 * contracts may cause these.
 */
const ACTED_UPON: ReadonlySet<CallReason> = new Set<CallReason>(['INVALID_NONCE']);

/** The reason for a leg whose call failed with `reason`; undefined: a plain revert. */
export function reasonOfLeg(reason: CallReason | undefined): CallReason | undefined {
  // guard: evm-callee-reasons
  return reason !== undefined && ACTED_UPON.has(reason) ? undefined : reason;
}
