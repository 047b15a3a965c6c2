import type { FailReason } from '../fail-reason.js';

/** What errors of the service's own contracts mean. Errors of recipients or unknown tokens stay plain reverts. */
export const OWN_REASONS: Readonly<Record<string, FailReason>> = {
  AlreadyFilled: 'ORDER_ALREADY_FILLED',
  DeadlinePassed: 'PROTOCOL_DEADLINE_EXPIRED',
  Expired: 'SIGNATURE_EXPIRED',
  KeyUsed: 'INVALID_NONCE',
  NothingToSweep: 'INVALID_NONCE',
  BadSignature: 'INVALID_SIGNATURE',
  NotFiller: 'INVALID_SENDER',
  TokenTransferFailed: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
  DeliveredShort: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
  BroughtShort: 'TOO_LITTLE_RECEIVED',
  TokenBalanceUnreadable: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
};

/** Those that report the failure of a call, with the arguments that hold its address and revert data. */
export const OWN_WRAPPERS: Readonly<Record<string, { readonly at: string; readonly inner: string }>> = {
  CallFailed: { at: 'to', inner: 'reason' },
  RecipientReverted: { at: 'to', inner: 'reason' },
  TokenTransferFailed: { at: 'token', inner: 'reason' },
};
