import { list, named, nullable, object, text } from '../schema.js';
import { CHAIN_ID, FAIL_REASON, INTENT_STATUS, REFUND_FAIL_REASON_OR_NONE, UNIX_MS } from './common.js';

/** interface.md, "Status record"; `quoteCreatedAt` is clients.md 2.4. */
export const STATUS_RECORD = named(
  'StatusRecord',
  object({
    status: INTENT_STATUS,
    inTxHashes: list(text()),
    txHashes: list(text()),
    updatedAt: UNIX_MS,
    quoteCreatedAt: UNIX_MS,
    originChainId: CHAIN_ID,
    destinationChainId: CHAIN_ID,
    failReason: FAIL_REASON,
    refundFailReason: REFUND_FAIL_REASON_OR_NONE,
    details: nullable(text()),
  }),
);
